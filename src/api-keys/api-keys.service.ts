import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { ApiKeyCheck } from '../auth/api-keys/api-key-check.service.js';
import { newKey } from '../auth/api-keys/key-text.js';
import { SessionService } from '../auth/sessions/session.service.js';
import {
  actorOf,
  API_SCOPES,
  can,
  type Principal,
  SCOPES_OF_ALL_EVENTS,
} from '../common/access/principal.js';
import { isId, newId } from '../common/crypto/ids.js';
import {
  ConflictError,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
} from '../common/errors/domain-errors.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import { API_KEYS_LOCK, transactionLock } from '../data/advisory-locks.js';
import type { Prisma } from '../data/generated/client.js';
import { afterCommit, lock, PrismaService } from '../data/prisma.service.js';
import { eventNotFound } from '../events/event-record.js';
import {
  type ApiKeyDto,
  type CreateApiKey,
  type CreatedApiKey,
  MOST_KEYS,
  type RevokedApiKey,
  toApiKey,
  WITH_CREATOR,
} from './dto/api-key.dto.js';

const DEFAULT_YEARS = 1;
const MOST_YEARS = 5;
/** Time for which the list shows a key after its end. */
const SHOWN_MS = 30 * 86_400_000;

/** Creates, lists and revokes the API keys of other programs. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly check: ApiKeyCheck,
    private readonly audit: Audit,
    private readonly sessions: SessionService,
  ) {}

  async list(): Promise<ApiKeyDto[]> {
    const { apiKey } = await this.prisma.client();
    const since = new Date(Date.now() - SHOWN_MS);
    const [rows, live] = await Promise.all([
      apiKey.findMany({
        where: { expiresAt: { gt: since }, OR: [{ revokedAt: null }, { revokedAt: { gt: since } }] },
        include: WITH_CREATOR,
        orderBy: { id: 'desc' },
      }),
      this.check.liveIds(),
    ]);
    return rows.map((row) => toApiKey(row, live.has(row.id)));
  }

  /**
   * Creates a key. Only this answer contains the key.
   * @throws InvalidInputError `EXPIRY_OUT_OF_RANGE`, `SCOPE_NEEDS_ALL_EVENTS`
   * @throws ForbiddenError `SCOPE_FORBIDDEN` if the caller lacks a capability of a scope
   * @throws NotFoundError `EVENT_NOT_FOUND`
   * @throws ConflictError `TOO_MANY_API_KEYS`
   */
  async create(caller: Principal, sent: CreateApiKey): Promise<CreatedApiKey> {
    const { name, scopes } = sent;
    for (const scope of scopes)
      if (!API_SCOPES[scope].every((capability) => can(caller, capability)))
        throw new ForbiddenError('SCOPE_FORBIDDEN', `You may not give the scope ${scope}`);
    const expiresAt = expiryOf(sent.expiresAt);
    const eventIds = [...new Set((sent.eventIds ?? []).map((one) => one.toLowerCase()))];
    if (eventIds.length > 0 && scopes.some((scope) => SCOPES_OF_ALL_EVENTS.includes(scope)))
      throw new InvalidInputError(
        'SCOPE_NEEDS_ALL_EVENTS',
        `A key for some events cannot have the scope ${SCOPES_OF_ALL_EVENTS.join(', ')}`,
      );
    const id = newId();
    const { text, prefix, digest } = newKey();
    const row = await this.prisma.transaction(async (tx) => {
      await assertRoom(tx);
      if ((await tx.event.count({ where: { id: { in: eventIds } } })) < eventIds.length)
        throw eventNotFound();
      const made = await tx.apiKey.create({
        data: { id, name, prefix, digest, scopes, eventIds, expiresAt, createdBy: caller.id },
        include: WITH_CREATOR,
      });
      const detail = { scopes: scopes.join(', '), events: eventIds.length };
      await this.audit.record(actorOf(caller), 'api_key.create', id, detail, tx);
      this.announce(tx, id);
      return made;
    });
    return Object.assign(toApiKey(row, true), { key: text });
  }

  /**
   * Revokes a key. A repeat changes nothing. Other processes accept the key for at most two more seconds.
   * @throws NotFoundError `API_KEY_NOT_FOUND`
   */
  async revoke(caller: Principal, id: string): Promise<RevokedApiKey> {
    if (!isId(id)) throw keyNotFound();
    return await this.prisma.transaction(async (tx) => {
      const found = await tx.apiKey.findUnique({ where: { id }, select: { id: true } });
      if (!found) throw keyNotFound();
      const { count } = await tx.apiKey.updateMany({
        where: { id, revokedAt: null },
        data: { revokedAt: new Date() },
      });
      if (count > 0) await this.audit.record(actorOf(caller), 'api_key.revoke', found.id, {}, tx);
      this.announce(tx, found.id);
      return { id: found.id, revoked: true };
    });
  }

  private announce(tx: Prisma.TransactionClient, id: string): void {
    afterCommit(tx, () => {
      this.sessions.revoked(`api_key:${id}`);
    });
  }
}

const keyNotFound = () => new NotFoundError('API_KEY_NOT_FOUND', 'There is no such API key');

function expiryOf(sent: string | undefined): Date {
  const expiresAt = sent === undefined ? inYears(DEFAULT_YEARS) : parseInstant(sent);
  if (!expiresAt || expiresAt.getTime() <= Date.now() || expiresAt > inYears(MOST_YEARS))
    throw new InvalidInputError(
      'EXPIRY_OUT_OF_RANGE',
      `expiresAt must be in the future and at most ${MOST_YEARS} years from now`,
    );
  return expiresAt;
}

function inYears(years: number): Date {
  const time = new Date();
  time.setUTCFullYear(time.getUTCFullYear() + years);
  return time;
}

async function assertRoom(tx: Prisma.TransactionClient): Promise<void> {
  await lock(tx, transactionLock(API_KEYS_LOCK));
  const now = new Date();
  if ((await tx.apiKey.count({ where: { revokedAt: null, expiresAt: { gt: now } } })) >= MOST_KEYS)
    throw new ConflictError(
      'TOO_MANY_API_KEYS',
      `At most ${MOST_KEYS} keys can work at once; revoke one first`,
    );
}
