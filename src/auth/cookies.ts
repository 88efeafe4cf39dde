import type { AppConfig } from '../config/app-config.js';

/** The path of a cookie; `PUBLIC_URL` may have a path of its own. */
export const cookiePath = (config: AppConfig, path: string): string =>
  new URL(config.publicUrl).pathname.replace(/\/+$/, '') + path;

export const cookiesNeedTls = (config: AppConfig): boolean =>
  config.production || config.publicUrl.startsWith('https:');
