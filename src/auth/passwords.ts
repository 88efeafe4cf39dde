import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { UnavailableError } from '../common/errors/domain-errors.js';
import { type Line, Semaphore } from '../common/concurrency/concurrency.js';

export const BCRYPT_COST = 12;
/** Maximum number of bytes, because bcrypt ignores all further bytes. */
export const MAX_PASSWORD_BYTES = 72;

const LINE: Line = {
  length: 20,
  refusal: () => new UnavailableError('SIGN_IN_BUSY', 'Too many sign-ins at the moment', 2),
};

/** A valid hash with the usual cost that matches no known password. Used if an account does not exist. */
const NOBODY = '$2b$12$C6UzMDM.H6dfI/f/IKcEeO7ZLkp4r3bPEvIfQmvPBE9YrD3Q5vMmi';

/** The queue of a password check: for trusted devices, or for all other devices. */
export type PasswordLane = 'trusted' | 'strangers';

/** Compares passwords with hashes. The queues have a maximum length: if a queue is full, the sign-in is refused. */
@Injectable()
export class PasswordHashes {
  private readonly lanes: Readonly<Record<PasswordLane, Semaphore>> = {
    // A comparison uses one core for a fifth of a second. So an attacker with many addresses uses at most one core, and never
    // the core that answers requests.
    strangers: new Semaphore(1, LINE),
    // A separate queue, so that many requests from untrusted devices do not block an admin.
    trusted: new Semaphore(2, LINE),
  };

  /**
   * True if the password matches the hash. Without a hash (no account has the e-mail), returns false after the same time.
   * @throws UnavailableError if too many checks are waiting
   */
  async matches(password: string, hash: string | null | undefined, lane: PasswordLane): Promise<boolean> {
    const same = await this.lanes[lane].run(() => bcrypt.compare(password, hash ?? NOBODY));
    return same && typeof hash === 'string';
  }
}

export const hashPassword = (password: string): Promise<string> => bcrypt.hash(password, BCRYPT_COST);
