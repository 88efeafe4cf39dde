import { Injectable } from '@nestjs/common';
import { AccountNotices } from '../auth/account-notices.service.js';
import type { OpenSession } from '../auth/dto/account.dto.js';
import { SecondFactor } from '../auth/second-factor/second-factor.service.js';
import { AdminSessions } from '../auth/sessions/admin-sessions.service.js';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { PrismaService } from '../data/prisma.service.js';
import type { SessionsEnded, User } from './dto/user.dto.js';
import { LastAdmin } from './last-admin.js';
import { keepsUsers, lockedUser, refuseOwn, toUser, userRow } from './user-row.js';

/** Manages other users' sessions, bound identities and second factors. */
@Injectable()
export class UserAccess {
  constructor(
    private readonly prisma: PrismaService,
    private readonly sessions: AdminSessions,
    private readonly secondFactors: SecondFactor,
    private readonly lastAdmin: LastAdmin,
    private readonly audit: Audit,
    private readonly notices: AccountNotices,
  ) {}

  /** @param current the session of this request */
  async listSessions(userId: string, current: string): Promise<OpenSession[]> {
    const { id } = await userRow(await this.prisma.client(), userId);
    return await this.sessions.list(id, current);
  }

  async endSessions(actor: Principal, userId: string): Promise<SessionsEnded> {
    return await this.prisma.transaction(async (tx) => {
      const { id } = await lockedUser(tx, userId);
      const ended = await this.sessions.endAll(tx, id);
      await this.audit.record(actorOf(actor), 'admin.end_sessions', id, { ended }, tx);
      await this.notices.send(tx, id, 'sessionsEnded');
      return { id, ended };
    });
  }

  /**
   * Unbinds the provider identity and ends all sessions, because they may belong to that identity. Later, another identity with
   * the verified e-mail address can be bound.
   * @throws ConflictError LAST_ADMIN if passwords are off and no other admin has an identity
   */
  async unbindIdentity(actor: Principal, userId: string): Promise<User> {
    return await this.prisma.transaction(async (tx) => {
      await this.lastAdmin.lockAdmins(tx);
      const before = await lockedUser(tx, userId);
      if (before.idpIssuer === null) return toUser(before);
      const unbound = { idpIssuer: null, idpSubject: null };
      await tx.admin.update({ where: { id: before.id }, data: unbound, select: { id: true } });
      if (keepsUsers(before)) await this.lastAdmin.assertOneLeft(tx);
      await this.sessions.endAll(tx, before.id);
      const detail = { issuer: before.idpIssuer };
      await this.audit.record(actorOf(actor), 'admin.unbind_identity', before.id, detail, tx);
      await this.notices.send(tx, before.id, 'identityUnbound');
      return toUser({ ...before, idpIssuer: null });
    });
  }

  /**
   * Removes the second factor of a user who lost the phone and the recovery codes. Ends all sessions, because another person
   * may have found the phone and may use them.
   * @throws ConflictError OWN_ACCOUNT
   */
  async forgetSecondFactor(actor: Principal, userId: string): Promise<User> {
    refuseOwn(actor, userId);
    return await this.prisma.transaction(async (tx) => {
      const before = await lockedUser(tx, userId);
      if (await this.secondFactors.forget(tx, actor, before.id)) await this.sessions.endAll(tx, before.id);
      return toUser({ ...before, totpConfirmedAt: null });
    });
  }
}
