import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { UnavailableError } from '../errors/domain-errors.js';
import { publicRandomBytes } from './ids.js';

/** Purpose of a key. Each purpose has its own key for each value of `PIN_SECRET`. */
type Purpose = DigestPurpose | SealPurpose | 'donor-key';
type DigestPurpose =
  'pin-digest' | 'donor-token' | 'pledge-token' | 'device-token' | 'next-refresh-token' | 'recovery-code';
export type SealPurpose = 'pin-seal' | 'answer-seal' | 'totp-seal' | 'email-seal' | 'kept-key-seal';

/** A decrypted text, and true if the first value of `PIN_SECRET` decrypted it. */
interface Opened {
  readonly text: string;
  readonly byFirst: boolean;
}

interface DonorKey {
  readonly bytes: Buffer;
  readonly digest: (text: string) => Buffer<ArrayBuffer>;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Keyed digests and encryption. The first value of `PIN_SECRET` makes them. During a replacement, those of the second value are
 * valid too. The digests that count donors use one permanent key, stored in the database.
 */
@Injectable()
export class KeyRing {
  private readonly secrets: readonly [string, ...string[]];
  private readonly keys = new Map<string, KeyObject>();
  private donorKey: KeyObject | undefined;
  private donorKeyIsMissing = false;

  constructor({ pinSecret, pinSecretBefore }: AppConfig) {
    this.secrets = pinSecretBefore === undefined ? [pinSecret] : [pinSecret, pinSecretBefore];
  }

  get hasTwoValues(): boolean {
    return this.secrets.length > 1;
  }

  /** HMAC-SHA256, 32 bytes: equal for equal texts, reveals nothing about them without the secret. */
  digest(purpose: DigestPurpose, text: string): Buffer<ArrayBuffer> {
    return hmac(this.key(purpose, this.secrets[0]), text);
  }

  /** Returns the digests of a text by every value, the first value first, to look up a digest made by any of them. */
  digests(purpose: DigestPurpose, text: string): [Buffer<ArrayBuffer>, ...Buffer<ArrayBuffer>[]] {
    const [first, ...others] = this.secrets;
    return [
      hmac(this.key(purpose, first), text),
      ...others.map((secret) => hmac(this.key(purpose, secret), text)),
    ];
  }

  /** True if `mac` is the beginning of the text's digest by any value; compared in constant time. */
  isDigest(purpose: DigestPurpose, text: string, mac: Uint8Array): boolean {
    return this.digests(purpose, text)
      .map((digest) => timingSafeEqual(digest.subarray(0, mac.length), mac))
      .includes(true);
  }

  /**
   * Returns the digest for counting a donor once, independent of the current value.
   * @throws UnavailableError until its key was read from the database
   */
  donorDigest(text: string): Buffer {
    if (this.donorKeyIsMissing)
      throw new UnavailableError('DEPENDENCY_UNAVAILABLE', 'The donor key is not loaded yet; try again');
    return hmac(this.donorKey ?? this.key('donor-key', this.secrets[0]), text);
  }

  /** Donor keys derived from the values, the first value's first. One of them is stored permanently. */
  donorKeysByValue(): DonorKey[] {
    return this.secrets.map((secret) => {
      const key = this.key('donor-key', secret);
      return { bytes: key.export(), digest: (text) => hmac(key, text) };
    });
  }

  /** @param key the stored key; undefined if it cannot be decrypted: the key is then derived from the first value */
  useDonorKey(key: Buffer | undefined): void {
    this.donorKey = key && createSecretKey(key);
    this.donorKeyIsMissing = false;
  }

  /** Stops digests until the stored key is read: with another key, a donor would be counted twice. */
  awaitDonorKey(): void {
    this.donorKeyIsMissing = true;
  }

  /** AES-256-GCM: iv, tag, ciphertext. */
  seal(purpose: SealPurpose, text: string): Buffer<ArrayBuffer> {
    const iv = publicRandomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key(purpose, this.secrets[0]), iv);
    const sealed = cipher.update(text, 'utf8');
    const rest = cipher.final();
    return Buffer.concat([iv, cipher.getAuthTag(), sealed, rest]);
  }

  /** @throws Error if the text was encrypted with another secret or was changed */
  open(purpose: SealPurpose, sealed: Uint8Array): string {
    const opened = this.tryOpen(purpose, sealed);
    if (!opened) throw new Error('The text was encrypted with another PIN_SECRET, or was changed');
    return opened.text;
  }

  /** Undefined if no value decrypts the text. */
  tryOpen(purpose: SealPurpose, sealed: Uint8Array): Opened | undefined {
    for (const [index, secret] of this.secrets.entries()) {
      const text = unsealed(this.key(purpose, secret), Buffer.from(sealed));
      if (text !== undefined) return { text, byFirst: index === 0 };
    }
    return undefined;
  }

  private key(purpose: Purpose, secret: string): KeyObject {
    const name = `${purpose} ${secret}`;
    let key = this.keys.get(name);
    if (!key) {
      key = createSecretKey(derived(purpose, secret));
      this.keys.set(name, key);
    }
    return key;
  }
}

const derived = (purpose: Purpose, secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `donations/${purpose}`, 32));

const hmac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest();

function unsealed(key: KeyObject, bytes: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
