import type { AppConfig } from '../config/app-config.js';

/** Where a cookie of ours is sent to, also when the service lives below a path of its host. */
export const cookiePath = (config: AppConfig, path: string): string =>
  new URL(config.publicUrl).pathname.replace(/\/+$/, '') + path;

export const cookiesNeedTls = (config: AppConfig): boolean =>
  config.production || config.publicUrl.startsWith('https:');
