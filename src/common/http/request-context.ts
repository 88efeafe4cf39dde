import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';

interface RequestContext {
  readonly requestId: string;
  readonly address: string | undefined;
}

const context = new AsyncLocalStorage<RequestContext>();

/** Remembers for everything that a request leads to which one it was and where it came from; right behind its logger. */
export function rememberRequest(request: Request, _response: Response, next: NextFunction): void {
  const { id, ip } = request as Request & { id?: unknown };
  context.run({ requestId: typeof id === 'string' ? id : '', address: ip }, next);
}

/** The address of the client whose request this is; undefined outside of requests. */
export const requestAddress = (): string | undefined => context.getStore()?.address;

/** What every log line of a request carries; empty outside of one. */
export function requestFields(): object {
  const store = context.getStore();
  return store ? { requestId: store.requestId } : {};
}
