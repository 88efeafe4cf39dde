import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { newHexId } from '../crypto/ids.js';
import { clientLabel } from './client-label.js';

export const REQUEST_ID = 'X-Request-Id';

/** The id that a client, or the proxy before us, gave a request, where it has the form of one; else a new one. */
export const requestIdFrom = (given: unknown): string =>
  typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : newHexId();

export const requestIdOf = ({ headers }: IncomingMessage): string => requestIdFrom(headers['x-request-id']);

interface RequestContext {
  readonly requestId: string;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

const context = new AsyncLocalStorage<RequestContext>();

/**
 * Up to Node 22 every promise and tick of the process costs more once a context was used: it is put away while no request has one,
 * so that reads answered at the front door go without.
 */
const IS_DEAR = Number(process.versions.node.split('.')[0]) < 24;
/** Until then what a request left behind may still write a line of the log. */
const PUT_AWAY_MS = 100;
/** What a client asked for goes on without him, and whose it was is still to be written down: no request takes as long. */
const ABANDONED_MS = 300_000;
let underWay = 0;
let neededUntil = 0;
let puttingAway: NodeJS.Timeout | undefined;

function countContext(response: Response): void {
  underWay++;
  response.once('close', () => {
    underWay--;
    if (!response.writableFinished) neededUntil = performance.now() + ABANDONED_MS;
    puttingAway ??= setTimeout(() => {
      puttingAway = undefined;
      if (underWay === 0 && performance.now() >= neededUntil) context.disable();
    }, PUT_AWAY_MS).unref();
  });
}

/**
 * Where a context is dear, what a ballroom sends at once goes without one: a record writes no audit, and its lines of the log are given the id
 * where they are written.
 */
const goesWithout = ({ method, url }: Request): boolean =>
  IS_DEAR && method === 'POST' && url === '/donations';

/**
 * Remembers for everything that a request leads to which one it was and where it came from; right behind its logger. Its
 * answer says what helmet says of every answer; pages say some of it themselves.
 */
export function rememberRequest(request: Request, response: Response, next: NextFunction): void {
  response.isSecured = true;
  if (goesWithout(request)) {
    next();
    return;
  }
  if (IS_DEAR) countContext(response);
  const { ip, headers } = request;
  context.run({ requestId: idOf(request), address: ip, userAgent: headers['user-agent'] }, next);
}

/** The id that the logger of requests has put on it. */
export const idOf = (request: Request): string => {
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
