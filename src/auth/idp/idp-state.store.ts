import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { cookieName, cookiesNeedTls } from '../cookies.js';
import { AccessTokens } from '../tokens.js';

/** Time for a person to sign in at the provider. */
const GOOD_FOR_SECONDS = 600;

/** State of an unfinished sign-in. */
export interface SignInState {
  readonly nonce: string;
  /** True if the provider must authenticate the person again, even if the person already has a session there. */
  readonly again: boolean;
}

/** A sign-in that this browser started. */
export interface StartedSignIn {
  /** PKCE code verifier. */
  readonly verifier: string;
  readonly state: SignInState;
}

type Stored = (error: Error | null, state?: string) => void;
/**
 * Stores state, PKCE verifier and nonce in a signed cookie of the browser that started the sign-in. The cookie is valid for ten
 * minutes and one use. It is `Lax`, because the browser must send the cookie when it returns from the provider.
 */
@Injectable()
export class IdpStateStore {
  private readonly name: string;
  private readonly options: CookieOptions;

  constructor(
    config: AppConfig,
    private readonly tokens: AccessTokens,
  ) {
    this.name = cookieName(config, 'idp_state');
    this.options = {
      httpOnly: true,
      sameSite: 'lax',
      secure: cookiesNeedTls(config),
      path: '/auth/idp',
    };
  }

  /** Keep all parameters: passport-oauth2 chooses how to call this method by their number. */
  store(request: Request, verifier: string, state: SignInState, _meta: unknown, done: Stored): void {
    const handle = randomBytes(24).toString('base64url');
    const value = this.tokens.signFor(
      'idp-state',
      { handle, verifier, nonce: state.nonce, again: state.again },
      GOOD_FOR_SECONDS,
    );
    request.res?.cookie(this.name, value, { ...this.options, maxAge: GOOD_FOR_SECONDS * 1_000 });
    done(null, handle);
  }

  /**
   * Returns the sign-in that this browser started. Returns undefined in another browser, at a second use, and after ten
   * minutes.
   */
  take(request: Request, given: unknown): StartedSignIn | undefined {
    request.res?.clearCookie(this.name, this.options);
    const cookie = (request.cookies as Record<string, unknown>)[this.name];
    const claims = typeof cookie === 'string' ? this.tokens.readFor('idp-state', cookie) : undefined;
    const { handle, verifier, nonce, again } = claims ?? {};
    const known = typeof handle === 'string' && typeof verifier === 'string' && typeof nonce === 'string';
    if (!known || typeof given !== 'string' || !same(handle, given)) return undefined;
    return { verifier, state: { nonce, again: again === true } };
  }
}

const same = (one: string, other: string): boolean =>
  Buffer.byteLength(one) === Buffer.byteLength(other) &&
  timingSafeEqual(Buffer.from(one), Buffer.from(other));
