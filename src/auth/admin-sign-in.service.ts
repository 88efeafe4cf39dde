import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { comparableEmail, comparableEmails } from '../common/text/email-address.js';
import { UnauthorizedError } from '../common/errors/domain-errors.js';
import { PrismaService } from '../data/prisma.service.js';
import type { AdminLogin } from './dto/sign-in.dto.js';
import { KNOWN_ADMIN, type KnownAdmin, knownAdmin } from './known-admin.js';
import { PasswordCheck } from './password-check.service.js';
import { SecondFactorCheck } from './second-factor/second-factor-check.service.js';
import { SignInMethods } from './sign-in-methods.service.js';
import { SignInTrail } from './sign-in-trail.js';

/** Signs admins and accountants in by e-mail and password. Also requires a second factor if the account has one. */
@Injectable()
export class AdminSignIn {
  constructor(
    private readonly prisma: PrismaService,
    private readonly methods: SignInMethods,
    private readonly passwords: PasswordCheck,
    private readonly secondFactors: SecondFactorCheck,
    private readonly trail: SignInTrail,
  ) {}

  /**
   * @throws UnauthorizedError for an unknown e-mail, a disabled account and a wrong password: always the same error after the
   * same time; also SECOND_FACTOR_REQUIRED and SECOND_FACTOR_WRONG after a correct password
   * @throws TooManyRequestsError after five failures, see `PasswordCheck`
   * @throws ForbiddenError ROLE_UNKNOWN, PASSWORD_SIGN_IN_OFF
   */
  async signIn({ email, password, totp }: AdminLogin, request: Request): Promise<KnownAdmin> {
    await this.methods.requirePassword();
    const account = comparableEmail(email);
    const db = await this.prisma.client();
    const row = await db.admin.findFirst({
      where: { email: { in: [...comparableEmails(email)] } },
      select: { ...KNOWN_ADMIN, passwordHash: true },
    });
    const disabled = row !== null && row.disabledAt !== null;
    // The password check of a disabled account takes the same time and always fails.
    const hash = disabled ? null : row?.passwordHash;
    await this.passwords.require({ email: account, id: row?.id, hash }, password, request, async () => {
      // Failed sign-ins to known and unknown accounts are recorded in the same way and take the same time.
      const detail = { method: 'password' as const, ...(disabled ? { disabled } : {}) };
      await this.trail.failed('admin', row?.id ?? null, detail);
      return wrongCredentials();
    });
    // Only for the compiler: `require` has already refused an unknown account, because it has no hash.
    if (!row) throw wrongCredentials();
    const admin = await knownAdmin(db, row);
    const secondFactor = await this.secondFactors.require(admin, totp ?? undefined, request);
    await this.trail.succeeded('admin', admin, {
      method: 'password',
      ...(secondFactor ? { secondFactor } : {}),
    });
    return admin;
  }
}

const wrongCredentials = () => new UnauthorizedError('WRONG_CREDENTIALS', 'Wrong e-mail or password');
