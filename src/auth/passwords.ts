import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { UnavailableError } from '../common/errors/domain-errors.js';
import { type Line, Semaphore } from '../common/concurrency/concurrency.js';

export const BCRYPT_COST = 12;
/** bcrypt ignores all bytes after this one. */
export const MAX_PASSWORD_BYTES = 72;

const LINE: Line = {
  length: 20,
  refusal: () => new UnavailableError('SIGN_IN_BUSY', 'Too many sign-ins at the moment', 2),
};

/** A valid hash of the usual cost that matches no known password. */
const NOBODY = '$2b$12$C6UzMDM.H6dfI/f/IKcEeO7ZLkp4r3bPEvIfQmvPBE9YrD3Q5vMmi';

/** Queue for a device on which its owner has signed in before, or for all others. */
export type PasswordLane = 'trusted' | 'strangers';

/** Compares passwords with hashes. The queues are bounded: when one is full, a sign-in is refused. */
@Injectable()
export class PasswordHashes {
  private readonly lanes: Readonly<Record<PasswordLane, Semaphore>> = {
    // A comparison takes one core for a fifth of a second. An attacker with many addresses keeps at most one core busy, never
    // the one that answers requests.
    strangers: new Semaphore(1, LINE),
    // Untrusted devices that fill their queue do not stop an admin.
    trusted: new Semaphore(2, LINE),
  };

  /**
   * True if the password matches the hash. Without a hash (no account has that e-mail) the check takes equally long and
   * returns false.
   * @throws UnavailableError if too many checks are waiting
   */
  async matches(password: string, hash: string | null | undefined, lane: PasswordLane): Promise<boolean> {
    const same = await this.lanes[lane].run(() => bcrypt.compare(password, hash ?? NOBODY));
    return same && typeof hash === 'string';
  }
}

export const hashPassword = (password: string): Promise<string> => bcrypt.hash(password, BCRYPT_COST);
