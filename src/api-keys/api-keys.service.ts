import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { newKey } from '../auth/api-keys/key-text.js';
import { SessionService } from '../auth/sessions/session.service.js';
import { actorOf, API_SCOPES, can, type Principal } from '../common/access/principal.js';
import { isId, newId } from '../common/crypto/ids.js';
import {
  ConflictError,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
} from '../common/errors/domain-errors.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import { Database, type Transaction } from '../data/database.js';
import { eventNotFound } from '../events/event-record.js';
import { BY_ID, COUNT, EVENTS, INSERT, LIST, LOCK, REVOKE } from './api-keys.sql.js';
import {
  type ApiKeyDto,
  type ApiKeyRow,
  type CreateApiKey,
  type CreatedApiKey,
  MOST_KEYS,
  type RevokedApiKey,
  toApiKey,
} from './dto/api-key.dto.js';

const DEFAULT_YEARS = 1;
const MOST_YEARS = 5;

/** Creates, lists and revokes the API keys of other programs. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly audit: Audit,
    private readonly sessions: SessionService,
  ) {}

  async list(): Promise<ApiKeyDto[]> {
    return (await this.database.query<ApiKeyRow>(LIST)).map(toApiKey);
  }

  /**
   * Creates a key. Only this answer contains the key.
   * @throws InvalidInputError `EXPIRY_OUT_OF_RANGE`
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
    const id = newId();
    const { text, prefix, digest } = newKey();
    return await this.database.transaction(async (tx) => {
      await assertRoom(tx);
      await assertEvents(tx, eventIds);
      tx.write(INSERT, [id, name, prefix, digest, scopes, eventIds, expiresAt, caller.id], 1);
      const detail = { scopes, events: eventIds.length, expiresAt: expiresAt.toISOString() };
      await this.audit.record(actorOf(caller), 'api_key.create', id, detail, tx);
      tx.afterCommit(() => {
        this.sessions.revoked(`api_key:${id}`);
      });
      const [row] = await tx.query<ApiKeyRow>(BY_ID, [id]);
      if (!row) throw keyNotFound();
      return { ...toApiKey(row), key: text };
    });
  }

  /**
   * Revokes a key. A repeat changes nothing. Other processes accept the key for at most two more seconds.
   * @throws NotFoundError `API_KEY_NOT_FOUND`
   */
  async revoke(caller: Principal, id: string): Promise<RevokedApiKey> {
    if (!isId(id)) throw keyNotFound();
    return await this.database.transaction(async (tx) => {
      const [row] = await tx.query<ApiKeyRow>(BY_ID, [id]);
      if (!row) throw keyNotFound();
      const revoked = await tx.query(REVOKE, [row.id]);
      if (revoked.length > 0) await this.audit.record(actorOf(caller), 'api_key.revoke', row.id, {}, tx);
      tx.afterCommit(() => {
        this.sessions.revoked(`api_key:${row.id}`);
      });
      return { id: row.id, revoked: true };
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

async function assertRoom(tx: Transaction): Promise<void> {
  await tx.query(LOCK);
  const [row] = await tx.query<{ count: number }>(COUNT);
  if ((row?.count ?? 0) >= MOST_KEYS)
    throw new ConflictError('TOO_MANY_API_KEYS', `At most ${MOST_KEYS} keys can work at once; revoke one first`);
}

async function assertEvents(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  if ((await tx.query(EVENTS, [ids])).length < ids.length) throw eventNotFound();
}
