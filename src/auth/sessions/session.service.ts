import { Injectable } from '@nestjs/common';
import {
  type Principal,
  accountOf,
  isAdminRole,
  isStaffRole,
  type SessionSubject,
  subjectOf,
} from '../../common/access/principal.js';
import { answerCache } from '../../common/caching/answer-cache.js';
import type { Soon } from '../../common/concurrency/concurrency.js';
import { Database } from '../../data/database.js';
import { PrismaService } from '../../data/prisma.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import { AccessTokens, ADMIN_TOKEN_SECONDS, STAFF_TOKEN_SECONDS, type TokenClaims } from '../tokens.js';
import { ADMIN_SESSION, type AdminSessionRow, STAFF_SESSION, type StaffSessionRow } from '../auth.sql.js';
import { RevocationBroadcast } from './revocation-broadcast.js';

/** Maximum time in which another process accepts a revoked session if Redis is not used. */
const KEPT_MS = 2_000;
const REMEMBERED_SESSIONS = 20_000;
/** Cached value for an invalid session. */
const NOBODY = 'nobody';

/**
 * Checks that the session of a token is still valid. Reads the state from the database and caches it for two seconds. A
 * revocation in this process clears the cached state at once, and is sent to the other processes.
 */
@Injectable()
export class SessionService {
  private readonly kept = answerCache<string, Principal | typeof NOBODY, TokenClaims>(
    { max: REMEMBERED_SESSIONS, keptMs: KEPT_MS },
    async (_key, { context: claims }) =>
      (await (accountOf(claims.role) === 'admin' ? this.askAdmin(claims) : this.askStaff(claims))) ?? NOBODY,
  );
  private readonly keys = new WeakMap<TokenClaims, string>();
  private readonly listeners = new Set<(subject: SessionSubject) => void>();

  constructor(
    private readonly tokens: AccessTokens,
    private readonly database: Database,
    private readonly prisma: PrismaService,
    private readonly broadcast: RevocationBroadcast,
    private readonly settings: SettingsService,
  ) {
    this.broadcast.onMessage((subject) => {
      this.forget(subject as SessionSubject);
    });
  }

  /**
   * Returns the user of a token. Returns undefined if the token is invalid, if the session has ended, or if the session may
   * only set up a missing second factor.
   * @throws the database error if the database is down
   */
  async verify(token: string): Promise<Principal | undefined> {
    const claims = this.tokens.read(token);
    const principal = claims && (await this.principalOf(claims));
    return principal && 'lacksSecondFactor' in principal ? undefined : principal;
  }

  /**
   * Returns the user of verified claims if the session is valid; synchronous if the session is cached. The caller must check
   * `lacksSecondFactor`.
   */
  principalOf(claims: TokenClaims): Soon<Principal | undefined> {
    const key = this.keyOf(claims);
    const known = this.kept.get(key);
    if (known) return known === NOBODY ? undefined : known;
    return this.ask(key, claims);
  }

  private async ask(key: string, claims: TokenClaims): Promise<Principal | undefined> {
    const found = await this.kept.fetch(key, { context: claims });
    return found === NOBODY ? undefined : found;
  }

  private keyOf(claims: TokenClaims): string {
    let key = this.keys.get(claims);
    if (key === undefined) {
      key = `${subjectOf({ role: claims.role, id: claims.sub })}|${claims.sid}:${claims.ver}:${claims.asg ?? ''}:${claims.iat}`;
      this.keys.set(claims, key);
    }
    return key;
  }

  /** Calls the listener when any process revokes sessions of a subject, because open sockets must then be checked. */
  onRevoked(listener: (subject: SessionSubject) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Clears the cached sessions of this subject in every process. Call this function after the commit. */
  revoked(subject: SessionSubject): void {
    this.forget(subject);
    this.broadcast.publish(subject);
  }

  /** Ends one session, with all its tokens. */
  async end(subject: SessionSubject, sessionId: string): Promise<void> {
    const lasts = Math.max(ADMIN_TOKEN_SECONDS, STAFF_TOKEN_SECONDS);
    const { sessionRevocation } = await this.prisma.client();
    const data = { id: sessionId, expiresAt: new Date(Date.now() + lasts * 1_000) };
    await sessionRevocation.createMany({ data, skipDuplicates: true });
    this.revoked(subject);
  }

  private forget(subject: SessionSubject): void {
    // Revocations are rare and the cache has a maximum size. So a scan costs less than an index that every request must update.
    for (const key of this.kept.keys()) if (key.startsWith(`${subject}|`)) this.kept.delete(key);
    for (const listener of this.listeners) listener(subject);
  }

  private async askAdmin(claims: TokenClaims): Promise<Principal | undefined> {
    const [row] = await this.database.query<AdminSessionRow>(ADMIN_SESSION, [
      claims.sub,
      claims.sid,
      claims.iat,
    ]);
    if (!row || row.revoked || row.session_version !== claims.ver) return undefined;
    // The token is invalid after a role change, even if this version does not know the new role.
    if (!isAdminRole(claims.role) || row.role !== claims.role) return undefined;
    const principal = { role: claims.role, id: claims.sub, email: row.email };
    if (row.has_second_factor || claims.mfa) return principal;
    const { auth } = await this.settings.global();
    return auth.requireSecondFactor ? { ...principal, lacksSecondFactor: true } : principal;
  }

  private async askStaff(claims: TokenClaims): Promise<Principal | undefined> {
    const eventId = claims.evt ?? '';
    const [row] = await this.database.query<StaffSessionRow>(STAFF_SESSION, [
      claims.sub,
      claims.sid,
      eventId,
      claims.iat,
      claims.trm ?? null,
    ]);
    if (!row || row.revoked || row.session_version !== claims.ver) return undefined;
    if (!isStaffRole(claims.role)) return undefined;
    // If the member was removed and assigned again, sessions from before the removal stay ended.
    if (row.assigned_at.getTime() !== claims.asg) return undefined;
    return {
      role: claims.role,
      id: claims.sub,
      name: row.name,
      eventId,
      terminalId: claims.trm,
    };
  }
}
