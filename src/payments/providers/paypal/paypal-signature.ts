import { createHash, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { WebhookSignatureError } from '../provider-errors.js';
import type { PayPalConfig } from './paypal-environment.js';
import { CertificateError } from './certificate-chain.js';
import { PayPalCertificates } from './paypal-certificates.js';
import type { PayPalClient } from './paypal-client.js';
import { parseJson } from './paypal-events.js';
import { verificationSchema } from './paypal-objects.js';

/**
 * Maximum age of an event. PayPal retries a delivery for three days, and its documents do not specify if a retry has
 * a new signature. So events of the last three days are accepted. A replayed event is harmless: the service handles
 * each event once, and then only reads the current state.
 */
const MAX_AGE_MS = (3 * 24 + 6) * 3600 * 1000;
/** PayPal's clock may be ahead of our clock for at most this time. */
const MAX_AHEAD_MS = 10 * 60 * 1000;

const FORGED_MS = 10 * 60 * 1000;

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
const BASE64 = /^[A-Za-z0-9+/]{4,1366}={0,2}$/;

/** The signature headers of a webhook event. */
export interface Transmission {
  readonly id: string;
  readonly time: string;
  readonly signature: string;
  readonly certificateUrl: string;
  readonly algorithm: string;
}

/** Verifies the signature of a webhook event, either in this process or with PayPal's `verify-webhook-signature`. */
export class PayPalSignature {
  private readonly certificates: PayPalCertificates;
  /** Digests of events that PayPal has just rejected, so that a repeat of an event needs no further request to PayPal. */
  private readonly forged = new LRUCache<string, true>({ max: 1_000, ttl: FORGED_MS });

  constructor(
    private readonly config: Pick<PayPalConfig, 'apiUrl' | 'caFile' | 'verification' | 'webhookId'>,
    private readonly client: PayPalClient,
    private readonly now: () => number = Date.now,
  ) {
    this.certificates = new PayPalCertificates(config, now);
  }

  /**
   * @throws WebhookSignatureError (400)
   * @throws ProviderUnavailableError if the certificate or PayPal's own check is unavailable
   */
  async verify(body: Buffer, headers: IncomingHttpHeaders): Promise<void> {
    const transmission = readTransmission(headers);
    if (!transmission) throw new WebhookSignatureError('a header is missing or malformed');
    if (transmission.algorithm !== 'SHA256withRSA')
      throw new WebhookSignatureError('the algorithm is not SHA256withRSA');
    const age = this.now() - Date.parse(transmission.time);
    if (!(age <= MAX_AGE_MS && age >= -MAX_AHEAD_MS))
      throw new WebhookSignatureError('the transmission time is out of bounds', 'clock');
    const problem = await (this.config.verification === 'api'
      ? this.problemByPayPal(body, transmission)
      : this.problemByCertificate(body, transmission));
    if (problem !== undefined) throw new WebhookSignatureError(problem, 'signature');
  }

  private async problemByCertificate(body: Buffer, transmission: Transmission): Promise<string | undefined> {
    try {
      const key = await this.certificates.keyAt(transmission.certificateUrl);
      const signed = Buffer.from(signedText(transmission, this.config.webhookId, body));
      const good = verify('sha256', signed, key, Buffer.from(transmission.signature, 'base64'));
      return good ? undefined : 'the signature does not match';
    } catch (error) {
      if (error instanceof CertificateError) return error.message;
      throw error;
    }
  }

  private async problemByPayPal(body: Buffer, transmission: Transmission): Promise<string | undefined> {
    // Insert the body unchanged, because any change, even of spaces, changes the checksum. The body must be one JSON
    // object, so that it cannot add fields to the outer request.
    const event = parseJson(body);
    if (typeof event !== 'object' || event === null || Array.isArray(event))
      return 'the body is not a JSON object';
    const request = JSON.stringify({
      auth_algo: transmission.algorithm,
      cert_url: transmission.certificateUrl,
      transmission_id: transmission.id,
      transmission_sig: transmission.signature,
      transmission_time: transmission.time,
      webhook_id: this.config.webhookId,
    });
    if (!this.certificates.allows(transmission.certificateUrl))
      return 'the certificate address is not allowed';
    const text = `${request.slice(0, -1)},"webhook_event":${body.toString('utf8')}}`;
    const asked = createHash('sha256').update(text).digest('base64url');
    if (this.forged.has(asked)) return 'PayPal did not confirm the signature a moment ago';
    const path = '/v1/notifications/verify-webhook-signature';
    const { verification_status: status } = await this.client.post(path, text, verificationSchema);
    if (status === 'SUCCESS') return undefined;
    this.forged.set(asked, true);
    return 'PayPal does not confirm the signature';
  }
}

/** Returns the text that PayPal signs: `<transmission id>|<time>|<webhook id>|<CRC32 of the body, unsigned decimal>`. */
export function signedText(
  { id, time }: Pick<Transmission, 'id' | 'time'>,
  webhookId: string,
  body: Buffer,
): string {
  return [id, time, webhookId, String(crc32(body))].join('|');
}

/** Returns the five headers; undefined if one is missing, duplicated or malformed. */
export function readTransmission(headers: IncomingHttpHeaders): Transmission | undefined {
  const id = single(headers, 'paypal-transmission-id', /^[\w-]{1,64}$/);
  const time = single(headers, 'paypal-transmission-time', RFC3339);
  const signature = single(headers, 'paypal-transmission-sig', BASE64);
  const certificateUrl = single(headers, 'paypal-cert-url', /^\S{1,500}$/);
  const algorithm = single(headers, 'paypal-auth-algo', /^\w{1,64}$/);
  if (!id || !time || !signature || !certificateUrl || !algorithm) return undefined;
  return { id, time, signature, certificateUrl, algorithm };
}

function single(headers: IncomingHttpHeaders, name: string, form: RegExp): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && form.test(value) ? value : undefined;
}
