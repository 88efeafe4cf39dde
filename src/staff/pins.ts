import { randomInt } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { KeyRing } from '../common/crypto/key-ring.js';

/** Six at least: with fewer, the guesses that are free would be worth something. */
const PIN = /^\d{6,10}$/;

/** Shorter PINs of earlier times stay good, and may be sent back as they were read. */
export const KEPT_PIN = /^\d{4,10}$/;

export const LONG_PIN = 'must be 6 to 10 digits';

/**
 * What is wrong with a chosen PIN, as the end of a sentence, or undefined.
 * @param mayBeShort whether only enrolled terminals may sign in: guesses need one of them then
 */
export function pinProblem(pin: string, mayBeShort: boolean): string | undefined {
  if (mayBeShort) return KEPT_PIN.test(pin) ? undefined : 'must be 4 to 10 digits';
  return PIN.test(pin) ? undefined : LONG_PIN;
}

/** Both forms in which a PIN is kept. */
export interface KeptPin {
  /** Found by; unique. */
  readonly digest: Buffer<ArrayBuffer>;
  /** Shown to admins from. */
  readonly sealed: Buffer<ArrayBuffer>;
}

/** Makes, keeps and shows PINs; in clear they exist only here and on the admin's screen. */
@Injectable()
export class Pins {
  private readonly logger = new Logger(Pins.name);
  private warned = false;

  constructor(private readonly keys: KeyRing) {}

  /** Six digits, evenly distributed. */
  generate(): string {
    return String(randomInt(1_000_000)).padStart(6, '0');
  }

  keep(pin: string): KeptPin {
    return { digest: this.keys.digest('pin-digest', pin), sealed: this.keys.seal('pin-seal', pin) };
  }

  /** The digests that a member with this PIN may be kept under; more than one while `PIN_SECRET` is replaced. */
  digests(pin: string): Buffer<ArrayBuffer>[] {
    return this.keys.digests('pin-digest', pin);
  }

  /** The PIN in clear, or null where it was sealed with a secret that this process does not have. */
  show(sealed: Uint8Array): string | null {
    try {
      return this.keys.open('pin-seal', sealed);
    } catch {
      if (!this.warned) this.logger.warn('A PIN was sealed with another PIN_SECRET: members need new PINs');
      this.warned = true;
      return null;
    }
  }
}
