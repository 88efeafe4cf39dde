import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { UnauthorizedError } from '../common/errors/domain-errors.js';
import { clientAddress } from '../common/http/client-address.js';
import { Database, type Statement } from '../data/database.js';
import type { AdminLogin } from './dto/sign-in.dto.js';
import { type KnownAdmin, knownAdmin, type KnownAdminRow } from './known-admin.js';
import { FailureBackoff } from './limits/failure-backoff.js';
import { Passwords } from './passwords.js';

type AdminRow = KnownAdminRow & { password_hash: string };

const ADMIN_BY_EMAIL: Statement = {
  name: 'admin_by_email',
  text: 'SELECT id, email, role, password_hash, session_version FROM admin WHERE email = $1',
};

/** Signs admins and accountants in by e-mail and password. */
@Injectable()
export class AdminSignIn {
  constructor(
    private readonly database: Database,
    private readonly passwords: Passwords,
    private readonly backoff: FailureBackoff,
  ) {}

  /**
   * @throws UnauthorizedError the same for an unknown e-mail as for a wrong password, and after as long
   * @throws TooManyRequestsError after five failures of this account from this address: nobody elsewhere can
   *   lock an admin out
   * @throws ForbiddenError ROLE_UNKNOWN
   */
  async signIn({ email, password }: AdminLogin, request: Request): Promise<KnownAdmin> {
    const account = email.toLowerCase();
    const key = `admin:${createHash('sha256').update(account).digest('base64url')}:${clientAddress(request.ip)}`;
    return await this.backoff.guard(key, () => this.check(account, password));
  }

  private async check(account: string, password: string): Promise<KnownAdmin> {
    const [admin] = await this.database.query<AdminRow>(ADMIN_BY_EMAIL, [account]);
    const right = await this.passwords.matches(password, admin?.password_hash);
    if (!right || !admin) throw new UnauthorizedError('WRONG_CREDENTIALS', 'Wrong e-mail or password');
    return knownAdmin(admin);
  }
}
