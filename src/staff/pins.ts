import { randomInt } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { KeyRing } from '../common/crypto/key-ring.js';

/** At least six digits: with fewer, the allowed number of guesses could find a PIN. */
const PIN = /^\d{6,10}$/;

/** Older, shorter PINs stay valid and may be sent back unchanged. */
export const KEPT_PIN = /^\d{4,10}$/;

export const LONG_PIN = 'must be 6 to 10 digits';

/**
 * The error in a chosen PIN, as the end of a sentence; undefined if it is valid.
 * @param mayBeShort true if only enrolled terminals may sign in: a guess then needs such a terminal
 */
export function pinProblem(pin: string, mayBeShort: boolean): string | undefined {
  if (mayBeShort) return KEPT_PIN.test(pin) ? undefined : 'must be 4 to 10 digits';
  return PIN.test(pin) ? undefined : LONG_PIN;
}

/** The two stored forms of a PIN. */
export interface KeptPin {
  /** Used to find a member; unique. */
  readonly digest: Buffer<ArrayBuffer>;
  /** Encrypted PIN, decrypted to show it to admins. */
  readonly sealed: Buffer<ArrayBuffer>;
}

/** Creates, stores and decrypts PINs. They are in clear text only here and on the admin's screen. */
@Injectable()
export class Pins {
  private readonly logger = new Logger(Pins.name);
  private warned = false;

  constructor(private readonly keys: KeyRing) {}

  /** Six random digits, evenly distributed. */
  generate(): string {
    return String(randomInt(1_000_000)).padStart(6, '0');
  }

  keep(pin: string): KeptPin {
    return { digest: this.keys.digest('pin-digest', pin), sealed: this.keys.seal('pin-seal', pin) };
  }

  /** The possible stored digests of a PIN; more than one during the rotation of `PIN_SECRET`. */
  digests(pin: string): Buffer<ArrayBuffer>[] {
    return this.keys.digests('pin-digest', pin);
  }

  /** The PIN in clear text; null if it was encrypted with a secret that this process does not have. */
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
