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

/** Signs admins and accountants in by e-mail and password, and by a second factor where one is set up. */
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
   * @throws UnauthorizedError the same for an unknown e-mail and a disabled account as for a wrong password, and after
   *   as long; SECOND_FACTOR_REQUIRED, SECOND_FACTOR_WRONG once the password was right
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
    // What somebody who was disabled types leads nowhere, and takes as long as any other password.
    const hash = disabled ? null : row?.passwordHash;
    await this.passwords.require({ email: account, id: row?.id, hash }, password, request, async () => {
      // An unknown account leaves the same traces, in the same time.
      const detail = { method: 'password', ...(disabled ? { disabled } : {}) };
      await this.trail.failed('admin', row?.id ?? null, detail);
      return wrongCredentials();
    });
    // No password fits the account of nobody.
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
