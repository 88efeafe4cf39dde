import { randomInt } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { KeyRing } from '../common/crypto/key-ring.js';

/** Least number of digits of a new PIN. A shorter PIN could be found with the allowed number of guesses. */
export const PIN_DIGITS = 6;
const PIN = new RegExp(`^\\d{${PIN_DIGITS},10}$`);

/** Least number of digits of older, shorter PINs, which stay valid. Clients may send them back unchanged. */
export const KEPT_PIN_DIGITS = 4;
export const KEPT_PIN = new RegExp(`^\\d{${KEPT_PIN_DIGITS},10}$`);

export const LONG_PIN = 'must be 6 to 10 digits';

/**
 * Returns the problem of a chosen PIN, as the end of a sentence; undefined if the PIN is valid.
 * @param mayBeShort true if staff may sign in only on enrolled terminals, because guesses are then possible only on such a
 * terminal
 */
export function pinProblem(pin: string, mayBeShort: boolean): string | undefined {
  if (mayBeShort) return KEPT_PIN.test(pin) ? undefined : 'must be 4 to 10 digits';
  return PIN.test(pin) ? undefined : LONG_PIN;
}

/** The two stored forms of a PIN. */
export interface KeptPin {
  /** Keyed digest of the PIN, to find a member. Unique. */
  readonly digest: Buffer<ArrayBuffer>;
  /** The encrypted PIN. It is decrypted to show the PIN to admins. */
  readonly sealed: Buffer<ArrayBuffer>;
}

/** Creates, stores and decrypts PINs. PINs are in clear text only in this class and on the admin's screen. */
@Injectable()
export class Pins {
  private readonly logger = new Logger(Pins.name);
  private warned = false;

  constructor(private readonly keys: KeyRing) {}

  /** Returns six random digits, evenly distributed. */
  generate(): string {
    return String(randomInt(1_000_000)).padStart(6, '0');
  }

  keep(pin: string): KeptPin {
    return { digest: this.keys.digest('pin-digest', pin), sealed: this.keys.seal('pin-seal', pin) };
  }

  /** Returns the possible stored digests of a PIN. There are two while `PIN_SECRET` is replaced. */
  digests(pin: string): Buffer<ArrayBuffer>[] {
    return this.keys.digests('pin-digest', pin);
  }

  /** Returns the PIN in clear text; null if the PIN was encrypted with a secret that this process does not have. */
  show(sealed: Uint8Array): string | null {
    try {
      return this.keys.open('pin-seal', sealed);
    } catch {
      if (!this.warned)
        this.logger.warn('A PIN was encrypted with another PIN_SECRET; its member needs a new PIN');
      this.warned = true;
      return null;
    }
  }
}
