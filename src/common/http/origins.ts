import type { IncomingMessage } from 'node:http';
import cors from 'cors';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { AppConfig } from '../../config/app-config.js';
import { lineOf } from './answers.js';

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
