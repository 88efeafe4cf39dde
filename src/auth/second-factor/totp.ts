import { randomInt } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Secret, TOTP } from 'otpauth';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { fitted } from '../../common/text/text.js';

/** Every authenticator app supports these settings; many apps support only these (RFC 6238). */
const ALGORITHM = 'SHA1';
const DIGITS = 6;
const PERIOD_SECONDS = 30;
const CODE = new RegExp(`^[0-9]{${String(DIGITS)}}$`);
/** Length of a new secret: RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
/** Accepts codes of the previous and the next 30 seconds, for inexact phone clocks and slow typing. */
const STEPS_AROUND = 1;

/**
 * Maximum bytes of the issuer and of the label in the address. A QR code has room for 2331 letters. Each byte can become three
 * letters, and the issuer appears twice. The maximum uses about a third of the room, so that phones can still read the code
 * from a screen.
 */
const CODE_ROOM = { issuer: 64, label: 120 };

const RECOVERY_CODES = 10;
/** Letters and digits without characters that people confuse. A recovery code is longer than the six digits of an app code. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const RECOVERY_LENGTH = 10;

/** Cryptography of the second factor: secrets and their encryption, time steps, recovery codes. */
@Injectable()
export class Totp {
  private readonly logger = new Logger('Access');

  constructor(private readonly keys: KeyRing) {}

  newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

  /** Returns the address for the QR code of an authenticator app. */
  address(secret: string, issuer: string, label: string): string {
    return new TOTP({
      ...this.rules(secret),
      issuer: fitted(issuer.replaceAll(':', ' '), CODE_ROOM.issuer),
      label: fitted(label, CODE_ROOM.label),
    }).toString();
  }

  /** Encrypts a secret for one account. `open` does not accept the ciphertext for another account. */
  seal(adminId: string, secret: string): Buffer<ArrayBuffer> {
    return this.keys.seal('totp-seal', `${adminId} ${secret}`);
  }

  /** Returns the secret of an account, or undefined if it was encrypted with another `PIN_SECRET` or for another account. */
  open(adminId: string, sealed: Uint8Array): string | undefined {
    try {
      const [owner, secret] = this.keys.open('totp-seal', sealed).split(' ');
      if (owner === adminId) return secret;
    } catch {
      // Told below.
    }
    this.logger.error(
      `Second factor of admin ${adminId} was encrypted with another PIN_SECRET: "npm run admin:seed" resets it`,
    );
    return undefined;
  }

  /** Returns the time step of a code, at most one step before or after the current step. Returns undefined for a wrong code. */
  stepOf(secret: string, code: string, now = Date.now()): number | undefined {
    // The library compares bytes and throws an error if six characters have more than six bytes.
    if (!CODE.test(code)) return undefined;
    const delta = new TOTP(this.rules(secret)).validate({
      token: code,
      timestamp: now,
      window: STEPS_AROUND,
    });
    return delta === null ? undefined : Math.floor(now / 1_000 / PERIOD_SECONDS) + delta;
  }

  /** Returns new recovery codes, such as `7KQ2M-XW4RD`. A user without the phone signs in with a recovery code. */
  newRecoveryCodes(): string[] {
    return Array.from({ length: RECOVERY_CODES }, () => {
      const letters = Array.from({ length: RECOVERY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
      return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`;
    });
  }

  /** Returns the possible stored digests of a recovery code. New codes are stored with the first digest. */
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

/** Removes spaces and hyphens from a typed code, and changes it to upper case. */
export const tidyCode = (code: string): string => code.replace(/[\s-]/g, '').toUpperCase();
