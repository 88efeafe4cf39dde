import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';
import { clientLabel } from './client-label.js';

interface RequestContext {
  readonly requestId: string;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

const context = new AsyncLocalStorage<RequestContext>();

/** Remembers for everything that a request leads to which one it was and where it came from; right behind its logger. */
export function rememberRequest(request: Request, _response: Response, next: NextFunction): void {
  const { id, ip, headers } = request as Request & { id?: unknown };
  const requestId = typeof id === 'string' ? id : '';
  context.run({ requestId, address: ip, userAgent: headers['user-agent'] }, next);
}

/** The address of the client whose request this is; undefined outside of requests. */
export const requestAddress = (): string | undefined => context.getStore()?.address;

/** Its browser or program as a short label; undefined outside of requests, and where it says nothing. */
export const requestClient = (): string | undefined => clientLabel(context.getStore()?.userAgent);

/** What every log line of a request carries; empty outside of one. */
export function requestFields(): object {
  const store = context.getStore();
  return store ? { requestId: store.requestId } : {};
}
