import { SYSTEM } from '../../common/access/principal.js';
import { createHash, randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { UnauthorizedError } from '../../common/errors/domain-errors.js';
import { newId, timeOfId } from '../../common/crypto/ids.js';
import { requestAddress, requestClient } from '../../common/http/request-context.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Audit } from '../../audit/audit.js';
import { Database, type SqlExecutor, type Transaction } from '../../data/database.js';
import { type KnownAdmin, knownAdmin, type KnownAdminRow } from '../known-admin.js';
import {
  END_FAMILY,
  GET_TOKEN,
  INSERT_TOKEN,
  LOCK_ADMIN,
  LOCK_TOKEN_OWNER,
  SIGNED_IN,
  type TokenRow,
  USE_TOKEN,
} from './refresh-tokens.sql.js';
import { SessionService } from './session.service.js';

const DAY_MS = 86_400_000;
/** A session that is not renewed for this long ends. */
const IDLE_MS = 14 * DAY_MS;
/** A session ends after this time, however often it is renewed. */
const LONGEST_MS = 90 * DAY_MS;
/**
 * Two tabs that wake up together send the same token, and so does a browser that lost the answer. Within this
 * time a used token gives the successor that it gave, instead of ending the sign-in.
 */
const GRACE_MS = 10_000;

/** A refresh token in clear, for the browser's cookie. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

export interface RenewedSession extends IssuedToken {
  readonly admin: KnownAdmin;
  readonly sessionId: string;
  readonly idpSecondFactor: boolean;
}

/** What the identity provider vouches for in a sign-in. */
export interface IdpAssurance {
  /** Whether it asked for a second factor. */
  readonly secondFactor: boolean;
  /** When it asked the person to show who they are; null where it does not say, and in a sign-in by password. */
  readonly confirmedAt: Date | null;
}

export const NO_IDP: IdpAssurance = { secondFactor: false, confirmedAt: null };

/** What a new token is made from. */
interface TokenFacts {
  readonly adminId: string;
  readonly sessionId: string;
  readonly token: string;
  readonly idp: IdpAssurance;
}

type Outcome =
  | { kind: 'renewed'; session: RenewedSession }
  | { kind: 'refused' }
  | { kind: 'reused'; family: string; admin: string };

/**
 * Admins and accountants stay signed in by tokens that are good for one use: each use makes the next token. A used
 * token that comes back later was copied, so its whole family ends. A family is one sign-in and has the session's id.
 */
@Injectable()
export class RefreshTokens {
  private readonly logger = new Logger(RefreshTokens.name);

  constructor(
    private readonly database: Database,
    private readonly sessions: SessionService,
    private readonly audit: Audit,
    private readonly keys: KeyRing,
  ) {}

  /**
   * The first token of a sign-in.
   * @throws UnauthorizedError when the account's sessions were ended while it signed in: by the password that was
   *   typed nobody may be let in any more
   */
  async issue(admin: KnownAdmin, sessionId: string, idp: IdpAssurance): Promise<IssuedToken> {
    const token = randomBytes(32).toString('base64url');
    return await this.database.transaction(async (tx) => {
      const signedIn = await tx.query(SIGNED_IN, [admin.id, admin.sessionVersion]);
      if (signedIn.length === 0)
        throw new UnauthorizedError('SESSION_ENDED', 'The account was changed meanwhile; sign in again');
      return await this.insert(tx, { adminId: admin.id, sessionId, token, idp });
    });
  }

  /** @throws UnauthorizedError for a token that is unknown, ended, expired or was used before */
  async renew(token: string): Promise<RenewedSession> {
    const outcome = await this.database.transaction((tx) => this.attempt(tx, token));
    if (outcome.kind === 'renewed') return outcome.session;
    if (outcome.kind === 'reused') {
      this.logger.warn(`A refresh token of admin ${outcome.admin} was used twice: that sign-in was ended`);
      await this.sessions.end(`admin:${outcome.admin}`, outcome.family);
    }
    throw new UnauthorizedError('SESSION_ENDED', 'The session has ended; sign in again');
  }

  /** Ends one sign-in: it cannot be renewed any more. */
  async end(adminId: string, sessionId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(LOCK_ADMIN, [adminId]);
      await tx.query(END_FAMILY, [sessionId]);
    });
  }

  /** The sign-in that a token belongs to, whether or not it can still be renewed. */
  async find(token: string): Promise<{ adminId: string; sessionId: string } | undefined> {
    const [row] = await this.database.query<TokenRow>(GET_TOKEN, [digest(token)]);
    return row && { adminId: row.admin_id, sessionId: row.family_id };
  }

  private async attempt(tx: Transaction, token: string): Promise<Outcome> {
    const tokenDigest = digest(token);
    const [owner] = await tx.query<KnownAdminRow>(LOCK_TOKEN_OWNER, [tokenDigest]);
    const [row] = await tx.query<TokenRow>(GET_TOKEN, [tokenDigest]);
    if (!owner || !row || row.revoked_at || row.expires_at.getTime() <= Date.now())
      return { kind: 'refused' };
    if (row.used_at && Date.now() - row.used_at.getTime() > GRACE_MS) {
      await tx.query(END_FAMILY, [row.family_id]);
      await this.audit.record(SYSTEM, 'session.token_reused', owner.id, { session: row.family_id }, tx);
      return { kind: 'reused', family: row.family_id, admin: owner.id };
    }
    await tx.query(USE_TOKEN, [row.id]);
    const successor = await this.successorOf(tx, token, row.used_at !== null);
    const { family_id: sessionId, idp_second_factor: idpSecondFactor, idp_confirmed_at: confirmedAt } = row;
    const idp = { secondFactor: idpSecondFactor, confirmedAt };
    const next = await this.insert(tx, { adminId: owner.id, sessionId, token: successor, idp });
    return { kind: 'renewed', session: { ...next, admin: knownAdmin(owner), sessionId, idpSecondFactor } };
  }

  /**
   * Each token has one successor, and only this service can tell which: a token that is sent again gets no second one,
   * also where another process made its successor by the other value of `PIN_SECRET`.
   */
  private async successorOf(tx: Transaction, token: string, wasUsed: boolean): Promise<string> {
    const [first, ...others] = this.keys
      .digests('next-refresh-token', token)
      .map((one) => one.toString('base64url')) as [string, ...string[]];
    for (const other of wasUsed ? others : [])
      if ((await tx.query<TokenRow>(GET_TOKEN, [digest(other)])).length > 0) return other;
    return first;
  }

  private async insert(
    executor: SqlExecutor,
    { adminId, sessionId, token, idp }: TokenFacts,
  ): Promise<IssuedToken> {
    const ends = Math.min(Date.now() + IDLE_MS, timeOfId(sessionId).getTime() + LONGEST_MS);
    const expiresAt = new Date(ends);
    await executor.query(INSERT_TOKEN, [
      newId(),
      adminId,
      sessionId,
      digest(token),
      expiresAt,
      requestAddress() ?? null,
      requestClient() ?? null,
      idp.secondFactor,
      idp.confirmedAt,
    ]);
    return { token, expiresAt };
  }
}

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();
