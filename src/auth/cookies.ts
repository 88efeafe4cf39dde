import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { AppConfig } from '../config/app-config.js';
import type { IssuedToken } from './sessions/refresh-tokens.service.js';

export const cookiesNeedTls = (config: AppConfig): boolean =>
  config.production || config.publicUrl.startsWith('https:');

/**
 * The name of a cookie. With the prefix a browser takes it over TLS only, so that no page on plain http, of this host
 * or a sister one, can plant it. `__Host-` would do more but lets no cookie be kept to one path.
 */
export const cookieName = (config: AppConfig, name: string): string =>
  cookiesNeedTls(config) ? `__Secure-${name}` : name;

/** Keeps the refresh token where no script can read it and no other site can make the browser send it. */
@Injectable()
export class RefreshCookie {
  private readonly name: string;
  private readonly options: CookieOptions;

  constructor(config: AppConfig) {
    this.name = cookieName(config, 'refresh_token');
    this.options = {
      httpOnly: true,
      sameSite: 'strict',
      secure: cookiesNeedTls(config),
      path: '/auth',
    };
  }

  read(request: Request): string | undefined {
    const value = (request.cookies as Record<string, unknown>)[this.name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  keep(response: Response, { token, expiresAt }: IssuedToken): void {
    response.cookie(this.name, token, { ...this.options, expires: expiresAt });
  }

  clear(response: Response): void {
    response.clearCookie(this.name, this.options);
  }
}
