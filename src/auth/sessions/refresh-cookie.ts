import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { cookieName, cookiesNeedTls } from '../cookies.js';
import type { IssuedToken } from './refresh-tokens.service.js';

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
