import type { Request } from 'express';
import OAuth2Strategy from 'passport-oauth2';
import { DomainError, InvalidInputError } from '../../common/errors/domain-errors.js';
import type { IdpConfig } from '../../config/app-config.js';
import type { ProviderMetadata } from './idp-metadata.js';
import type { IdpStateStore, SignInState } from './idp-state.store.js';
import type { IdpTokens, ProviderTokens } from './idp-tokens.js';

/** As passport-oauth2 calls it. The ID token takes the place of the refresh token, which is not used. */
type TokenCallback = (error: unknown, accessToken?: string, idToken?: string, parameters?: object) => void;

/** Where one step of the flow led. */
export type FlowStep =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'confirmed'; readonly tokens: ProviderTokens; readonly state: SignInState };

/** The authorization code flow with state and PKCE, asking for an ID token with a nonce. */
export class IdpStrategy extends OAuth2Strategy {
  constructor(config: IdpConfig, provider: ProviderMetadata, store: IdpStateStore, tokens: IdpTokens) {
    super(
      {
        authorizationURL: provider.authorizationEndpoint,
        tokenURL: provider.tokenEndpoint,
        clientID: config.clientId,
        clientSecret: config.clientSecret,
        callbackURL: config.callbackUrl.href,
        scope: ['openid', 'email'],
        // The types lack the forms with a PKCE verifier, which the library calls.
        store: store as unknown as OAuth2Strategy.StateStore,
        pkce: true,
        state: true,
        skipUserProfile: true,
      },
      (accessToken: string, idToken: string, _profile: unknown, done: OAuth2Strategy.VerifyCallback) => {
        done(null, { accessToken, idToken } satisfies ProviderTokens);
      },
    );
    // The library's own request has no time-out and hides what went wrong.
    Object.assign(this._oauth2, {
      getOAuthAccessToken: (code: string, form: Record<string, string>, done: TokenCallback) => {
        tokens.trade(code, form).then(
          ({ accessToken, idToken }) => {
            done(null, accessToken, idToken, {});
          },
          (error: unknown) => {
            done(error);
          },
        );
      },
    });
  }

  /**
   * Takes the next step: to the provider when the request has no `code`, else the trade of that code.
   * @throws InvalidInputError IDP_STATE_UNKNOWN when the answer is not to a question of this browser
   */
  async step(request: Request, state?: SignInState): Promise<FlowStep> {
    return await new Promise((resolve, reject) => {
      // As passport does it: one object for each request, whose methods receive the outcome.
      const attempt = Object.create(this) as this;
      attempt.redirect = (url) => {
        resolve({ kind: 'redirect', url });
      };
      attempt.success = (tokens: unknown, info?: { state?: SignInState }) => {
        const known = info?.state ?? { nonce: '', again: false };
        resolve({ kind: 'confirmed', tokens: tokens as ProviderTokens, state: known });
      };
      attempt.fail = () => {
        reject(
          new InvalidInputError(
            'IDP_STATE_UNKNOWN',
            'This sign-in was not started in this browser, or too long ago',
          ),
        );
      };
      attempt.error = (error: Error & { oauthError?: unknown }) => {
        // The library wraps the error of the token request.
        reject(error.oauthError instanceof DomainError ? error.oauthError : error);
      };
      attempt.authenticate(request, { state });
    });
  }

  override authorizationParams({ state }: { state?: SignInState }): object {
    if (!state) return {};
    // A provider that knows `max_age` says in `auth_time` when the person showed who they are.
    return { nonce: state.nonce, ...(state.again ? { prompt: 'login', max_age: '0' } : {}) };
  }
}
