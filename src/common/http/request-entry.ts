import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { type ExecutionContext, Logger } from '@nestjs/common';
import cors from 'cors';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { AppConfig } from '../../config/app-config.js';
import { InvalidInputError, NotFoundError } from '../errors/domain-errors.js';
import { newHexId } from '../crypto/ids.js';
import { lineOf } from './answers.js';
import { hostRepeated, repeatsHost } from './host-header.js';
import { clientLabel } from './client-label.js';

/** What every request passes on its way in, before its body is read: its id and context, headers, origin, a readable address. */

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

/**
 * Says once when requests come through a proxy that `TRUST_PROXY` does not name: all its clients then count as one,
 * and a whole hall shares one limit.
 */
export function warnOfUnreadForwarding(): (request: Request, response: Response, next: NextFunction) => void {
  let said = false;
  return ({ headers, socket }, _response, next) => {
    if (!said && (headers['x-forwarded-for'] ?? headers.forwarded ?? headers['x-real-ip'])) {
      said = true;
      new Logger('TRUST_PROXY').warn(
        `TRUST_PROXY is off, but requests come through a proxy at ${socket.remoteAddress ?? 'an unknown address'}: ` +
          'all its clients share one limit. Set TRUST_PROXY to the number of proxies, or to their networks.',
      );
    }
    next();
  };
}

/**
 * The one place that refuses a path or a query that is not text: percent signs that do not decode to UTF-8, raw
 * bytes beyond ASCII (Node would read them as Latin-1), and NUL, which no text in the database can hold.
 */
export function refuseUnreadable(request: Request, _response: Response, next: NextFunction): void {
  if (request.headers.host === undefined && request.httpVersion === '1.1')
    next(new InvalidInputError('HOST_MISSING', 'The Host header is missing'));
  else if (repeatsHost(request.rawHeaders)) next(hostRepeated());
  else next(refusalOf(request));
}

function refusalOf(request: Request): Error | undefined {
  const { method, url } = request;
  // Most addresses have nothing to decode.
  if (/^[\x20-\x24\x26-\x7E]*$/.test(url)) return undefined;
  const text = decoded(url);
  if (text === undefined) return unreadable();
  if (!text.includes('\0')) return undefined;
  // An id with a NUL is the id of nothing: looking for it finds nothing, acting on it is a mistake.
  const looks = method === 'GET' || method === 'HEAD';
  return looks && decoded(request.path)?.includes('\0') ? new NotFoundError() : unreadable();
}

function decoded(url: string): string | undefined {
  if (!/^[\x20-\x7E]*$/.test(url)) return undefined;
  try {
    return decodeURIComponent(url);
  } catch {
    return undefined;
  }
}

const unreadable = () =>
  new InvalidInputError('URL_UNREADABLE', 'The address is not percent-encoded UTF-8 text');

/** Whether a browser on this origin may call: the listed ones and the service's own. */
export function originAllowed(config: AppConfig, origin: string | undefined): boolean {
  // No Origin header: not a browser, or a page of this very server.
  if (origin === undefined) return true;
  if (config.corsOrigins.includes(origin) || origin === config.ownOrigin) return true;
  return !config.production && config.corsOrigins.includes('*') && /^[\x21-\x7E]+$/.test(origin);
}

const EXPOSED_HEADERS = [
  'Age',
  'Challenge-Site-Key',
  'Content-Disposition',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];
const FOR_ALL =
  lineOf('Access-Control-Allow-Credentials', 'true') +
  lineOf('Access-Control-Expose-Headers', EXPOSED_HEADERS.join(','));

/** Whether an origin is that of the service's own pages: by `PUBLIC_URL`, or by the host that the request names. */
export const ownOrigin =
  ({ ownOrigin: own }: AppConfig) =>
  (origin: string, { headers: { host } }: IncomingMessage): boolean =>
    origin === own || (host !== undefined && hostOf(origin) === host);

/** The host of an origin, `name:port`. */
export function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}

export const VARY_BY_ORIGIN = lineOf('Vary', 'Origin');

/** What an allowed origin is told with every answer. `Vary: Origin` belongs to it. */
export const linesForOrigin = (origin: string | undefined): string =>
  origin === undefined ? FOR_ALL : lineOf('Access-Control-Allow-Origin', origin) + FOR_ALL;

/** Answers preflights, and lets the pages of allowed origins read what they asked for. */
export function allowOrigins(config: AppConfig): RequestHandler {
  const preflight = cors({
    origin: (origin, callback) => {
      callback(null, originAllowed(config, origin));
    },
    credentials: true,
    methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  });
  return (request: Request, response: Response, next: NextFunction) => {
    const { origin } = request.headers;
    if (request.method === 'OPTIONS') preflight(request, response, next);
    else {
      if (originAllowed(config, origin)) {
        response.lines += linesForOrigin(origin) + VARY_BY_ORIGIN;
      }
      next();
    }
  };
}

/** As `switchToHttp()` has it, which makes three functions and an object of them each time it is called. */
export const requestOf = (context: ExecutionContext): Request => context.getArgByIndex<Request>(0);
export const responseOf = (context: ExecutionContext): Response => context.getArgByIndex<Response>(1);
