import type { IncomingMessage } from 'node:http';
import cors from 'cors';
import type { RequestHandler, Express, Request } from 'express';
import type { AppConfig } from '../../config/app-config.js';

/** True if a browser on this origin may call the API: the configured origins and the service's own. */
export function originAllowed(config: AppConfig, origin: string | undefined): boolean {
  // No Origin header: not a browser, or a page of this server.
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
/** True if an origin is that of the service's own pages: by `PUBLIC_URL`, or by the host of the request. */
export const serviceOrigin =
  ({ serviceOrigin: own }: AppConfig) =>
  (origin: string, { headers: { host } }: IncomingMessage): boolean =>
    origin === own || (host !== undefined && hostOf(origin) === host);

/** Returns the host of an origin, `name:port`. */
export function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}

/** Answers preflights, and allows pages of allowed origins to read the answers. */
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

/** @param publicUrl the configured address; without it, the address of each request is used */
export function setServiceAddress(express: Express, publicUrl: string | undefined): void {
  express.set(SETTING, publicUrl);
}

/** Returns the address of the service for this browser, without a trailing slash. */
export function serviceAddress(request: Request): string {
  const configured: unknown = request.app.get(SETTING);
  return typeof configured === 'string' ? configured : `${request.protocol}://${request.host}`;
}
