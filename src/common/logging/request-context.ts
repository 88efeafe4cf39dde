import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';

const contexts = new AsyncLocalStorage<{ readonly requestId: string }>();

/** Everything that happens for a request from here on knows its id; stands right behind the request logger. */
export function rememberRequest(request: IncomingMessage, _response: ServerResponse, next: () => void): void {
  const { id } = request;
  contexts.run({ requestId: typeof id === 'string' ? id : '' }, next);
}

/** What every log line of a request carries; empty outside of one. */
export const requestFields = (): object => contexts.getStore() ?? {};
