import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { UnavailableError } from '../common/errors/domain-errors.js';

export const BCRYPT_COST = 12;
/** bcrypt reads no further. */
export const MAX_PASSWORD_BYTES = 72;

/** Each takes a thread of the pool for a fifth of a second; more at a time would slow everything else. */
const AT_ONCE = 2;
const WAITING = 20;

/** Well formed, of the usual cost, and the hash of nothing anybody knows. */
const NOBODY = '$2b$12$C6UzMDM.H6dfI/f/IKcEeO7ZLkp4r3bPEvIfQmvPBE9YrD3Q5vMmi';

/** Checks passwords, at most two at a time; refuses rather than queue without end. */
@Injectable()
export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /**
   * Whether the password belongs to the hash. Without a hash (nobody has that e-mail) it takes as long and is false.
   * @throws UnavailableError when too many are waiting already
   */
  async matches(password: string, hash: string | undefined): Promise<boolean> {
    await this.turn();
    try {
      const same = await bcrypt.compare(password, hash ?? NOBODY);
      return same && hash !== undefined;
    } finally {
      // A turn is handed on, not given back: nobody can slip in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private async turn(): Promise<void> {
    if (this.running < AT_ONCE) {
      this.running++;
      return;
    }
    if (this.waiting.length >= WAITING)
      throw new UnavailableError('SIGN_IN_BUSY', 'Too many sign-ins at the moment', 2);
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}

export const hashPassword = (password: string): Promise<string> => bcrypt.hash(password, BCRYPT_COST);
