import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { PrismaService } from '../data/prisma.service.js';
import { AccountNotices } from './account-notices.service.js';
import { forgetInvitations } from './known-admin.js';
import type { ChangePassword } from './dto/account.dto.js';
import type { AdminSession } from './dto/session.dto.js';
import { PasswordCheck } from './password-check.service.js';
import { hashPassword } from './passwords.js';
import { AdminSessions } from './sessions/admin-sessions.service.js';
import { adminSession } from './sign-in.service.js';

/** Changes the caller's own password. */
@Injectable()
export class PasswordChange {
  constructor(
    private readonly prisma: PrismaService,
    private readonly passwords: PasswordCheck,
    private readonly sessions: AdminSessions,
    private readonly audit: Audit,
    private readonly notices: AccountNotices,
  ) {}

  /**
   * Changes the password. Ends the caller's other sessions and invalidates links for a new password. This session continues
   * with its cookie or with the access token of the answer. All older access tokens become invalid.
   * @throws ForbiddenError PASSWORD_WRONG
   * @throws InvalidInputError PASSWORD_TOO_WEAK
   * @throws TooManyRequestsError after too many wrong passwords, at this change or at the sign-in
   */
  async change(
    caller: Principal,
    sessionId: string,
    { current, next }: ChangePassword,
    request: Request,
  ): Promise<AdminSession> {
    const { email } = await this.passwords.requireOf(caller, current, request);
    if (next === current)
      throw new InvalidInputError('PASSWORD_TOO_WEAK', 'The new password must differ from the current one');
    const passwordHash = await hashNewPassword(next, email);
    return await this.prisma.transaction(async (tx) => {
      await tx.admin.updateMany({ where: { id: caller.id }, data: { passwordHash } });
      // An old e-mail may still contain a link for setting another password.
      await forgetInvitations(tx, caller.id);
      await this.audit.record(actorOf(caller), 'admin.password', caller.id, {}, tx);
      await this.notices.send(tx, caller.id, 'password');
      const { admin, accessToken } = await this.sessions.endOthers(tx, caller.id, sessionId);
      return adminSession(accessToken, admin);
    });
  }
}

/**
 * Returns the hash of a new password that is strong enough for its account.
 * @throws InvalidInputError PASSWORD_TOO_WEAK
 */
export async function hashNewPassword(password: string, email: string): Promise<string> {
  // Loaded only here, because the word lists need much memory.
  const { passwordProblem } = await import('./password-strength.js');
  const problem = passwordProblem(password, email);
  if (problem) throw new InvalidInputError('PASSWORD_TOO_WEAK', `The password ${problem}`);
  return await hashPassword(password);
}
