import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { newHexId } from '../crypto/ids.js';
import { clientLabel } from './client-label.js';

export const REQUEST_ID = 'X-Request-Id';

/** Returns the request id that a client or proxy sent. If that id is missing or invalid, returns a new id. */
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
 * Stores the id, address and User-Agent of a request for all code that runs in the request. Add this function directly after
 * the request logger.
 */
export function rememberRequest(request: Request, _response: Response, next: NextFunction): void {
  const { ip, headers } = request;
  context.run({ requestId: idOf(request), address: ip, userAgent: headers['user-agent'] }, next);
}

/** Returns the request id, which the request logger has set. */
const idOf = (request: Request): string => {
  const { id } = request as Request & { id?: unknown };
  return typeof id === 'string' ? id : '';
};

/** Returns the client's address in the current request; undefined outside of requests. */
export const requestAddress = (): string | undefined => context.getStore()?.address;

/** Returns a short label of the client's browser or program; undefined outside of requests and without a User-Agent. */
export const requestClient = (): string | undefined => clientLabel(context.getStore()?.userAgent);

/** Returns the fields of a request for its log lines; empty outside of a request. */
export function requestFields(): object {
  const store = context.getStore();
  return store ? { requestId: store.requestId } : {};
}
