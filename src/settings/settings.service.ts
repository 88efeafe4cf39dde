import { actorOf } from '../common/access/actor.js';
import type { Principal } from '../common/access/principal.js';
import { answerCache } from '../common/answer-cache.js';
import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { Database, type SqlExecutor, type Statement } from '../data/database.js';
import { readStored, settingsInForce } from './effective-settings.js';
import type { JsonObject } from './json-merge.js';
import type { Settings } from './settings.js';
import { changedFields, patched, readPatch } from './settings-patch.js';

const READ: Statement = { name: 'settings_read', text: 'SELECT value FROM global_settings WHERE id = 1' };
const MAKE: Statement = {
  name: 'settings_make',
  text: 'INSERT INTO global_settings (id) VALUES (1) ON CONFLICT (id) DO NOTHING',
};
const LOCK: Statement = {
  name: 'settings_lock',
  text: 'SELECT value FROM global_settings WHERE id = 1 FOR UPDATE',
};
const WRITE: Statement = {
  name: 'settings_write',
  text: 'UPDATE global_settings SET value = $1::jsonb, updated_at = now() WHERE id = 1',
};

const CACHE_MS = 1_000;

/** The global settings, and an event's overrides over them. */
@Injectable()
export class SettingsService {
  private readonly kept = answerCache<'global', JsonObject>({ max: 1, keptMs: CACHE_MS }, () =>
    readOne(this.database, READ),
  );

  constructor(
    private readonly database: Database,
    private readonly audit: Audit,
  ) {}

  /** The global settings in force. At most a second old when another instance changed them. */
  async global(): Promise<Settings> {
    return settingsInForce(await this.stored());
  }

  /** The global settings with an event's stored overrides over them. */
  async effective(overrides: unknown): Promise<Settings & { isOverride: boolean }> {
    const own = readStored(overrides);
    return { ...settingsInForce(await this.stored(), own), isOverride: Object.keys(own).length > 0 };
  }

  /**
   * Merges a raw patch into the global settings: `null` deletes, arrays replace.
   * @throws InvalidInputError for unknown keys, wrong values, and settings that would contradict themselves
   */
  async patchGlobal(raw: unknown, actor: Principal): Promise<Settings> {
    const patch = readPatch(raw);
    const value = await this.database.transaction(async (tx) => {
      await tx.query(MAKE);
      const merged = patched(await readOne(tx, LOCK), patch);
      await tx.query(WRITE, [JSON.stringify(merged)]);
      await this.audit.record(actorOf(actor), 'settings.update', null, { fields: changedFields(patch) }, tx);
      tx.afterCommit(() => this.kept.delete('global'));
      return merged;
    });
    return settingsInForce(value);
  }

  /** The stored global settings inside a transaction, as they are at this moment. */
  async storedIn(tx: SqlExecutor): Promise<JsonObject> {
    return await readOne(tx, READ);
  }

  private async stored(): Promise<JsonObject> {
    return (await this.kept.fetch('global')) ?? {};
  }
}

async function readOne(executor: SqlExecutor, statement: Statement): Promise<JsonObject> {
  const [row] = await executor.query<{ value: unknown }>(statement);
  return readStored(row?.value);
}
