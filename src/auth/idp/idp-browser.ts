import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { cookieName, cookiesNeedTls } from '../cookies.js';

const GOOD_FOR_MS = 5 * 60_000;
const FORM = /^[\w-]{43}$/;

/**
 * A secret in a cookie of the browser that returned from the identity provider. The one-time code works only together with this
 * secret. So another person who sees the code in an address cannot use the code in another browser.
 */
@Injectable()
export class IdpBrowser {
  private readonly name: string;
  private readonly options: CookieOptions;

  constructor(config: AppConfig) {
    this.name = cookieName(config, 'idp_code');
    const needsTls = cookiesNeedTls(config);
    this.options = {
      httpOnly: true,
      // The page that exchanges the code may be on another site (`IDP_SUCCESS_URL`).
      sameSite: needsTls ? 'none' : 'lax',
      secure: needsTls,
      path: '/auth/idp',
    };
  }

  /** @returns a new secret; the browser keeps the secret as long as a code can be valid */
  mark(response: Response): string {
    const secret = randomBytes(32).toString('base64url');
    response.cookie(this.name, secret, { ...this.options, maxAge: GOOD_FOR_MS });
    return secret;
  }

  /** Returns the secret of a browser. Returns an empty text if the browser never returned from the provider. */
  secretOf(request: Request): string {
    const value = (request.cookies as Record<string, unknown>)[this.name];
    return typeof value === 'string' && FORM.test(value) ? value : '';
  }

  forget(response: Response): void {
    response.clearCookie(this.name, this.options);
  }
}
