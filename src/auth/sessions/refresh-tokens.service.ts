import { SYSTEM } from '../../common/access/principal.js';
import { createHash, randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { UnauthorizedError } from '../../common/errors/domain-errors.js';
import { newId, timeOfId } from '../../common/crypto/ids.js';
import { requestAddress, requestClient } from '../../common/http/request-context.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Audit } from '../../audit/audit.js';
import type { Prisma } from '../../data/generated/client.js';
import { PrismaService } from '../../data/prisma.service.js';
import { KNOWN_ADMIN, type KnownAdmin, knownAdmin, lockAdmin } from '../known-admin.js';
import { SessionService } from './session.service.js';

const DAY_MS = 86_400_000;
/** A session ends if it is not renewed for this long. */
const IDLE_MS = 14 * DAY_MS;
/** Maximum lifetime of a session, even with renewals. */
const LONGEST_MS = 90 * DAY_MS;
/**
 * Two tabs that wake up together send the same token. A browser that lost the answer also sends the token again. Within this
 * time, a used token returns its successor and does not end the session.
 */
const GRACE_MS = 10_000;

/** A refresh token in clear text, for the browser's cookie. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

export interface RenewedSession extends IssuedToken {
  readonly admin: KnownAdmin;
  readonly sessionId: string;
  readonly idpSecondFactor: boolean;
}

/** Report of the identity provider about a sign-in. */
export interface IdpAssurance {
  /** True if the provider asked for a second factor. */
  readonly secondFactor: boolean;
  /** Time when the person authenticated at the provider; null if unknown or if the user signed in by password. */
  readonly confirmedAt: Date | null;
}

export const NO_IDP: IdpAssurance = { secondFactor: false, confirmedAt: null };

/** Fields of a new token. */
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
 * Refresh tokens of admins and accountants. Each token is valid for one use, which creates the next token. If a used token is
 * sent again later, somebody has copied the token, so the service ends the whole family. A family is all tokens of one session
 * and has the id of the session.
 */
@Injectable()
export class RefreshTokens {
  private readonly logger = new Logger(RefreshTokens.name);

  constructor(
    private readonly prisma: PrismaService,
    private readonly sessions: SessionService,
    private readonly audit: Audit,
    private readonly keys: KeyRing,
  ) {}

  /**
   * Creates the first token of a session.
   * @throws UnauthorizedError if the account's sessions were ended during the sign-in: the password may no longer be valid
   */
  async issue(admin: KnownAdmin, sessionId: string, idp: IdpAssurance): Promise<IssuedToken> {
    const token = randomBytes(32).toString('base64url');
    return await this.prisma.transaction(async (tx) => {
      const { id, sessionVersion } = admin;
      const signedIn = await tx.admin.updateMany({
        where: { id, sessionVersion, disabledAt: null },
        data: { lastSignInAt: new Date() },
      });
      if (signedIn.count === 0)
        throw new UnauthorizedError('SESSION_ENDED', 'The account was changed meanwhile; sign in again');
      return await insert(tx, { adminId: admin.id, sessionId, token, idp });
    });
  }

  /** @throws UnauthorizedError if the token is unknown, ended, expired or already used */
  async renew(token: string): Promise<RenewedSession> {
    const outcome = await this.prisma.transaction((tx) => this.attempt(tx, token));
    if (outcome.kind === 'renewed') return outcome.session;
    if (outcome.kind === 'reused') {
      this.logger.warn(`Refresh token of admin ${outcome.admin} was used twice; its session was ended`);
      await this.sessions.end(`admin:${outcome.admin}`, outcome.family);
    }
    throw new UnauthorizedError('SESSION_ENDED', 'The session has ended; sign in again');
  }

  /** Ends one session, so that it cannot be renewed. */
  async end(adminId: string, sessionId: string): Promise<void> {
    await this.prisma.transaction(async (tx) => {
      // If a renewal gets the lock first, `endFamily` also ends the new token of the renewal. A later renewal is refused.
      await lockAdmin(tx, adminId);
      await endFamily(tx, sessionId);
    });
  }

  /** Returns the session of a token, even if the session cannot be renewed. */
  async find(token: string): Promise<{ adminId: string; sessionId: string } | undefined> {
    const row = await tokenRow(await this.prisma.client(), token);
    return row && { adminId: row.adminId, sessionId: row.familyId };
  }

  private async attempt(tx: Prisma.TransactionClient, token: string): Promise<Outcome> {
    const known = await tokenRow(tx, token);
    if (!known) return { kind: 'refused' };
    const { id, adminId, familyId: sessionId } = known;
    // The lock prevents new tokens while a family is being ended, and two new tokens at once.
    await lockAdmin(tx, adminId);
    const row = await tx.refreshToken.findUnique({
      where: { id },
      include: { admin: { select: KNOWN_ADMIN } },
    });
    if (!row || row.revokedAt || row.expiresAt.getTime() <= Date.now()) return { kind: 'refused' };
    if (row.usedAt && Date.now() - row.usedAt.getTime() > GRACE_MS) {
      await endFamily(tx, sessionId);
      await this.audit.record(SYSTEM, 'session.token_reused', adminId, { session: sessionId }, tx);
      return { kind: 'reused', family: sessionId, admin: adminId };
    }
    if (!row.usedAt) await tx.refreshToken.update({ where: { id }, data: { usedAt: new Date() } });
    const successor = await this.successorOf(tx, token, row.usedAt !== null);
    const { idpSecondFactor, idpConfirmedAt: confirmedAt } = row;
    const idp = { secondFactor: idpSecondFactor, confirmedAt };
    const next = await insert(tx, { adminId, sessionId, token: successor, idp });
    const admin = await knownAdmin(tx, row.admin);
    return { kind: 'renewed', session: { ...next, admin, sessionId, idpSecondFactor } };
  }

  /**
   * Returns the successor of a token, derived from the token and `PIN_SECRET`. A token that is sent again gets the same
   * successor, even if another process derived the successor with the other value of `PIN_SECRET`.
   */
  private async successorOf(tx: Prisma.TransactionClient, token: string, wasUsed: boolean): Promise<string> {
    const [first, ...others] = this.keys
      .digests('next-refresh-token', token)
      .map((one) => one.toString('base64url')) as [string, ...string[]];
    for (const other of wasUsed ? others : []) if (await tokenRow(tx, other)) return other;
    return first;
  }
}

const tokenRow = async (db: Prisma.TransactionClient, token: string) =>
  (await db.refreshToken.findUnique({ where: { tokenDigest: digest(token) } })) ?? undefined;

async function endFamily(tx: Prisma.TransactionClient, familyId: string): Promise<void> {
  await tx.refreshToken.updateMany({
    where: { familyId, revokedAt: null },
    data: { revokedAt: new Date() },
  });
}

/** Inserts a token. If the same token already exists, keeps the existing row. */
async function insert(
  tx: Prisma.TransactionClient,
  { adminId, sessionId, token, idp }: TokenFacts,
): Promise<IssuedToken> {
  const ends = Math.min(Date.now() + IDLE_MS, timeOfId(sessionId).getTime() + LONGEST_MS);
  const expiresAt = new Date(ends);
  const data = {
    id: newId(),
    adminId,
    familyId: sessionId,
    tokenDigest: digest(token),
    expiresAt,
    address: requestAddress() ?? null,
    client: requestClient() ?? null,
    idpSecondFactor: idp.secondFactor,
    idpConfirmedAt: idp.confirmedAt,
  };
  await tx.refreshToken.createMany({ data, skipDuplicates: true });
  return { token, expiresAt };
}

const digest = (token: string) => createHash('sha256').update(token).digest();
