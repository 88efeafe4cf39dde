import { randomInt } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Secret, TOTP } from 'otpauth';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { fitted } from '../../common/text/text.js';

/** What every authenticator app can do, and many can do nothing else (RFC 6238). */
const ALGORITHM = 'SHA1';
const DIGITS = 6;
const PERIOD_SECONDS = 30;
const CODE = new RegExp(`^[0-9]{${String(DIGITS)}}$`);
/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
/** A phone's clock may be half a minute off, and a person takes time to type. */
const STEPS_AROUND = 1;

/**
 * Bytes of the texts in the address, which apps only show. A QR code holds 2331 letters, each byte may become three of them, and
 * the issuer stands in it twice: this is about a third, so that telephones still read the code from a screen.
 */
const CODE_ROOM = { issuer: 64, label: 120 };

const RECOVERY_CODES = 10;
/** No letter that reads as another; never six digits alone. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const RECOVERY_LENGTH = 10;

/** The arithmetic of the second factor: secrets, their seals, time steps, recovery codes. */
@Injectable()
export class Totp {
  private readonly logger = new Logger('Access');

  constructor(private readonly keys: KeyRing) {}

  newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

  /** The address that an authenticator app reads from a QR code. */
  address(secret: string, issuer: string, label: string): string {
    return new TOTP({
      ...this.rules(secret),
      issuer: fitted(issuer.replaceAll(':', ' '), CODE_ROOM.issuer),
      label: fitted(label, CODE_ROOM.label),
    }).toString();
  }

  /** Sealed for one account: a row's seal says nothing in another row. */
  seal(adminId: string, secret: string): Buffer<ArrayBuffer> {
    return this.keys.seal('totp-seal', `${adminId} ${secret}`);
  }

  /** The secret of an account, or undefined where it was sealed with another `PIN_SECRET`, or for another account. */
  open(adminId: string, sealed: Uint8Array): string | undefined {
    try {
      const [owner, secret] = this.keys.open('totp-seal', sealed).split(' ');
      if (owner === adminId) return secret;
    } catch {
      // Told below.
    }
    this.logger.error(
      `The second factor of admin ${adminId} was sealed with another PIN_SECRET: "npm run admin:seed" resets it`,
    );
    return undefined;
  }

  /** The time step that a code is of, at most one away from now; undefined for a wrong code. */
  stepOf(secret: string, code: string, now = Date.now()): number | undefined {
    // The library compares bytes, and fails where six letters are more than six of them.
    if (!CODE.test(code)) return undefined;
    const delta = new TOTP(this.rules(secret)).validate({
      token: code,
      timestamp: now,
      window: STEPS_AROUND,
    });
    return delta === null ? undefined : Math.floor(now / 1_000 / PERIOD_SECONDS) + delta;
  }

  /** Codes for the day when the phone is lost, such as `7KQ2M-XW4RD`. */
  newRecoveryCodes(): string[] {
    return Array.from({ length: RECOVERY_CODES }, () => {
      const letters = Array.from({ length: RECOVERY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
      return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`;
    });
  }

  /** What may be kept of a recovery code; of a new one the first is. */
  recoveryDigests(adminId: string, code: string): [Buffer<ArrayBuffer>, ...Buffer<ArrayBuffer>[]] {
    return this.keys.digests('recovery-code', `${adminId} ${tidyCode(code)}`);
  }

  private rules(secret: string) {
    return {
      secret: Secret.fromBase32(secret),
      algorithm: ALGORITHM,
      digits: DIGITS,
      period: PERIOD_SECONDS,
    };
  }
}

/** A code without what people type into it: spaces, hyphens, small letters. */
export const tidyCode = (code: string): string => code.replace(/[\s-]/g, '').toUpperCase();
