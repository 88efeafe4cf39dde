import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from '../common/access/principal.js';
import { ConflictError, ForbiddenError, UnauthorizedError } from '../common/errors/domain-errors.js';
import { Database, type Statement } from '../data/database.js';
import { KNOWN_ADMIN, type KnownAdmin, knownAdmin, type KnownAdminRow } from './known-admin.js';
import { PasswordCheck } from './password-check.service.js';
import { SignInTrail } from './sign-in-trail.js';

type OwnRow = KnownAdminRow & { password_hash: string | null };

const OWN: Statement = {
  name: 'own_admin',
  text: `SELECT ${KNOWN_ADMIN}, admin.password_hash FROM admin WHERE id = $1`,
};

/** Asks somebody who is signed in to show once more who they are, before what a stolen session must not do. */
@Injectable()
export class OwnIdentity {
  constructor(
    private readonly database: Database,
    private readonly passwords: PasswordCheck,
    private readonly trail: SignInTrail,
  ) {}

  /**
   * Guesses here are those of the sign-in: they wait for each other.
   * @throws ForbiddenError PASSWORD_WRONG: no 401, because the session is good
   * @throws ConflictError PASSWORD_NOT_SET
   */
  async prove(caller: Principal, password: string, request: Request): Promise<KnownAdmin> {
    const row = await this.row(caller);
    if (row.password_hash === null)
      throw new ConflictError('PASSWORD_NOT_SET', 'This account has no password; an admin can send a link');
    const account = { email: row.email, id: row.id, hash: row.password_hash };
    try {
      return await this.passwords.run(account, password, request, {
        passed: () => knownAdmin(row),
        failed: async () => {
          await this.trail.failed('admin', row.id, { method: 'password', signedIn: true });
          return new UnauthorizedError();
        },
      });
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      throw new ForbiddenError('PASSWORD_WRONG', 'The password is wrong');
    }
  }

  private async row(caller: Principal): Promise<OwnRow> {
    const [row] = await this.database.query<OwnRow>(OWN, [caller.id]);
    if (!row) throw new ForbiddenError();
    return row;
  }
}
