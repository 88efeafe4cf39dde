import type { IncomingMessage } from 'node:http';
import cors from 'cors';
import type { RequestHandler, Express, Request } from 'express';
import type { AppConfig } from '../../config/app-config.js';

/** True if a browser page of this origin may call the API. Allowed are the configured origins and the service's own origin. */
export function originAllowed(config: AppConfig, origin: string | undefined): boolean {
  // Requests without an `Origin` header come from programs or from pages of this server.
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
/** True for the origin of the service's own pages: the origin of `PUBLIC_URL`, or the host of the request. */
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

/** Answers CORS preflight requests, and allows pages of allowed origins to read the answers. */
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

/** @param publicUrl the configured address; if absent, the service uses the address of each request */
export function setServiceAddress(express: Express, publicUrl: string | undefined): void {
  express.set(SETTING, publicUrl);
}

/** Returns the address of the service as this browser uses it, without a trailing slash. */
export function serviceAddress(request: Request): string {
  const configured: unknown = request.app.get(SETTING);
  return typeof configured === 'string' ? configured : `${request.protocol}://${request.host}`;
}
