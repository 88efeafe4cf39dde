import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { ForbiddenError, NotFoundError } from '../../common/errors/domain-errors.js';
import { isId, timeOfId } from '../../common/crypto/ids.js';
import { Database, type Transaction } from '../../data/database.js';
import { AccountNotices } from '../account-notices.service.js';
import type { OpenSession, SessionEnded } from '../dto/account.dto.js';
import { type KnownAdmin, knownAdmin, type KnownAdminRow } from '../known-admin.js';
import { AccessTokens } from '../tokens.js';
import {
  END_FAMILIES,
  FORGET_SIGN_IN_CODES,
  HAS_SESSION,
  IDP_SECOND_FACTOR,
  NEXT_VERSION,
  OPEN_SESSIONS,
  type OpenSessionRow,
} from './admin-sessions.sql.js';
import { RefreshTokens } from './refresh-tokens.service.js';
import { SessionService } from './session.service.js';

/** All sign-ins of one admin or accountant: listed, and ended. */
@Injectable()
export class AdminSessions {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionService,
    private readonly refreshTokens: RefreshTokens,
    private readonly tokens: AccessTokens,
    private readonly audit: Audit,
    private readonly notices: AccountNotices,
  ) {}

  /** @param current the session that asks */
  async list(adminId: string, current?: string): Promise<OpenSession[]> {
    const rows = await this.database.query<OpenSessionRow>(OPEN_SESSIONS, [adminId]);
    return rows.map((row) => ({
      id: row.family_id,
      createdAt: timeOfId(row.family_id).toISOString(),
      lastUsedAt: row.last_used_at.toISOString(),
      address: row.address,
      client: row.client,
      current: row.family_id === current,
    }));
  }

  /** @throws NotFoundError SESSION_NOT_FOUND, also for one of somebody else */
  async end(caller: Principal, sessionId: string): Promise<SessionEnded> {
    const id = sessionId.toLowerCase();
    const found = isId(id) && (await this.database.query(HAS_SESSION, [caller.id, id])).length > 0;
    if (!found) throw new NotFoundError('SESSION_NOT_FOUND', 'There is no such session');
    await this.refreshTokens.end(caller.id, id);
    await this.sessions.end(`admin:${caller.id}`, id);
    await this.database.transaction(async (tx) => {
      await this.audit.record(actorOf(caller), 'session.end', caller.id, { session: id }, tx);
      await this.notices.send(tx, caller.id, 'sessionsEnded');
    });
    return { id, deleted: true };
  }

  /**
   * Ends every sign-in but one, in the transaction of what makes it necessary.
   * @returns an access token for the one that goes on
   */
  async endOthers(
    tx: Transaction,
    adminId: string,
    sessionId: string,
  ): Promise<{ admin: KnownAdmin; accessToken: string }> {
    const [row] = await tx.query<KnownAdminRow>(NEXT_VERSION, [adminId]);
    if (!row) throw new ForbiddenError();
    const [session] = await tx.query<{ shown: boolean | null }>(IDP_SECOND_FACTOR, [adminId, sessionId]);
    await this.endFamilies(tx, adminId, sessionId);
    const admin = knownAdmin(row);
    return { admin, accessToken: this.tokens.forAdmin(admin, sessionId, session?.shown ?? false) };
  }

  /** Ends every sign-in of an account, its sockets too. @returns how many could still be renewed */
  async endAll(tx: Transaction, adminId: string): Promise<number> {
    await tx.query(NEXT_VERSION, [adminId]);
    return await this.endFamilies(tx, adminId, null);
  }

  /** After the commit of a change that says what a session may do. */
  reconsider(adminId: string): void {
    this.sessions.revoked(`admin:${adminId}`);
  }

  private async endFamilies(tx: Transaction, adminId: string, kept: string | null): Promise<number> {
    const ended = await tx.query<{ family_id: string }>(END_FAMILIES, [adminId, kept]);
    await tx.query(FORGET_SIGN_IN_CODES, [adminId]);
    tx.afterCommit(() => {
      this.reconsider(adminId);
    });
    return new Set(ended.map(({ family_id }) => family_id)).size;
  }
}
