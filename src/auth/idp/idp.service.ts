import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ForbiddenError, InvalidInputError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import type { AdminSession } from '../dto/session.dto.js';
import type { ExchangeCode } from '../dto/sign-in.dto.js';
import { SignInService } from '../sign-in.service.js';
import { IdpAdmins } from './idp-admins.service.js';
import { IdpBrowser } from './idp-browser.js';
import { IdpMetadata } from './idp-metadata.js';
import { IdpStateStore, type SignInState } from './idp-state.store.js';
import { confirmedSignIn, IdpStrategy, sendToProvider } from './idp.strategy.js';
import { IdpTokens, type ProviderIdentity } from './idp-tokens.js';
import { isFresh } from '../confirmations.service.js';
import { SignInCodes } from './sign-in-codes.service.js';

/** Sign-in of admins and accountants with an OpenID provider: the redirect, the callback and the session. */
@Injectable()
export class IdpService {
  constructor(
    private readonly metadata: IdpMetadata,
    private readonly store: IdpStateStore,
    private readonly tokens: IdpTokens,
    private readonly admins: IdpAdmins,
    private readonly codes: SignInCodes,
    private readonly browser: IdpBrowser,
    private readonly signIns: SignInService,
  ) {}

  /**
   * Redirects the browser to the provider.
   * @param again true if the person must authenticate again, even if the person already has a session at the provider
   */
  async start(request: Request, response: Response, again = false): Promise<void> {
    this.metadata.settings();
    if (Object.keys(request.query).length > 0)
      throw new InvalidInputError('QUERY_UNEXPECTED', 'Start the sign-in without parameters');
    const state = { nonce: randomBytes(24).toString('base64url'), again };
    await sendToProvider(await this.strategy(), state, request, response);
  }

  /**
   * Handles the return from the provider. Redirects to `IDP_SUCCESS_URL` with a one-time code. Answers with the session if that
   * address is not configured and no second factor is needed.
   */
  async finish(request: Request, response: Response): Promise<void> {
    const { successUrl } = this.metadata.settings();
    refuseErrors(request.query);
    const { tokens, state } = await confirmedSignIn(await this.strategy(), request, response);
    const identity = confirmedBy(await this.tokens.identify(tokens, state.nonce), state);
    const signIn = await this.admins.find(identity);
    response.setHeader('Cache-Control', 'no-store');
    if (successUrl || signIn.asksSecondFactor) {
      const target = new URL(this.metadata.signInPage);
      target.searchParams.set('code', await this.codes.issue(signIn, this.browser.mark(response)));
      response.redirect(target.href);
    } else {
      response.json(await this.signIns.start(signIn.admin, response, signIn.idp));
    }
  }

  /** Returns the session for a one-time code and, if the account needs one, a code of the authenticator app. */
  async exchange({ code, totp }: ExchangeCode, request: Request, response: Response): Promise<AdminSession> {
    this.metadata.settings();
    const { admin, idp } = await this.codes.use(
      code,
      totp ?? undefined,
      this.browser.secretOf(request),
      request,
    );
    this.browser.forget(response);
    return await this.signIns.start(admin, response, idp);
  }

  /** Creates a strategy for each request. Creating the object takes little time, and the provider's metadata is cached. */
  private async strategy(): Promise<IdpStrategy> {
    return new IdpStrategy(this.metadata.settings(), await this.metadata.provider(), this.store, this.tokens);
  }
}

/**
 * Returns the identity. If a new authentication was requested, checks that the person has just authenticated. Some providers
 * send no time of authentication; the current time is then used.
 * @throws UnauthorizedError IDP_REJECTED
 */
function confirmedBy(identity: ProviderIdentity, { again }: SignInState): ProviderIdentity {
  if (!again) return identity;
  const { authenticatedAt = new Date() } = identity;
  if (!isFresh(authenticatedAt))
    throw new UnauthorizedError(
      'IDP_REJECTED',
      'The identity provider did not authenticate you again; sign out there and try again',
    );
  return { ...identity, authenticatedAt };
}

/** Throws if the provider refused or the parameters are incomplete. */
function refuseErrors({ error, code, state }: Request['query']): void {
  if (error !== undefined) {
    if (error === 'access_denied')
      throw new ForbiddenError('IDP_DENIED', 'The sign-in was cancelled at the identity provider');
    throw new InvalidInputError('IDP_ERROR', 'The identity provider answered with an error; start again');
  }
  if (typeof code !== 'string' || typeof state !== 'string' || code === '' || state === '')
    throw answerIncomplete();
}

const answerIncomplete = () =>
  new InvalidInputError('IDP_ANSWER_INCOMPLETE', 'code and state are missing: start at /auth/idp');
