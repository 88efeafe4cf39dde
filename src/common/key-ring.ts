import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { publicRandomBytes } from './ids.js';

/** What a key is for; each purpose has its own key, derived from `PIN_SECRET`. */
type Purpose = DigestPurpose | SealPurpose;
type DigestPurpose =
  | 'pin-digest'
  | 'donor-key'
  | 'donor-token'
  | 'pledge-token'
  | 'device-token'
  | 'next-refresh-token'
  | 'recovery-code';
type SealPurpose = 'pin-seal' | 'answer-seal' | 'totp-seal' | 'email-seal';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Keyed digests and seals. A changed `PIN_SECRET` makes every PIN, donor key, token of these, seal and recovery code unknown. */
@Injectable()
export class KeyRing {
  private readonly keys = new Map<Purpose, KeyObject>();

  constructor(private readonly config: AppConfig) {}

  /** HMAC-SHA256: equal for equal texts, says nothing about them without the secret. 32 bytes. */
  digest(purpose: DigestPurpose, text: string): Buffer {
    return createHmac('sha256', this.key(purpose)).update(text).digest();
  }

  /** AES-256-GCM: iv, tag, ciphertext. */
  seal(purpose: SealPurpose, text: string): Buffer {
    const iv = publicRandomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key(purpose), iv);
    const sealed = cipher.update(text, 'utf8');
    const rest = cipher.final();
    return Buffer.concat([iv, cipher.getAuthTag(), sealed, rest]);
  }

  /** @throws Error when the seal was made with another secret or was changed. */
  open(purpose: SealPurpose, sealed: Uint8Array): string {
    const bytes = Buffer.from(sealed);
    const decipher = createDecipheriv('aes-256-gcm', this.key(purpose), bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }

  private key(purpose: Purpose): KeyObject {
    let key = this.keys.get(purpose);
    if (!key) {
      const bytes = hkdfSync('sha256', this.config.pinSecret, '', `donations/${purpose}`, 32);
      key = createSecretKey(new Uint8Array(bytes));
      this.keys.set(purpose, key);
    }
    return key;
  }
}
