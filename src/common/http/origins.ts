import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { AppConfig } from '../../config/app-config.js';

/** Whether a browser on this origin may call: the listed ones and the service's own. */
export function originAllowed(config: AppConfig, origin: string | undefined): boolean {
  // No Origin header: not a browser, or a page of this very server.
  if (origin === undefined) return true;
  if (config.corsOrigins.includes(origin) || origin === config.ownOrigin) return true;
  return !config.production && config.corsOrigins.includes('*');
}

export const EXPOSED_HEADERS = [
  'Challenge-Site-Key',
  'Content-Disposition',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];

export const corsOptions = (config: AppConfig): CorsOptions => ({
  origin: (origin: string | undefined, callback: (error: Error | null, allow?: boolean) => void) => {
    callback(null, originAllowed(config, origin));
  },
  credentials: true,
  methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  exposedHeaders: EXPOSED_HEADERS,
  maxAge: 600,
});
