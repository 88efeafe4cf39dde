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
/**
 * After a refusal, the same address is not requested again for this time, because anyone can send any address in the
 * header.
 */
const REFUSED_MS = 60_000;
const MAX_FETCHES = 4;
/**
 * Maximum number of invalid addresses per minute. Above this number, the service requests only addresses that were
 * valid before.
 */
const MAX_REFUSED = 8;

/** The accepted addresses of certificates, and the names that a certificate may have. */
export interface CertificateSource {
  readonly names: readonly string[];
  allows(url: URL): boolean;
}

/**
 * Returns the accepted source of certificates. For PayPal's live API, it contains only the live hosts; for PayPal's
 * sandbox, only the sandbox hosts. For another `PAYPAL_API_URL`, it contains only this host and port. The source
 * always requires https, except on loopback.
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

/** Public keys that verify webhook signatures, by the address of their certificates. */
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

  /** True if a certificate may come from this address. Sends no request. */
  allows(address: string): boolean {
    return URL.canParse(address) && this.source.allows(new URL(address));
  }

  /**
   * @throws CertificateError if the address or certificate is not PayPal's
   * @throws ProviderUnavailableError if the certificate cannot be fetched now
   */
  async keyAt(address: string): Promise<VerifiedKey['publicKey']> {
    if (!this.allows(address)) throw new CertificateError('the certificate address is not allowed');
    const { href } = new URL(address);
    const known = this.keys.get(href);
    if (known && this.now() >= known.validUntil) this.keys.delete(href);
    // Check this before the cache, so that a refused address cannot remove a valid key from the cache.
    const refusal = this.refused.get(href);
    if (refusal !== undefined) throw new CertificateError(refusal);
    this.refused.purgeStale();
    // Anyone can invent addresses on PayPal's host, so limit the requests that they cause.
    if (!this.keys.has(href) && !this.proven.has(href) && this.refused.size >= MAX_REFUSED)
      throw unavailable(new Error('Too many invalid certificate addresses'));
    const key = await this.keys.fetch(href);
    if (!key) throw unavailable(new Error('Certificate not found'));
    return key.publicKey;
  }

  private async fetchKey(href: string): Promise<VerifiedKey> {
    if (this.fetching >= MAX_FETCHES) throw unavailable(new Error('Too many certificate requests are open'));
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

  /** Reads the file each time, so that a changed file needs no restart. Certificates are rarely fetched. */
  private async anchors(): Promise<readonly X509Certificate[]> {
    if (this.caFile === undefined) return systemRoots();
    try {
      return [...parsePem(await readFile(this.caFile, 'utf8')), ...systemRoots()];
    } catch (error) {
      this.logger.error('Reading PAYPAL_CA_FILE failed; webhook events cannot be verified');
      throw unavailable(error);
    }
  }
}

async function fetchPem(href: string): Promise<string> {
  try {
    const { status, text } = await boundedFetch(href, {}, FETCH_LIMITS);
    if (status >= 500 || status === 429 || status === 408)
      throw unavailable(new Error(`status ${String(status)}`));
    if (status !== 200)
      throw new CertificateError(`the certificate's address returned status ${String(status)}`);
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

/** True if host and port are equal. All names of loopback are equal here. */
function isSameServer(url: URL, apiUrl: URL): boolean {
  if (url.host === apiUrl.host) return true;
  return isLoopback(url.hostname) && isLoopback(apiUrl.hostname) && url.port === apiUrl.port;
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}
