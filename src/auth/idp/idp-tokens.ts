import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { UnauthorizedError } from '../../common/errors/domain-errors.js';
import { IdpMetadata } from './idp-metadata.js';
import { providerJson, ProviderRefusal } from './provider-http.js';

/** What the provider gave for the authorization code. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly idToken: string;
}

/** Who signed in at the provider. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Lower case; undefined unless the provider vouches for it. */
  readonly verifiedEmail: string | undefined;
}

/** Signatures that a public key checks; never a shared secret, never none. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'] as const;

/** The token endpoint, the ID token and the user information of the provider. */
@Injectable()
export class IdpTokens {
  private readonly jwt = new JwtService({});

  constructor(private readonly metadata: IdpMetadata) {}

  /**
   * Trades the authorization code.
   * @param form `code_verifier` and `redirect_uri` besides the code
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

  /** Checks the ID token's signature, issuer, audience, expiry and nonce. */
  async identify({ accessToken, idToken }: ProviderTokens, nonce: string): Promise<ProviderIdentity> {
    const { clientId } = this.metadata.settings();
    const { issuer } = await this.metadata.provider();
    const claims = await this.verified(idToken, issuer, clientId);
    const { sub, nonce: said, azp } = claims;
    if (typeof sub !== 'string' || sub === '' || said !== nonce) throw notProven();
    if (azp !== undefined && azp !== clientId) throw notProven();
    const profile = claims.email === undefined ? await this.profile(accessToken, sub) : claims;
    return { issuer, subject: sub, verifiedEmail: verifiedEmail(profile) };
  }

  private async verified(
    idToken: string,
    issuer: string,
    audience: string,
  ): Promise<Record<string, unknown>> {
    // Null for what is no token, whatever the types say.
    const decoded: unknown = this.jwt.decode(idToken, { complete: true });
    const { header } = (decoded ?? {}) as { header?: { kid?: unknown } };
    const key = typeof header?.kid === 'string' ? await this.metadata.key(header.kid) : undefined;
    if (!key) throw notProven();
    try {
      const verifier = new JwtService({ secretOrKeyProvider: () => key });
      const claims = verifier.verify<Record<string, unknown>>(idToken, {
        algorithms: [...ALGORITHMS],
        issuer,
        audience,
        clockTolerance: 30,
      });
      if (typeof claims.exp !== 'number') throw notProven();
      return claims;
    } catch {
      throw notProven();
    }
  }

  /** Many providers tell the e-mail address only here. */
  private async profile(accessToken: string, subject: string): Promise<Record<string, unknown>> {
    const { userinfoEndpoint } = await this.metadata.provider();
    if (!userinfoEndpoint) return {};
    const headers = { Authorization: `Bearer ${accessToken}`, Accept: 'application/json' };
    const profile = await refusalIs401(providerJson(userinfoEndpoint, { headers }));
    // The answer must be about the person of the ID token.
    return profile.sub === subject ? profile : {};
  }
}

function verifiedEmail({ email, email_verified: verified }: Record<string, unknown>): string | undefined {
  const vouched = verified === true || verified === 'true';
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
