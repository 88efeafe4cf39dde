import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { UnavailableError } from '../common/errors/domain-errors.js';
import { type Line, Semaphore } from '../common/concurrency/concurrency.js';

export const BCRYPT_COST = 12;
/** bcrypt ignores everything after this byte. */
export const MAX_PASSWORD_BYTES = 72;

const LINE: Line = {
  length: 20,
  refusal: () => new UnavailableError('SIGN_IN_BUSY', 'Too many sign-ins at the moment', 2),
};

/** A well-formed hash of the usual cost that no known password fits. */
const NOBODY = '$2b$12$C6UzMDM.H6dfI/f/IKcEeO7ZLkp4r3bPEvIfQmvPBE9YrD3Q5vMmi';

/** Checks passwords of strangers, one at a time. The queue is bounded: when it is full, a sign-in is refused. */
@Injectable()
export class Passwords {
  /**
   * Each takes a core for a fifth of a second: whoever sends passwords from many addresses keeps one busy, never the
   * one that answers everybody else.
   */
  protected readonly turns: Semaphore = new Semaphore(1, LINE);

  /**
   * Whether the password belongs to the hash. Without a hash (no account has that e-mail) the check takes as long
   * and the answer is false.
   * @throws UnavailableError when too many are waiting already
   */
  async matches(password: string, hash: string | undefined): Promise<boolean> {
    const same = await this.turns.run(() => bcrypt.compare(password, hash ?? NOBODY));
    return same && hash !== undefined;
  }
}

/** The lane of trusted devices: strangers who fill the other one do not stop an admin. */
@Injectable()
export class TrustedPasswords extends Passwords {
  protected override readonly turns = new Semaphore(2, LINE);
}

export const hashPassword = (password: string): Promise<string> => bcrypt.hash(password, BCRYPT_COST);
