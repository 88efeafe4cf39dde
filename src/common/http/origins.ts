import type { IncomingMessage } from 'node:http';
import cors from 'cors';
import type { RequestHandler, Express, Request } from 'express';
import type { AppConfig } from '../../config/app-config.js';

/** Whether a browser on this origin may call: the listed ones and the service's own. */
export function originAllowed(config: AppConfig, origin: string | undefined): boolean {
  // No Origin header: not a browser, or a page of this very server.
  if (origin === undefined) return true;
  if (config.corsOrigins.includes(origin) || origin === config.serviceOrigin) return true;
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
/** Whether an origin is that of the service's own pages: by `PUBLIC_URL`, or by the host that the request names. */
export const serviceOrigin =
  ({ serviceOrigin: own }: AppConfig) =>
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

/** Answers preflights, and lets the pages of allowed origins read what they asked for. */
export const allowOrigins = (config: AppConfig): RequestHandler =>
  cors({
    origin: (origin, callback) => {
      callback(null, originAllowed(config, origin));
    },
    credentials: true,
    methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  });

const SETTING = 'service address';

/** @param publicUrl the configured address; without one, pages go by the address that they were asked under */
export function setServiceAddress(express: Express, publicUrl: string | undefined): void {
  express.set(SETTING, publicUrl);
}

/** Where this browser reaches the service, without a trailing slash. */
export function serviceAddress(request: Request): string {
  const configured: unknown = request.app.get(SETTING);
  return typeof configured === 'string' ? configured : `${request.protocol}://${request.host}`;
}
