import type { AppConfig } from '../config/app-config.js';

export const cookiesNeedTls = (config: AppConfig): boolean =>
  config.production || config.publicUrl.startsWith('https:');

/**
 * The name of a cookie. With the prefix a browser takes it over TLS only, so that no page on plain http, of this host
 * or a sister one, can plant it. `__Host-` would do more but lets no cookie be kept to one path.
 */
export const cookieName = (config: AppConfig, name: string): string =>
  cookiesNeedTls(config) ? `__Secure-${name}` : name;
