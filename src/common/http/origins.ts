import cors from 'cors';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { AppConfig } from '../../config/app-config.js';
import { lineOf } from './header-lines.js';

/** Whether a browser on this origin may call: the listed ones and the service's own. */
export function originAllowed(config: AppConfig, origin: string | undefined): boolean {
  // No Origin header: not a browser, or a page of this very server.
  if (origin === undefined) return true;
  if (config.corsOrigins.includes(origin) || origin === config.ownOrigin) return true;
  return !config.production && config.corsOrigins.includes('*') && /^[\x21-\x7E]+$/.test(origin);
}

const EXPOSED_HEADERS = [
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
        response.lines += linesForOrigin(origin);
        response.setHeader('Vary', 'Origin');
      }
      next();
    }
  };
}
