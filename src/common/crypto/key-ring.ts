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

/** What a key is for; each purpose has its own key for each value of `PIN_SECRET`. */
type Purpose = DigestPurpose | SealPurpose | 'donor-key';
type DigestPurpose =
  'pin-digest' | 'donor-token' | 'pledge-token' | 'device-token' | 'next-refresh-token' | 'recovery-code';
export type SealPurpose = 'pin-seal' | 'answer-seal' | 'totp-seal' | 'email-seal' | 'kept-key-seal';

/** The text of a seal, and whether the first value of `PIN_SECRET` opened it. */
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
 * Keyed digests and seals. The first value of `PIN_SECRET` makes them; while it is replaced, those of the second are
 * good as well. The digests that count donors have one key for ever, which the database keeps.
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

  /** HMAC-SHA256: equal for equal texts, says nothing about them without the secret. 32 bytes. */
  digest(purpose: DigestPurpose, text: string): Buffer<ArrayBuffer> {
    return hmac(this.key(purpose, this.secrets[0]), text);
  }

  /** The digests of a text by every value, that of the first value first: to look up what any of them made. */
  digests(purpose: DigestPurpose, text: string): [Buffer<ArrayBuffer>, ...Buffer<ArrayBuffer>[]] {
    const [first, ...others] = this.secrets;
    return [
      hmac(this.key(purpose, first), text),
      ...others.map((secret) => hmac(this.key(purpose, secret), text)),
    ];
  }

  /** Whether `mac` begins the digest of the text by any value, compared in constant time. */
  isDigest(purpose: DigestPurpose, text: string, mac: Uint8Array): boolean {
    return this.digests(purpose, text)
      .map((digest) => timingSafeEqual(digest.subarray(0, mac.length), mac))
      .includes(true);
  }

  /**
   * The digest that counts a donor once, whichever value is in use.
   * @throws UnavailableError while its key was not read from the database
   */
  donorDigest(text: string): Buffer {
    if (this.donorKeyIsMissing)
      throw new UnavailableError('DEPENDENCY_UNAVAILABLE', 'The key of donors was not read yet; try again');
    return hmac(this.donorKey ?? this.key('donor-key', this.secrets[0]), text);
  }

  /** The keys for donors that the values give, the first value's first; one of them is kept for ever. */
  donorKeysByValue(): DonorKey[] {
    return this.secrets.map((secret) => {
      const key = this.key('donor-key', secret);
      return { bytes: key.export(), digest: (text) => hmac(key, text) };
    });
  }

  /** @param key the kept one; undefined where it cannot be opened: the first value gives it */
  useDonorKey(key: Buffer | undefined): void {
    this.donorKey = key && createSecretKey(key);
    this.donorKeyIsMissing = false;
  }

  /** A donor counted by another key would be counted twice: none is counted until the kept key is read. */
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

  /** @throws Error when the seal was made with another secret or was changed. */
  open(purpose: SealPurpose, sealed: Uint8Array): string {
    const opened = this.tryOpen(purpose, sealed);
    if (!opened) throw new Error('The seal was made with another PIN_SECRET, or was changed');
    return opened.text;
  }

  /** Undefined when no value opens the seal. */
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
