import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { NotFoundError } from '../../common/errors/domain-errors.js';
import { AppConfig, type IdpConfig } from '../../config/app-config.js';
import { providerAway, providerJson } from './provider-http.js';

/** What an OpenID provider says about itself, as far as it is used here. */
export interface ProviderMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string | undefined;
  readonly jwksUri: string;
  /** Whether the client's secret goes into the form instead of the Authorization header. */
  readonly secretInForm: boolean;
}

const FRESH_MS = 60 * 60_000;
/** An unknown key makes us look again, but not at every forged token. */
const KEYS_AT_LEAST_MS = 30_000;

/** Discovery and signing keys of the identity provider, fetched when needed and kept for an hour. */
@Injectable()
export class IdpMetadata {
  private readonly logger = new Logger(IdpMetadata.name);
  private metadata: { value: ProviderMetadata; at: number } | undefined;
  private keys: { value: Map<string, KeyObject>; at: number } | undefined;

  constructor(private readonly config: AppConfig) {}

  /** @throws NotFoundError IDP_NOT_CONFIGURED */
  settings(): IdpConfig {
    if (!this.config.idp)
      throw new NotFoundError('IDP_NOT_CONFIGURED', 'Sign-in with an identity provider is not configured');
    return this.config.idp;
  }

  async provider(): Promise<ProviderMetadata> {
    if (this.metadata && Date.now() - this.metadata.at < FRESH_MS) return this.metadata.value;
    const { issuer } = this.settings();
    const base = issuer.href.replace(/\/+$/, '');
    const document = await providerJson(`${base}/.well-known/openid-configuration`);
    const value = this.read(document, base);
    this.metadata = { value, at: Date.now() };
    return value;
  }

  /** The public key with this id; undefined when the provider has none such. */
  async key(id: string): Promise<KeyObject | undefined> {
    const age = this.keys ? Date.now() - this.keys.at : Infinity;
    const known = this.keys?.value.get(id);
    if (known && age < FRESH_MS) return known;
    if (age < KEYS_AT_LEAST_MS) return undefined;
    const { jwksUri } = await this.provider();
    const { keys } = await providerJson(jwksUri);
    this.keys = { value: readKeys(keys), at: Date.now() };
    return this.keys.value.get(id);
  }

  private read(document: Record<string, unknown>, issuer: string): ProviderMetadata {
    const text = (name: string) => (typeof document[name] === 'string' ? document[name] : undefined);
    const authorizationEndpoint = text('authorization_endpoint');
    const tokenEndpoint = text('token_endpoint');
    const jwksUri = text('jwks_uri');
    const said = text('issuer');
    if (!authorizationEndpoint || !tokenEndpoint || !jwksUri || said?.replace(/\/+$/, '') !== issuer) {
      this.logger.error(
        'The identity provider describes itself incompletely, or as another issuer than IDP_ISSUER',
      );
      throw providerAway();
    }
    const methods = document.token_endpoint_auth_methods_supported;
    return {
      issuer: said,
      authorizationEndpoint,
      tokenEndpoint,
      jwksUri,
      userinfoEndpoint: text('userinfo_endpoint'),
      secretInForm: Array.isArray(methods) && !methods.includes('client_secret_basic'),
    };
  }
}

function readKeys(keys: unknown): Map<string, KeyObject> {
  const found = new Map<string, KeyObject>();
  for (const key of Array.isArray(keys) ? (keys as (JsonWebKey & { kid?: unknown; use?: unknown })[]) : []) {
    if (typeof key.kid !== 'string' || (key.use !== undefined && key.use !== 'sig')) continue;
    try {
      found.set(key.kid, createPublicKey({ key, format: 'jwk' }));
    } catch {
      // A kind of key that this Node does not know cannot have signed anything we accept.
    }
  }
  return found;
}
