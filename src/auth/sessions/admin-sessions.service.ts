import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { ForbiddenError, NotFoundError } from '../../common/errors/domain-errors.js';
import { isId, timeOfId } from '../../common/crypto/ids.js';
import type { Prisma } from '../../data/generated/client.js';
import { afterCommit, PrismaService } from '../../data/prisma.service.js';
import { AccountNotices } from '../account-notices.service.js';
import { adminSession } from '../sign-in.service.js';
import type { AdminSession } from '../dto/session.dto.js';
import type { OpenSession, SessionEnded } from '../dto/account.dto.js';
import { KNOWN_ADMIN, type KnownAdmin, knownAdmin } from '../known-admin.js';
import { AccessTokens } from '../tokens.js';
import { RefreshTokens } from './refresh-tokens.service.js';
import { SessionService } from './session.service.js';

/** Lists and ends all sessions of one admin or accountant. */
@Injectable()
export class AdminSessions {
  constructor(
    private readonly prisma: PrismaService,
    private readonly sessions: SessionService,
    private readonly refreshTokens: RefreshTokens,
    private readonly tokens: AccessTokens,
    private readonly audit: Audit,
    private readonly notices: AccountNotices,
  ) {}

  /** @param current the session of the caller */
  async list(adminId: string, current?: string): Promise<OpenSession[]> {
    const { refreshToken } = await this.prisma.client();
    const newest = await refreshToken.findMany({
      where: { adminId, usedAt: null, ...renewable() },
      select: { familyId: true, createdAt: true, address: true, client: true },
      orderBy: [{ createdAt: 'desc' }, { familyId: 'asc' }],
      distinct: 'familyId',
    });
    return newest.map(({ familyId, createdAt, address, client }) => ({
      id: familyId,
      createdAt: timeOfId(familyId).toISOString(),
      lastUsedAt: createdAt.toISOString(),
      address,
      client,
      current: familyId === current,
    }));
  }

  /** @throws NotFoundError SESSION_NOT_FOUND, also for a session of another account */
  async end(caller: Principal, sessionId: string): Promise<SessionEnded> {
    const id = sessionId.toLowerCase();
    if (!isId(id) || !(await this.isOpen(caller.id, id)))
      throw new NotFoundError('SESSION_NOT_FOUND', 'The session does not exist');
    await this.refreshTokens.end(caller.id, id);
    await this.sessions.end(`admin:${caller.id}`, id);
    await this.prisma.transaction(async (tx) => {
      await this.audit.record(actorOf(caller), 'session.end', caller.id, { session: id }, tx);
      await this.notices.send(tx, caller.id, 'sessionsEnded');
    });
    return { id, deleted: true };
  }

  /** Ends all sessions of the caller except this one, which continues with the returned access token. */
  async signOutElsewhere(caller: Principal, sessionId: string): Promise<AdminSession> {
    return await this.prisma.transaction(async (tx) => {
      await this.audit.record(actorOf(caller), 'session.end_others', caller.id, {}, tx);
      await this.notices.send(tx, caller.id, 'sessionsEnded');
      const { admin, accessToken } = await this.endOthers(tx, caller.id, sessionId);
      return adminSession(accessToken, admin);
    });
  }

  /**
   * Ends all sessions except one, in the transaction of another change.
   * @returns an access token for the session that continues
   */
  async endOthers(
    tx: Prisma.TransactionClient,
    adminId: string,
    sessionId: string,
  ): Promise<{ admin: KnownAdmin; accessToken: string }> {
    const [row] = await tx.admin.updateManyAndReturn({ ...nextVersion(adminId), select: KNOWN_ADMIN });
    if (!row) throw new ForbiddenError();
    const byIdp = { adminId, familyId: sessionId, idpSecondFactor: true };
    const idpSecondFactor = (await tx.refreshToken.count({ where: byIdp })) > 0;
    await this.endFamilies(tx, { adminId, familyId: { not: sessionId } });
    const admin = await knownAdmin(tx, row);
    return { admin, accessToken: this.tokens.forAdmin(admin, sessionId, idpSecondFactor) };
  }

  /**
   * Ends all sessions of an account and closes their sockets.
   * @returns the number of ended sessions that could still be renewed
   */
  async endAll(tx: Prisma.TransactionClient, adminId: string): Promise<number> {
    await tx.admin.updateMany(nextVersion(adminId));
    return await this.endFamilies(tx, { adminId });
  }

  /**
   * Makes all processes check the account's sessions again after the commit. Call this function in a transaction that changes
   * permissions.
   */
  reconsider(tx: Prisma.TransactionClient, adminId: string): void {
    afterCommit(tx, () => {
      this.sessions.revoked(`admin:${adminId}`);
    });
  }

  private async endFamilies(
    tx: Prisma.TransactionClient,
    ended: { adminId: string; familyId?: { not: string } },
  ): Promise<number> {
    const { adminId } = ended;
    const tokens = await tx.refreshToken.updateManyAndReturn({
      where: { ...ended, revokedAt: null },
      data: { revokedAt: new Date() },
      select: { familyId: true },
    });
    // Deletes codes of unfinished sign-ins at the identity provider.
    await tx.signInCode.deleteMany({ where: { adminId } });
    this.reconsider(tx, adminId);
    return new Set(tokens.map(({ familyId }) => familyId)).size;
  }

  private async isOpen(adminId: string, familyId: string): Promise<boolean> {
    const { refreshToken } = await this.prisma.client();
    const where = { adminId, familyId, ...renewable() };
    return (await refreshToken.findFirst({ where, select: { id: true } })) !== null;
  }
}

/** Refresh tokens that were not ended and have not expired. */
const renewable = () => ({ revokedAt: null, expiresAt: { gt: new Date() } });

/** Invalidates all access tokens of the account. */
const nextVersion = (id: string) => ({ where: { id }, data: { sessionVersion: { increment: 1 } } });
