import { Injectable, Logger } from '@nestjs/common';
import { API_SCOPE_NAMES } from '../../common/access/api-scope-names.js';
import {
  API_ROLE,
  type ApiPrincipal,
  capabilitiesOfKey,
  isAdminRole,
} from '../../common/access/principal.js';
import { answerCache } from '../../common/caching/answer-cache.js';
import { Database } from '../../data/database.js';
import { SessionService } from '../sessions/session.service.js';
import { LIVE_KEYS, type LiveKeyRow, NOTE_USE } from './api-key-check.sql.js';
import { isSameDigest, KEY_START, readKey } from './key-text.js';

/** Maximum time in which another process accepts a revoked key if Redis is not used. */
const KEPT_MS = 2_000;
const NOTED_EVERY_MS = 60_000;

interface LiveKey {
  readonly digest: Buffer;
  readonly principal: ApiPrincipal;
}

const BEARER_KEY = new RegExp(`^Bearer\\s+(${KEY_START}\\S*)\\s*$`, 'i');

/** Returns the API key in an `Authorization` header; undefined for a token of a session. */
export const keyIn = (header: string): string | undefined => BEARER_KEY.exec(header)?.[1];

/**
 * Checks API keys. All keys that work are cached together for two seconds, so unknown keys cause no queries. A revocation clears
 * the cache of every process, like the end of a session.
 */
@Injectable()
export class ApiKeyCheck {
  private readonly logger = new Logger(ApiKeyCheck.name);
  private readonly kept = answerCache<'all', ReadonlyMap<string, LiveKey>>(
    { max: 1, keptMs: KEPT_MS },
    async () => byPrefix(await this.database.query<LiveKeyRow>(LIVE_KEYS)),
  );
  /** Times of the last notes of a use, by key. */
  private readonly noted = new Map<string, number>();

  constructor(
    private readonly database: Database,
    sessions: SessionService,
  ) {
    // A change of the creator's account also changes the creator's keys.
    sessions.onRevoked(() => {
      this.kept.clear();
    });
  }

  /**
   * Returns the owner of a key; undefined if the key is mistyped, unknown, revoked or expired, or if its creator can no longer
   * sign in.
   * @throws the database error if the database is down
   */
  async principalOf(text: string): Promise<ApiPrincipal | undefined> {
    const sent = readKey(text);
    if (!sent) return undefined;
    const key = (await this.kept.fetch('all'))?.get(sent.prefix);
    if (!key || !isSameDigest(key.digest, sent.digest)) return undefined;
    if (key.principal.expiresAt.getTime() <= Date.now()) return undefined;
    this.noteUse(key.principal.id);
    return key.principal;
  }

  /** Returns the owner of a key with its present rights; undefined if the key no longer works. */
  async current(id: string): Promise<ApiPrincipal | undefined> {
    const live = (await this.kept.fetch('all'))?.values() ?? [];
    const principal = [...live].find((key) => key.principal.id === id)?.principal;
    return principal && principal.expiresAt.getTime() > Date.now() ? principal : undefined;
  }

  /** Returns the ids of all keys that work. */
  async liveIds(): Promise<ReadonlySet<string>> {
    const live = (await this.kept.fetch('all'))?.values() ?? [];
    return new Set([...live].map(({ principal }) => principal.id));
  }

  private noteUse(id: string): void {
    const now = performance.now();
    if (now - (this.noted.get(id) ?? -Infinity) < NOTED_EVERY_MS) return;
    this.noted.set(id, now);
    this.database.query(NOTE_USE, [id]).catch((error: unknown) => {
      this.noted.delete(id);
      this.logger.warn(`Use of an API key could not be noted: ${(error as Error).message}`);
    });
  }
}

function byPrefix(rows: readonly LiveKeyRow[]): Map<string, LiveKey> {
  const keys = new Map<string, LiveKey>();
  for (const { id, name, prefix, digest, scopes, event_ids, expires_at, role } of rows) {
    if (!isAdminRole(role)) continue;
    const principal: ApiPrincipal = {
      role: API_ROLE,
      id,
      name,
      scopes: API_SCOPE_NAMES.filter((scope) => scopes.includes(scope)),
      capabilities: capabilitiesOfKey(scopes, { role }, event_ids.length === 0),
      eventIds: event_ids.length === 0 ? null : new Set(event_ids),
      expiresAt: expires_at,
    };
    keys.set(prefix, { digest, principal });
  }
  return keys;
}
