import { Injectable, Logger } from '@nestjs/common';
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { NotFoundError } from '../../common/errors/domain-errors.js';
import { AppConfig, type IdpConfig } from '../../config/app-config.js';
import { providerAway, providerJson, ProviderRefusal } from './provider-http.js';

/** The fields of an OpenID provider's metadata that this service uses. */
export interface ProviderMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string | undefined;
  /** URL of the public keys that sign the provider's ID tokens. */
  readonly keys: JWTVerifyGetKey;
  /** True if the token request sends the client secret in the form, false if in the Authorization header. */
  readonly secretInForm: boolean;
}

const FRESH_MS = 60 * 60_000;

/** The identity provider's metadata. Fetched at first use and cached for an hour. */
@Injectable()
export class IdpMetadata {
  private readonly logger = new Logger(IdpMetadata.name);
  private readonly discovered = new LRUCache<string, ProviderMetadata>({
    max: 1,
    ttl: FRESH_MS,
    fetchMethod: (issuer) => this.discover(issuer),
  });

  constructor(private readonly config: AppConfig) {}

  /** @throws NotFoundError IDP_NOT_CONFIGURED */
  settings(): IdpConfig {
    if (!this.config.idp)
      throw new NotFoundError('IDP_NOT_CONFIGURED', 'Sign-in with an identity provider is not configured');
    return this.config.idp;
  }

  /** Returns the page on which an unfinished sign-in continues: the configured dashboard, or the built-in one. */
  get signInPage(): URL {
    return this.config.idp?.successUrl ?? new URL(`${this.config.publicUrl}/admin`);
  }

  /** Returns the provider's metadata. Concurrent callers share one request. A failure is not cached. */
  async provider(): Promise<ProviderMetadata> {
    return await this.discovered.forceFetch(this.settings().issuer.href.replace(/\/+$/, ''));
  }

  private async discover(issuer: string): Promise<ProviderMetadata> {
    return this.read(await providerJson(`${issuer}/.well-known/openid-configuration`), issuer);
  }

  private read(document: Record<string, unknown>, issuer: string): ProviderMetadata {
    const problem = metadataProblem(document, issuer);
    if (problem !== undefined) {
      this.logger.error(`IDP_ISSUER ${problem}`);
      throw providerAway();
    }
    const text = (name: string) => textOf(document, name) ?? '';
    const methods = document.token_endpoint_auth_methods_supported;
    return {
      issuer: text('issuer'),
      authorizationEndpoint: text('authorization_endpoint'),
      tokenEndpoint: text('token_endpoint'),
      keys: keySet(text('jwks_uri')),
      userinfoEndpoint: textOf(document, 'userinfo_endpoint'),
      secretInForm: Array.isArray(methods) && !methods.includes('client_secret_basic'),
    };
  }
}

const textOf = (document: Record<string, unknown>, name: string): string | undefined =>
  typeof document[name] === 'string' ? document[name] : undefined;

/** Returns the problem of a provider's metadata, in one line; undefined if it is usable. */
export function metadataProblem(document: Record<string, unknown>, issuer: string): string | undefined {
  const isComplete =
    textOf(document, 'authorization_endpoint') &&
    textOf(document, 'token_endpoint') &&
    URL.canParse(textOf(document, 'jwks_uri') ?? '');
  if (!isComplete) return 'leads to incomplete metadata of an identity provider';
  return textOf(document, 'issuer')?.replace(/\/+$/, '') === issuer
    ? undefined
    : 'differs from the issuer that the identity provider names';
}

/** jose caches the keys for ten minutes. If a key is unknown, jose fetches the keys again, at most every 30 seconds. */
const keySet = (jwksUri: string): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(jwksUri), {
    [customFetch]: async (url, { headers }) => {
      try {
        return Response.json(await providerJson(url, { headers }));
      } catch (error) {
        throw error instanceof ProviderRefusal ? providerAway() : error;
      }
    },
  });
