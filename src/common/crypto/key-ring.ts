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

/** Purpose of a key. There is a separate key for each purpose and each value of `PIN_SECRET`. */
type Purpose = DigestPurpose | SealPurpose | 'donor-key';
type DigestPurpose =
  | 'pin-digest'
  | 'donor-token'
  | 'pledge-token'
  | 'pledge-email-token'
  | 'guest-token'
  | 'tribute-token'
  | 'rehearsal-token'
  | 'device-token'
  | 'next-refresh-token'
  | 'recovery-code';
export type SealPurpose =
  'pin-seal' | 'answer-seal' | 'totp-seal' | 'email-seal' | 'kept-key-seal' | 'receipt-seal' | 'webhook-seal';

/** A decrypted text. `byFirst` is true if the first value of `PIN_SECRET` decrypted the text. */
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
 * Keyed digests and encryption. New digests and ciphertexts use the first value of `PIN_SECRET`. During a replacement, digests
 * and ciphertexts of the second value are valid too. The digests for counting donors use one permanent key from the database.
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

  /**
   * Returns the HMAC-SHA256, 32 bytes. Equal texts have equal digests. A digest reveals nothing about the text without the
   * secret.
   */
  digest(purpose: DigestPurpose, text: string): Buffer<ArrayBuffer> {
    return hmac(this.key(purpose, this.secrets[0]), text);
  }

  /**
   * Returns one digest of a text for each value of `PIN_SECRET`, the first value's digest first. Use these digests to look up a
   * stored digest.
   */
  digests(purpose: DigestPurpose, text: string): [Buffer<ArrayBuffer>, ...Buffer<ArrayBuffer>[]] {
    const [first, ...others] = this.secrets;
    return [
      hmac(this.key(purpose, first), text),
      ...others.map((secret) => hmac(this.key(purpose, secret), text)),
    ];
  }

  /** True if `mac` is the beginning of the text's digest with any value of `PIN_SECRET`. Compares in constant time. */
  isDigest(purpose: DigestPurpose, text: string, mac: Uint8Array): boolean {
    return this.digests(purpose, text)
      .map((digest) => timingSafeEqual(digest.subarray(0, mac.length), mac))
      .includes(true);
  }

  /**
   * Returns the digest for counting a donor once, independent of the current `PIN_SECRET`.
   * @throws UnavailableError until the donor key has been read from the database
   */
  donorDigest(text: string): Buffer {
    if (this.donorKeyIsMissing)
      throw new UnavailableError('DEPENDENCY_UNAVAILABLE', 'The donor key is not loaded yet; try again');
    return hmac(this.donorKey ?? this.key('donor-key', this.secrets[0]), text);
  }

  /**
   * Returns the donor keys derived from the values of `PIN_SECRET`, the first value's key first. The database stores one of
   * these keys permanently.
   */
  donorKeysByValue(): DonorKey[] {
    return this.secrets.map((secret) => {
      const key = this.key('donor-key', secret);
      return { bytes: key.export(), digest: (text) => hmac(key, text) };
    });
  }

  /**
   * Sets the donor key.
   * @param key the stored key; undefined if no value decrypts the stored key, so that the key is derived from the first value
   */
  useDonorKey(key: Buffer | undefined): void {
    this.donorKey = key && createSecretKey(key);
    this.donorKeyIsMissing = false;
  }

  /** Refuses donor digests until the stored key is read, because a donor would be counted twice with another key. */
  awaitDonorKey(): void {
    this.donorKeyIsMissing = true;
  }

  /** Encrypts a text with AES-256-GCM. The result contains the initialization vector, the tag and the ciphertext. */
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

  /** Decrypts a text. Returns undefined if no value of `PIN_SECRET` decrypts the text. */
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
