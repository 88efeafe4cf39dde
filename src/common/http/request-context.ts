import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';

interface RequestContext {
  readonly address: string | undefined;
}

const context = new AsyncLocalStorage<RequestContext>();

/** Remembers for everything that a request leads to where it came from. Call after the proxies are known. */
export function rememberRequest(request: Request, _response: Response, next: NextFunction): void {
  context.run({ address: request.ip }, next);
}

/** The address of the client whose request this is; undefined outside of requests. */
export const requestAddress = (): string | undefined => context.getStore()?.address;
