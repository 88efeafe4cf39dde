import type { Request, Response } from 'express';
import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';
import { InvalidInputError } from '../../common/errors/domain-errors.js';
import type { IdpConfig } from '../../config/app-config.js';
import type { ProviderMetadata } from './idp-metadata.js';
import type { IdpStateStore, SignInState } from './idp-state.store.js';
import type { IdpTokens, ProviderTokens } from './idp-tokens.js';

/** The provider's answer to a sign-in that this browser started. */
export interface ConfirmedSignIn {
  readonly tokens: ProviderTokens;
  readonly state: SignInState;
}

/**
 * The authorization code flow with state and PKCE, and an ID token with a nonce. The library makes the authorization request.
 * `IdpTokens` exchanges the code, because the library's token request has no timeout and hides the provider's error.
 */
export class IdpStrategy extends OAuth2Strategy {
  private readonly callbackUrl: string;

  constructor(
    config: IdpConfig,
    provider: ProviderMetadata,
    private readonly store: IdpStateStore,
    private readonly tokens: IdpTokens,
  ) {
    super(
      {
        authorizationURL: provider.authorizationEndpoint,
        tokenURL: provider.tokenEndpoint,
        clientID: config.clientId,
        clientSecret: config.clientSecret,
        callbackURL: config.callbackUrl.href,
        scope: ['openid', 'email'],
        // The library calls this method with a PKCE verifier, but its types lack this signature.
        store: store as unknown as OAuth2Strategy.StateStore,
        pkce: true,
        state: true,
        skipUserProfile: true,
      },
      () => {
        throw new Error('The code is exchanged in authenticate()');
      },
    );
    this.callbackUrl = config.callbackUrl.href;
  }

  override authenticate(request: Request, options?: { state?: SignInState }): void {
    const { code, state } = request.query;
    if (typeof code !== 'string') {
      super.authenticate(request, options);
      return;
    }
    this.confirm(request, code, state).then(
      (confirmed) => {
        this.success(confirmed);
      },
      (error: unknown) => {
        this.error(error);
      },
    );
  }

  override authorizationParams({ state }: { state?: SignInState }): object {
    if (!state) return {};
    // A provider that supports `max_age` sends the time of authentication in `auth_time`.
    return { nonce: state.nonce, ...(state.again ? { prompt: 'login', max_age: '0' } : {}) };
  }

  private async confirm(request: Request, code: string, given: unknown): Promise<ConfirmedSignIn> {
    const started = this.store.take(request, given);
    if (!started)
      throw new InvalidInputError(
        'IDP_STATE_UNKNOWN',
        'This sign-in was not started in this browser, or too long ago',
      );
    const tokens = await this.tokens.trade(code, {
      grant_type: 'authorization_code',
      redirect_uri: this.callbackUrl,
      code_verifier: started.verifier,
    });
    return { tokens, state: started.state };
  }
}

/** Redirects the browser to the provider. */
export async function sendToProvider(
  strategy: IdpStrategy,
  state: SignInState,
  request: Request,
  response: Response,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    response.once('finish', resolve);
    authenticate(strategy, { state }, reject)(request, response, reject);
  });
}

/**
 * Exchanges the authorization code in the callback.
 * @throws InvalidInputError IDP_STATE_UNKNOWN if this browser did not start the sign-in
 */
export async function confirmedSignIn(
  strategy: IdpStrategy,
  request: Request,
  response: Response,
): Promise<ConfirmedSignIn> {
  return await new Promise((resolve, reject) => {
    const done = (error: Error, confirmed?: ConfirmedSignIn) => {
      if (confirmed) resolve(confirmed);
      else reject(error);
    };
    authenticate(strategy, {}, done)(request, response, reject);
  });
}

type Done = (error: Error, confirmed?: ConfirmedSignIn) => void;
type Handler = (request: Request, response: Response, next: (error: unknown) => void) => void;

const authenticate = (strategy: IdpStrategy, options: object, done: Done) =>
  passport.authenticate(strategy, { session: false, ...options }, done) as Handler;
