import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { comparableEmail, comparableEmails } from '../common/text/email-address.js';
import { UnauthorizedError } from '../common/errors/domain-errors.js';
import { Database, type Statement } from '../data/database.js';
import type { AdminLogin } from './dto/sign-in.dto.js';
import { KNOWN_ADMIN, type KnownAdmin, knownAdmin, type KnownAdminRow } from './known-admin.js';
import { PasswordCheck } from './password-check.service.js';
import { SecondFactorCheck } from './second-factor/second-factor-check.service.js';
import { SignInMethods } from './sign-in-methods.service.js';
import { SignInTrail } from './sign-in-trail.js';

type AdminRow = KnownAdminRow & { password_hash: string | null };

const ADMIN_BY_EMAIL: Statement = {
  name: 'admin_by_email',
  text: `SELECT ${KNOWN_ADMIN}, admin.password_hash FROM admin WHERE email = ANY($1::text[])`,
};

/** Signs admins and accountants in by e-mail and password, and by a second factor where one is set up. */
@Injectable()
export class AdminSignIn {
  constructor(
    private readonly database: Database,
    private readonly methods: SignInMethods,
    private readonly passwords: PasswordCheck,
    private readonly secondFactors: SecondFactorCheck,
    private readonly trail: SignInTrail,
  ) {}

  /**
   * @throws UnauthorizedError the same for an unknown e-mail and a disabled account as for a wrong password, and after
   *   as long; SECOND_FACTOR_REQUIRED, SECOND_FACTOR_WRONG once the password was right
   * @throws TooManyRequestsError after five failures, see `PasswordCheck`
   * @throws ForbiddenError ROLE_UNKNOWN, PASSWORD_SIGN_IN_OFF
   */
  async signIn({ email, password, totp }: AdminLogin, request: Request): Promise<KnownAdmin> {
    await this.methods.requirePassword();
    const account = comparableEmail(email);
    const [row] = await this.database.query<AdminRow>(ADMIN_BY_EMAIL, [comparableEmails(email)]);
    // What somebody who was disabled types leads nowhere, and takes as long as any other password.
    const hash = row?.disabled ? undefined : row?.password_hash;
    const admin = await this.passwords.run({ email: account, id: row?.id, hash }, password, request, {
      passed: () => known(row),
      failed: async () => {
        // An unknown account leaves the same traces, in the same time.
        await this.trail.failed('admin', row?.id ?? null, {
          method: 'password',
          ...(row?.disabled ? { disabled: true } : {}),
        });
        return wrongCredentials();
      },
    });
    const secondFactor = await this.secondFactors.require(admin, totp ?? undefined, request);
    await this.trail.succeeded('admin', admin, {
      method: 'password',
      ...(secondFactor ? { secondFactor } : {}),
    });
    return admin;
  }
}

/** A password fits no hash of nobody, so there is a row here. */
function known(row: AdminRow | undefined): KnownAdmin {
  if (!row) throw wrongCredentials();
  return knownAdmin(row);
}

const wrongCredentials = () => new UnauthorizedError('WRONG_CREDENTIALS', 'Wrong e-mail or password');
