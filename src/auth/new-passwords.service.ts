import { Injectable } from '@nestjs/common';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { hashPassword } from './passwords.js';

/** Takes new passwords. */
@Injectable()
export class NewPasswords {
  /**
   * The hash of a password that is good enough for the account.
   * @throws InvalidInputError PASSWORD_TOO_WEAK
   */
  async hash(password: string, email: string): Promise<string> {
    // The lists of known words are large, and needed only here.
    const { passwordProblem } = await import('./password-strength.js');
    const problem = passwordProblem(password, email);
    if (problem) throw new InvalidInputError('PASSWORD_TOO_WEAK', `The password ${problem}`);
    return await hashPassword(password);
  }
}
