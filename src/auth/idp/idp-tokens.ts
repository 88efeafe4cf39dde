import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { errors, type JWTVerifyResult, jwtVerify } from 'jose';
import { DomainError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import { IdpMetadata } from './idp-metadata.js';
import { providerAway, providerJson, ProviderRefusal } from './provider-http.js';

/** The provider's answer to the authorization code. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly idToken: string;
}

/** The person who signed in at the provider. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** E-mail address in lower case. Undefined if the provider did not verify the address and is not configured as trusted. */
  readonly verifiedEmail: string | undefined;
  /** True if the provider asked for a second factor. */
  readonly secondFactor: boolean;
  /** Time when the person last authenticated at the provider; undefined if the provider does not send it. */
  readonly authenticatedAt: Date | undefined;
}

/** Only public-key signatures. Never a shared secret or `none`. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];
const CLOCK_TOLERANCE_SECONDS = 30;

/** Calls the token endpoint of the provider, checks the ID token, and reads the user information. */
@Injectable()
export class IdpTokens {
  private readonly logger = new Logger(IdpTokens.name);

  constructor(private readonly metadata: IdpMetadata) {}

  /**
   * Exchanges the authorization code for tokens.
   * @param form the parameters of the request, except the code
   */
  async trade(code: string, form: Record<string, string>): Promise<ProviderTokens> {
    const { clientId, clientSecret } = this.metadata.settings();
    const { tokenEndpoint, secretInForm } = await this.metadata.provider();
    const body = new URLSearchParams({ ...form, code });
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (secretInForm) {
      body.set('client_id', clientId);
      body.set('client_secret', clientSecret);
    } else {
      const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
      headers.Authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    }
    const answer = await refusalIs401(providerJson(tokenEndpoint, { method: 'POST', headers, body }));
    const { access_token: accessToken, id_token: idToken } = answer;
    if (typeof accessToken !== 'string' || typeof idToken !== 'string') throw notProven();
    return { accessToken, idToken };
  }

  /**
   * Checks the ID token (signature, issuer, audience, times, nonce, access token) and returns the person of the token.
   * @throws UnauthorizedError IDP_REJECTED
   */
  async identify({ accessToken, idToken }: ProviderTokens, nonce: string): Promise<ProviderIdentity> {
    const { clientId, trustsEmail, trustsSecondFactor } = this.metadata.settings();
    const { payload, protectedHeader } = await this.verified(idToken, clientId);
    const { sub = '', iss: issuer = '', aud, azp, at_hash: accessTokenHash } = payload;
    const problem =
      (sub === '' && 'sub is empty') ||
      (payload.nonce !== nonce && 'nonce belongs to another sign-in') ||
      (azp !== undefined && azp !== clientId && 'azp names another client') ||
      (Array.isArray(aud) && aud.length > 1 && azp === undefined && 'azp is missing') ||
      (accessTokenHash !== undefined &&
        accessTokenHash !== halfHash(accessToken, protectedHeader.alg) &&
        'at_hash belongs to another access token');
    if (problem) throw this.refused(problem);
    const profile = payload.email === undefined ? await this.profile(accessToken, sub) : payload;
    return {
      issuer,
      subject: sub,
      verifiedEmail: verifiedEmail(profile, trustsEmail),
      secondFactor: trustsSecondFactor || saysSecondFactor(payload.amr),
      authenticatedAt:
        typeof payload.auth_time === 'number' ? new Date(payload.auth_time * 1_000) : undefined,
    };
  }

  private async verified(idToken: string, audience: string): Promise<JWTVerifyResult> {
    const { issuer, keys } = await this.metadata.provider();
    try {
      return await jwtVerify(idToken, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['sub', 'exp', 'iat'],
      });
    } catch (error) {
      // The keys could not be fetched, or the answer was not a valid key set.
      if (error instanceof DomainError) throw error;
      if (error instanceof errors.JWKSInvalid) throw providerAway();
      throw this.refused((error as Error).message);
    }
  }

  private refused(reason: string): UnauthorizedError {
    this.logger.warn(`Identity provider's ID token refused: ${reason}`);
    return notProven();
  }

  /** Returns the user information of the provider. Many providers send the e-mail address only there, not in the ID token. */
  private async profile(accessToken: string, subject: string): Promise<Record<string, unknown>> {
    const { userinfoEndpoint } = await this.metadata.provider();
    if (!userinfoEndpoint) return {};
    const headers = { Authorization: `Bearer ${accessToken}`, Accept: 'application/json' };
    const profile = await refusalIs401(providerJson(userinfoEndpoint, { headers }));
    // Ignores an answer whose subject differs from the subject of the ID token.
    return profile.sub === subject ? profile : {};
  }
}

/** True if the authentication methods (RFC 8176) contain `mfa` (several factors). */
const saysSecondFactor = (methods: unknown): boolean => Array.isArray(methods) && methods.includes('mfa');

/** Returns the left half of a text's digest, with the hash algorithm of the signature (OpenID Connect Core, 3.1.3.6). */
const halfHash = (text: string, algorithm: string): string => {
  const digest = createHash(`sha${algorithm.slice(2)}`)
    .update(text)
    .digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
};

/** @param trusted true if the address counts as verified without `email_verified`, because Entra ID never sends this field */
function verifiedEmail(
  { email, email_verified: verified }: Record<string, unknown>,
  trusted: boolean,
): string | undefined {
  const vouched = verified === true || verified === 'true' || (verified === undefined && trusted);
  return vouched && typeof email === 'string' ? email.normalize('NFC').trim().toLowerCase() : undefined;
}

async function refusalIs401<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ProviderRefusal) throw notProven();
    throw error;
  }
}

const notProven = () =>
  new UnauthorizedError('IDP_REJECTED', 'The identity provider did not confirm this sign-in; start again');
