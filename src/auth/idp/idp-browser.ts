import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { cookieName, cookiesNeedTls } from '../cookies.js';

const GOOD_FOR_MS = 5 * 60_000;
const FORM = /^[\w-]{43}$/;

/**
 * A secret in the browser that returned from the identity provider. The one-time code works only with this secret, so a code
 * from an address that was seen by, or sent to, another person works in no other browser.
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

  /** @returns a new secret, which the browser keeps for the longest lifetime of a code */
  mark(response: Response): string {
    const secret = randomBytes(32).toString('base64url');
    response.cookie(this.name, secret, { ...this.options, maxAge: GOOD_FOR_MS });
    return secret;
  }

  /** Returns the secret of a browser; empty if it never returned from the provider. */
  secretOf(request: Request): string {
    const value = (request.cookies as Record<string, unknown>)[this.name];
    return typeof value === 'string' && FORM.test(value) ? value : '';
  }

  forget(response: Response): void {
    response.clearCookie(this.name, this.options);
  }
}
