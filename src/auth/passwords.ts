import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { UnavailableError } from '../common/errors/domain-errors.js';

export const BCRYPT_COST = 12;
/** bcrypt ignores everything after this byte. */
export const MAX_PASSWORD_BYTES = 72;

const WAITING = 20;

/** A well-formed hash of the usual cost that no known password fits. */
const NOBODY = '$2b$12$C6UzMDM.H6dfI/f/IKcEeO7ZLkp4r3bPEvIfQmvPBE9YrD3Q5vMmi';

/** Checks passwords, at most two at a time. The queue is bounded: when it is full, a sign-in is refused. */
@Injectable()
export class Passwords {
  /** Each takes a thread of the pool for a fifth of a second; more at a time would slow everything else. */
  protected readonly atOnce: number = 2;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /**
   * Whether the password belongs to the hash. Without a hash (no account has that e-mail) the check takes as long
   * and the answer is false.
   * @throws UnavailableError when too many are waiting already
   */
  async matches(password: string, hash: string | undefined): Promise<boolean> {
    await this.turn();
    try {
      const same = await bcrypt.compare(password, hash ?? NOBODY);
      return same && hash !== undefined;
    } finally {
      // The next one in the queue takes this turn directly, so that no newcomer can take it first.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private async turn(): Promise<void> {
    if (this.running < this.atOnce) {
      this.running++;
      return;
    }
    if (this.waiting.length >= WAITING)
      throw new UnavailableError('SIGN_IN_BUSY', 'Too many sign-ins at the moment', 2);
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}

/** The lane of trusted devices: strangers who fill the other one do not stop an admin. */
@Injectable()
export class TrustedPasswords extends Passwords {
  protected override readonly atOnce = 1;
}

export const hashPassword = (password: string): Promise<string> => bcrypt.hash(password, BCRYPT_COST);
