import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { MIGRATION_LOCK } from './advisory-locks.js';
import { withSchemaEngine } from './migration-engine.js';

/** `prisma/` lies beside both `src/` and `dist/`. */
const PRISMA_FOLDER = resolve(dirname(fileURLToPath(import.meta.url)), '../../prisma');
const MIGRATIONS_FOLDER = join(PRISMA_FOLDER, 'migrations');
const SCHEMA_FILE = join(PRISMA_FOLDER, 'schema.prisma');
const OLDEST_SERVER = 150_000;
const LOCK_WAIT = { timeoutMs: 120_000, pollMs: 100 } as const;
const EMPTY_SCHEMA: [string, string][] = [['schema.prisma', 'datasource db { provider = "postgresql" }']];
const NO_FILTER = { externalTables: [], externalEnums: [] };

/** A migration could not be applied; the message says which, why, and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/**
 * Brings a database to the newest migration, recording what was done in `_prisma_migrations` exactly as
 * `prisma migrate deploy` does. Several starters at once are safe: one applies, the others wait.
 *
 * @param databaseUrl `postgresql://…`; the database must exist and be PostgreSQL 15 or newer
 * @returns the names of the migrations applied now, oldest first; empty when there was nothing to do
 * @throws MigrationError when the database cannot be reached, or a migration fails or was edited after use
 */
export async function applyMigrations(
  databaseUrl: string,
  migrationsDir = MIGRATIONS_FOLDER,
): Promise<string[]> {
  const migrationsList = await readMigrations(migrationsDir);
  return withMigrationLock(databaseUrl, () =>
    withSchemaEngine(databaseUrl, EMPTY_SCHEMA, async (engine) => {
      try {
        await settleHistory(engine, migrationsList);
        const { appliedMigrationNames } = await engine.applyMigrations({
          migrationsList,
          filters: NO_FILTER,
        });
        return appliedMigrationNames;
      } catch (error) {
        throw asMigrationError(error);
      }
    }),
  );
}

async function settleHistory(engine: SchemaEngine, migrationsList: MigrationList): Promise<void> {
  const diagnose = () =>
    engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters: NO_FILTER });
  // A script is sent whole and so runs in one transaction: what failed, or was killed, left nothing behind
  // and may be mended and tried again.
  for (const migrationName of (await diagnose()).failedMigrationNames) {
    await engine.markMigrationRolledBack({ migrationName });
  }
  const { editedMigrationNames } = await diagnose();
  if (editedMigrationNames.length > 0) {
    throw new MigrationError(
      `Edited after having been applied: ${editedMigrationNames.join(', ')}. ` +
        'Restore what was applied and put the change into a new migration.',
    );
  }
}

/**
 * What would have to be run on a migrated database for it to match `prisma/schema.prisma`.
 *
 * @returns SQL statements; empty when schema and migrations agree. What the Prisma language cannot express
 *   (check constraints, partial and expression indexes, triggers, storage settings) is not compared.
 */
export async function schemaDrift(databaseUrl: string, schemaFile = SCHEMA_FILE): Promise<string> {
  const content = await readFile(schemaFile, 'utf8');
  return withSchemaEngine(databaseUrl, [[schemaFile, content]], async (engine) => {
    const { stdout } = await engine.diff({
      from: {
        tag: 'schemaDatasource',
        files: [{ path: schemaFile, content }],
        configDir: dirname(schemaFile),
      },
      to: { tag: 'schemaDatamodel', files: [{ path: schemaFile, content }] },
      script: true,
      exitCode: null,
      filters: NO_FILTER,
    });
    // An empty script consists of comments only.
    return (stdout ?? '').replace(/^--.*$/gm, '').trim();
  });
}

async function readMigrations(baseDir: string): Promise<MigrationList> {
  const entries = await readdir(baseDir, { withFileTypes: true }).catch(() => {
    throw new MigrationError(`There is no migrations folder at ${baseDir}.`);
  });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  const migrationDirectories = await Promise.all(
    names.map(async (path) => ({
      path,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: await readFile(join(baseDir, path, 'migration.sql'), 'utf8') },
      },
    })),
  );
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories,
  };
}

/** Holds a session lock on the server meanwhile. Polled, so that a waiter never holds a snapshot open. */
async function withMigrationLock<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'migration-lock' });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw new MigrationError(`The database cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
  try {
    await requireSupportedServer(client);
    const deadline = Date.now() + LOCK_WAIT.timeoutMs;
    while (!(await tryLock(client))) {
      if (Date.now() > deadline) {
        throw new MigrationError(
          `Another process has been migrating this database for over ${String(LOCK_WAIT.timeoutMs / 1000)} seconds.`,
        );
      }
      await sleep(LOCK_WAIT.pollMs);
    }
    return await work();
  } finally {
    // Ending the session frees the lock.
    await client.end().catch(() => undefined);
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock($1::bigint) AS locked',
    [MIGRATION_LOCK],
  );
  return rows[0]?.locked === true;
}

async function requireSupportedServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string }>(
    "SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name",
  );
  if (Number(rows[0]?.number) < OLDEST_SERVER) {
    throw new MigrationError(
      `PostgreSQL 15 or newer is needed; this server is ${rows[0]?.name ?? 'unknown'}.`,
    );
  }
}

function asMigrationError(error: unknown): MigrationError {
  if (error instanceof MigrationError) return error;
  const text = reasonOf(error);
  const name = /migration_name="([^"]+)"/.exec(text)?.[1];
  // The engine appends the trail of its own calls, one indented line each.
  const reason = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s|^external connector error/.test(line))
    .join(' ');
  const what = name ? `Migration ${name} failed and was rolled back` : 'The migrations could not be applied';
  return new MigrationError(`${what}: ${reason}`, { cause: error });
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
