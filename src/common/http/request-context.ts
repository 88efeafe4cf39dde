import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { newHexId } from '../crypto/ids.js';
import { clientLabel } from './client-label.js';

export const REQUEST_ID = 'X-Request-Id';

/** The id that a client, or the proxy before us, gave a request, where it has the form of one; else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : newHexId();
}

interface RequestContext {
  readonly requestId: string;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

const context = new AsyncLocalStorage<RequestContext>();

/**
 * Remembers for everything that a request leads to which one it was and where it came from; right behind its logger.
 */
export function rememberRequest(request: Request, _response: Response, next: NextFunction): void {
  const { ip, headers } = request;
  context.run({ requestId: idOf(request), address: ip, userAgent: headers['user-agent'] }, next);
}

/** The id that the logger of requests has put on it. */
const idOf = (request: Request): string => {
  const { id } = request as Request & { id?: unknown };
  return typeof id === 'string' ? id : '';
};

/** The address of the client whose request this is; undefined outside of requests. */
export const requestAddress = (): string | undefined => context.getStore()?.address;

/** Its browser or program as a short label; undefined outside of requests, and where it says nothing. */
export const requestClient = (): string | undefined => clientLabel(context.getStore()?.userAgent);

/** What every log line of a request carries; empty outside of one. */
export function requestFields(): object {
  const store = context.getStore();
  return store ? { requestId: store.requestId } : {};
}
