import type { AuthenticatedRequest } from '../common/access/access.decorators.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { CommittedChanges, SETTINGS_CHANGED } from '../common/caching/committed-changes.js';
import { FreshReads, type Reading } from '../common/caching/fresh-reads.js';
import { type Soon, soon } from '../common/concurrency/concurrency.js';
import { KeptAnswers } from '../common/http/kept-answers.js';
import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { EditConflicts } from '../audit/edit-conflicts.service.js';
import { Database, type SqlExecutor, type Statement } from '../data/database.js';
import type { Prisma } from '../data/generated/client.js';
import { afterCommit, lock, PrismaService } from '../data/prisma.service.js';
import { readStored, settingsInForce, type JsonObject } from './stored-settings.js';
import type { Settings } from './settings.js';
import {
  beforeAndAfter,
  changedFields,
  patched,
  readExpected,
  readPatch,
  refuseUnexpected,
  withoutExpected,
} from './settings-patch.js';

const READ: Statement = { name: 'settings_read', text: 'SELECT value FROM global_settings WHERE id = 1' };
/** Locks the global settings until the commit. */
const LOCK: Statement = {
  name: 'settings_lock',
  text: 'SELECT 1 FROM global_settings WHERE id = 1 FOR UPDATE',
};

/** Selects the audit entries about changes of the global settings. */
export const SETTINGS_TRAIL = { subjectId: null, actions: ['settings.update'] };

const GLOBAL = 'global';
const GLOBAL_PATH = '/settings/global';

/** The global settings: as stored, and in effect (with defaults). */
export interface GlobalSettings {
  readonly stored: JsonObject;
  readonly inForce: Settings;
  /** `inForce` as JSON. */
  readonly text: string;
}

/** A change of the settings, with the request that made it. */
export interface SettingsChange {
  readonly before: Settings;
  readonly after: Settings;
  readonly request: AuthenticatedRequest;
}

/**
 * Checks a change of the global settings in its transaction, before the change is written. Throws an error to refuse the
 * change.
 */
export type SettingsGuard = (tx: Prisma.TransactionClient, change: SettingsChange) => Promise<void>;

/** Reads and changes the global settings, and applies an event's overrides. */
@Injectable()
export class SettingsService {
  private readonly kept = new FreshReads<GlobalSettings>(
    async () => {
      const stored = await readOne(this.database, READ);
      const inForce = settingsInForce(stored);
      return { value: { stored, inForce, text: JSON.stringify(inForce) }, subject: SETTINGS_CHANGED };
    },
    {
      max: 1,
      changes: this.changes,
      onKept: (_, reading) => {
        this.answers.keep(GLOBAL_PATH, GLOBAL_PATH, reading.value.text, reading);
      },
    },
  );

  private readonly guards: SettingsGuard[] = [];

  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaService,
    private readonly audit: Audit,
    private readonly conflicts: EditConflicts,
    private readonly answers: KeptAnswers,
    private readonly changes: CommittedChanges,
  ) {}

  /**
   * Registers a check for another module whose feature depends on a setting. The settings module does not import such modules.
   */
  beforeChange(guard: SettingsGuard): void {
    this.guards.push(guard);
  }

  /** Returns the global settings in effect. After a change by another instance, they can be up to one second old. */
  async global(): Promise<Settings> {
    return (await this.reading()).value.inForce;
  }

  /** Returns the last known global settings, for display only. They can be older while the database does not answer. */
  lastKnown(): Soon<Reading<GlobalSettings>> {
    return soon(this.kept.lastKnown(GLOBAL), present);
  }

  /** Returns the global settings with the time until which they are valid. */
  async reading(): Promise<Reading<GlobalSettings>> {
    return present(await this.kept.get(GLOBAL));
  }

  /** Returns the global settings with an event's stored overrides applied. */
  async effective(overrides: unknown): Promise<Settings & { isOverride: boolean }> {
    return readEffective((await this.reading()).value, overrides);
  }

  /**
   * Merges a patch into the global settings: `null` deletes a value, arrays replace.
   * @throws InvalidInputError for unknown keys, invalid values and contradictory settings
   * @throws EditConflictError if a setting does not have its expected value
   */
  async patchGlobal(raw: unknown, actor: Principal, request: AuthenticatedRequest): Promise<Settings> {
    const sent = withoutExpected(raw);
    const patch = readPatch(sent.patch);
    const expected = readExpected(sent.expected);
    return await this.conflicts.explaining(actor, [SETTINGS_TRAIL], () =>
      this.change({ patch, expected }, actor, request),
    );
  }

  private async change(
    { patch, expected }: { readonly patch: JsonObject; readonly expected: JsonObject | undefined },
    actor: Principal,
    request: AuthenticatedRequest,
  ): Promise<Settings> {
    const value = await this.prisma.transaction(async (tx) => {
      await tx.globalSettings.createMany({ data: { id: 1 }, skipDuplicates: true });
      await lock(tx, LOCK);
      const before = await this.storedIn(tx);
      refuseUnexpected(expected, patch, settingsInForce(before));
      const merged = patched(before, patch);
      const change = { before: settingsInForce(before), after: settingsInForce(merged), request };
      for (const guard of this.guards) await guard(tx, change);
      await tx.globalSettings.update({ where: { id: 1 }, data: { value: merged as Prisma.InputJsonObject } });
      const fields = changedFields(patch);
      const { currency } = settingsInForce(merged).payment;
      const values = beforeAndAfter(before, merged, fields);
      const detail = { fields, ...values, ...(values.after && { currency }) };
      await this.audit.record(actorOf(actor), 'settings.update', null, detail, tx);
      afterCommit(tx, () => {
        this.changes.announce(SETTINGS_CHANGED);
      });
      return merged;
    });
    return settingsInForce(value);
  }

  /** Returns the stored global settings, read in a transaction. */
  async storedIn(tx: SqlExecutor | Prisma.TransactionClient): Promise<JsonObject> {
    if (!('globalSettings' in tx)) return await readOne(tx, READ);
    return readStored((await tx.globalSettings.findUnique({ where: { id: 1 } }))?.value);
  }
}

/** Returns the global settings with an event's stored overrides applied. */
export function readEffective(
  { stored }: GlobalSettings,
  overrides: unknown,
): Settings & { isOverride: boolean } {
  const own = readStored(overrides);
  return { ...settingsInForce(stored, own), isOverride: Object.keys(own).length > 0 };
}

function present(reading: Reading<GlobalSettings> | undefined): Reading<GlobalSettings> {
  if (!reading) throw new Error('The global settings were not read');
  return reading;
}

async function readOne(executor: SqlExecutor, statement: Statement): Promise<JsonObject> {
  const [row] = await executor.query<{ value: unknown }>(statement);
  return readStored(row?.value);
}
