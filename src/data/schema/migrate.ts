import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { MIGRATION_LOCK, PRISMA_MIGRATION_LOCK } from '../advisory-locks.js';
import { connectClient, DatabaseUnusableError } from '../connect.js';
import { MAKE_UTF8 } from './database-warnings.js';
import {
  APPLIED_MIGRATIONS,
  type AppliedMigration,
  isExpansion,
  isUnedited,
  type Migration,
  MigrationError,
  MIGRATIONS_FOLDER,
  readMigrations,
  schemaTooNew,
  unknownMigrations,
} from './migrations.js';
import { sqlStateOf } from '../../common/errors/sql-state.js';
import { INSUFFICIENT_PRIVILEGE, ownershipProblem } from './ownership.js';
import { runInTransaction, runOutsideTransaction } from './migration-runner.js';

const OLDEST_SERVER = 150_000;
const UNDEFINED_TABLE = '42P01';

/** Time limits for locks. */
export interface MigrationWaits {
  /** Maximum wait for another process that is migrating. */
  readonly migratorMs: number;
  /** Maximum wait for a table lock. Meanwhile, all later requests for this table wait too. */
  readonly tableLockMs: number;
  /** Maximum number of attempts to lock a table. */
  readonly attempts: number;
}

const WAITS: MigrationWaits = { migratorMs: 120_000, tableLockMs: 2_000, attempts: 30 };
const POLL_MS = 100;

// The Prisma tools create the same table, so that this service and the Prisma tools can both read it.
const CREATE_HISTORY = `CREATE TABLE _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
)`;

/**
 * Applies all missing migrations and records them in `_prisma_migrations`, like `prisma migrate deploy`. If several processes
 * start this at once, one applies the migrations and the others wait.
 * @param databaseUrl `postgresql://…`; the database must exist and be PostgreSQL 15 or newer
 * @returns the names of the migrations applied now, oldest first; empty if none was missing
 * @throws MigrationError if the database is unreachable or belongs to a newer release, if a migration fails (it is rolled
 * back), or if a migration was edited after it was applied
 */
export async function applyMigrations(
  databaseUrl: string,
  folder = MIGRATIONS_FOLDER,
  waits: Partial<MigrationWaits> = {},
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const settings = { ...WAITS, ...waits };
  return withMigrationLock(databaseUrl, settings.migratorMs, async (client) => {
    const applied = await settledHistory(client);
    requireKnownHistory(migrations, applied);
    const done = new Set(applied.map(({ migration_name }) => migration_name));
    const names: string[] = [];
    for (const migration of migrations.filter(({ name }) => !done.has(name))) {
      const runsOutside = /^-- migrate: no transaction[ \t]*\r?\n/.test(migration.sql);
      await (runsOutside
        ? runOutsideTransaction(client, migration)
        : runInTransaction(client, migration, settings));
      names.push(migration.name);
    }
    return names;
  });
}

/** Returns the finished migrations. Creates the history table if it does not exist. */
async function settledHistory(client: pg.Client): Promise<AppliedMigration[]> {
  let rows: AppliedMigration[];
  try {
    ({ rows } = await client.query<AppliedMigration>(APPLIED_MIGRATIONS));
  } catch (error) {
    if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error;
    await requireEmptySchema(client);
    await requireUtf8(client);
    await client.query(CREATE_HISTORY);
    return [];
  }
  // Because of the lock, no other migration is running. So an unfinished migration has failed, or its process was killed.
  // Either the database rolled it back, or it ran outside a transaction and can run again.
  const unfinished = rows.filter(({ finished_at }) => finished_at === null);
  await client.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = ANY($1) AND finished_at IS NULL',
    [unfinished.map(({ id }) => id)],
  );
  return rows.filter(({ finished_at }) => finished_at !== null);
}

/** Refuses encodings other than UTF-8, because they lose or cut names. The encoding cannot be changed later. */
async function requireUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    "SELECT current_setting('server_encoding') AS encoding",
  );
  const encoding = rows[0]?.encoding;
  if (encoding === 'UTF8') return;
  throw new MigrationError(
    `The database is encoded in ${encoding ?? 'nothing known'}, which cannot store all names. Create another one: ${MAKE_UTF8}`,
  );
}

/** Refuses a schema that has tables but no migration history, because the tables belong to another program. */
async function requireEmptySchema(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
      WHERE c.relnamespace = to_regnamespace(current_schema()::text) AND c.relkind IN ('r', 'p', 'v', 'm') LIMIT 3`,
  );
  if (rows.length === 0) return;
  throw new MigrationError(
    `The database is not empty (${rows.map(({ name }) => name).join(', ')}), but no migration was ever applied to it. ` +
      'Check that DATABASE_URL names the right database.',
  );
}

function requireKnownHistory(migrations: readonly Migration[], applied: readonly AppliedMigration[]): void {
  const known = migrations.map(({ name }) => name);
  const unknown = unknownMigrations(known, applied).filter((name) => !isExpansion(name));
  if (unknown.length > 0) throw new MigrationError(schemaTooNew(unknown));
  const edited = migrations.filter((migration) => {
    const row = applied.find(({ migration_name }) => migration_name === migration.name);
    return row && !isUnedited(migration, row);
  });
  if (edited.length > 0) {
    throw new MigrationError(
      `Edited after they were applied: ${edited.map(({ name }) => name).join(', ')}. ` +
        'Restore the applied version and put the change into a new migration.',
    );
  }
}

/**
 * Runs `work` on a connection that holds two locks: first the lock of this service, then the lock of the Prisma tools. The
 * session that migrates holds the locks. So after a crash, PostgreSQL releases them when the last statement of the session
 * ends.
 */
async function withMigrationLock<T>(
  databaseUrl: string,
  waitMs: number,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connectClient(databaseUrl, 'donations-migrate').catch((error: unknown) => {
    if (!(error instanceof DatabaseUnusableError)) throw error;
    throw new MigrationError(`The database is unreachable: ${error.reason}`, { cause: error });
  });
  try {
    await requireSupportedServer(client);
    // Removes the time limits of the role. They are meant for requests, not for building an index.
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    const deadline = performance.now() + waitMs;
    for (const lock of [MIGRATION_LOCK, PRISMA_MIGRATION_LOCK]) {
      // Tries repeatedly instead of waiting, because a waiting statement would keep a snapshot open.
      while (!(await tryLock(client, lock))) {
        if (performance.now() > deadline) {
          throw new MigrationError(
            `Another process has been migrating this database for over ${waitMs / 1000} seconds.`,
          );
        }
        await sleep(POLL_MS);
      }
    }
    return await work(client);
  } catch (error) {
    if (sqlStateOf(error) === INSUFFICIENT_PRIVILEGE) {
      const problem = await ownershipProblem(client);
      if (problem !== undefined) throw new MigrationError(problem, { cause: error });
    }
    throw error instanceof MigrationError
      ? error
      : new MigrationError(`The migrations could not be applied: ${reasonOf(error)}`, { cause: error });
  } finally {
    // The end of the session releases the locks.
    await client.end().catch(() => undefined);
  }
}

async function tryLock(client: pg.Client, lock: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock($1::bigint) AS locked',
    [lock],
  );
  return rows[0]?.locked === true;
}

async function requireSupportedServer(client: pg.Client): Promise<void> {
  const problem = await unsupportedServer(client);
  if (problem !== undefined) throw new MigrationError(problem);
}

/** Returns the problem of a server that is too old, in one line. */
export async function unsupportedServer(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ number: string; name: string }>(
    "SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name",
  );
  return Number(rows[0]?.number) < OLDEST_SERVER
    ? `PostgreSQL 15 or newer is required; this server is ${rows[0]?.name ?? 'unknown'}.`
    : undefined;
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
