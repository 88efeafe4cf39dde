import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { AppConfig } from '../config/app-config.js';
import type { IssuedToken } from './sessions/refresh-tokens.service.js';

export const cookiesNeedTls = (config: AppConfig): boolean =>
  config.production || config.publicUrl.startsWith('https:');

/**
 * Returns the name of a cookie, with the prefix `__Secure-` if TLS is needed. Browsers accept a cookie with
 * this prefix only over TLS. So no plain-HTTP page of this host or a sister host can set the cookie. The
 * prefix `__Host-` is stricter, but does not allow a path.
 */
export const cookieName = (config: AppConfig, name: string): string =>
  cookiesNeedTls(config) ? `__Secure-${name}` : name;

/** Stores the refresh token in a cookie that scripts cannot read and that browsers do not send for other sites. */
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
