import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { PayPalConfig } from './paypal-environment.js';
import { answerCache } from '../../../common/caching/answer-cache.js';
import { ProviderUnavailableError } from '../provider-errors.js';
import { boundedFetch, FetchFailure } from './bounded-fetch.js';
import {
  CertificateError,
  parsePem,
  systemRoots,
  type VerifiedKey,
  verifyChain,
} from './certificate-chain.js';

const LIVE = {
  hosts: ['api.paypal.com', 'api-m.paypal.com'],
  name: 'messageverificationcerts.paypal.com',
} as const;
const TESTING = {
  hosts: ['api.sandbox.paypal.com', 'api-m.sandbox.paypal.com'],
  name: 'messageverificationcerts.sandbox.paypal.com',
} as const;

const CERTIFICATE_PATH = /^\/v1\/notifications\/certs\/[\w-]{1,128}$/;
const FETCH_LIMITS = { timeoutMs: 5_000, maxBytes: 64 * 1024 };
const KEPT_MS = 6 * 3600 * 1000;
/** A refused address is not asked again for so long: the header is anybody's to write. */
const REFUSED_MS = 60_000;
const MAX_FETCHES = 4;
/** So many unknown addresses a minute are found wrong; then only those that proved good before are asked. */
const MAX_REFUSED = 8;

/** From where certificates may come, and which name they must carry. */
export interface CertificateSource {
  readonly names: readonly string[];
  allows(url: URL): boolean;
}

/**
 * PayPal's own hosts for its live and its testing environment, never mixed; with another `PAYPAL_API_URL` that
 * host and port alone. https, except on loopback.
 */
export function certificateSource(apiUrl: URL): CertificateSource {
  const official = [LIVE, TESTING].find(({ hosts }) => hosts.some((host) => host === apiUrl.host));
  if (official) {
    const allowed: readonly string[] = official.hosts;
    return {
      names: [official.name],
      allows: (url) => isPlain(url) && url.protocol === 'https:' && allowed.includes(url.host),
    };
  }
  return {
    names: [LIVE.name, TESTING.name],
    allows: (url) =>
      isPlain(url) &&
      (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
      isSameServer(url, apiUrl),
  };
}

/** The public keys that webhooks are signed with, by the address of their certificate. */
export class PayPalCertificates {
  private readonly logger = new Logger('PayPal');
  private readonly source: CertificateSource;
  private readonly caFile: string | undefined;
  private readonly keys = answerCache<string, VerifiedKey>({ max: 16, keptMs: KEPT_MS }, (href) =>
    this.fetchKey(href),
  );
  private readonly refused = new LRUCache<string, string>({ max: 256, ttl: REFUSED_MS });
  private readonly proven = new LRUCache<string, true>({ max: 64 });
  private fetching = 0;

  constructor(
    config: Pick<PayPalConfig, 'apiUrl' | 'caFile'>,
    private readonly now: () => number = Date.now,
  ) {
    this.source = certificateSource(config.apiUrl);
    this.caFile = config.caFile;
  }

  /** Whether a certificate may come from this address at all; asks nobody. */
  allows(address: string): boolean {
    return URL.canParse(address) && this.source.allows(new URL(address));
  }

  /**
   * @throws CertificateError for an address or certificate that is not PayPal's
   * @throws ProviderUnavailableError when the certificate cannot be had just now
   */
  async keyAt(address: string): Promise<VerifiedKey['publicKey']> {
    if (!this.allows(address)) throw new CertificateError('the certificate address is not allowed');
    const { href } = new URL(address);
    const known = this.keys.get(href);
    if (known && this.now() >= known.validUntil) this.keys.delete(href);
    // Before the cache: what is refused must not push a good key out of it.
    const refusal = this.refused.get(href);
    if (refusal !== undefined) throw new CertificateError(refusal);
    this.refused.purgeStale();
    // Anybody can make up addresses on PayPal's host: they must not make us call it without end.
    if (!this.keys.has(href) && !this.proven.has(href) && this.refused.size >= MAX_REFUSED)
      throw unavailable(new Error('too many made-up certificate addresses'));
    const key = await this.keys.fetch(href);
    if (!key) throw unavailable(new Error('no certificate was found'));
    return key.publicKey;
  }

  private async fetchKey(href: string): Promise<VerifiedKey> {
    if (this.fetching >= MAX_FETCHES) throw unavailable(new Error('too many certificates are being fetched'));
    this.fetching++;
    try {
      const chain = parsePem(await fetchPem(href));
      const key = verifyChain(chain, await this.anchors(), this.source.names, this.now());
      this.proven.set(href, true);
      return key;
    } catch (error) {
      if (error instanceof CertificateError) this.refused.set(href, error.message);
      throw error;
    } finally {
      this.fetching--;
    }
  }

  /** Read each time, so that a changed file needs no restart; certificates are seldom fetched. */
  private async anchors(): Promise<readonly X509Certificate[]> {
    if (this.caFile === undefined) return systemRoots();
    try {
      return [...parsePem(await readFile(this.caFile, 'utf8')), ...systemRoots()];
    } catch (error) {
      this.logger.error('PAYPAL_CA_FILE cannot be read: webhooks cannot be verified');
      throw unavailable(error);
    }
  }
}

async function fetchPem(href: string): Promise<string> {
  try {
    const { status, text } = await boundedFetch(href, {}, FETCH_LIMITS);
    if (status >= 500 || status === 429 || status === 408)
      throw unavailable(new Error(`status ${String(status)}`));
    if (status !== 200) throw new CertificateError(`the certificate's address answers ${String(status)}`);
    return text;
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error;
    if (error.kind === 'too-large') throw new CertificateError('the certificate is too large');
    throw unavailable(error);
  }
}

const unavailable = (cause: unknown) => new ProviderUnavailableError('PayPal', { cause });

function isPlain(url: URL): boolean {
  return (
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '' &&
    CERTIFICATE_PATH.test(url.pathname)
  );
}

/** The same host and port; the names of loopback are one host. */
function isSameServer(url: URL, apiUrl: URL): boolean {
  if (url.host === apiUrl.host) return true;
  return isLoopback(url.hostname) && isLoopback(apiUrl.hostname) && url.port === apiUrl.port;
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}
