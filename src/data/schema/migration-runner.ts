import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { CHANGES_CHANNEL } from '../channels.js';
import { type Migration, MigrationError } from './migrations.js';

const RETRY_MS = 1_000;
// Errors lock_not_available and deadlock_detected: the migration was rolled back and can be tried again.
const LOCKED = new Set(['55P03', '40P01']);
const NOT_IN_A_TRANSACTION = '25001';
// Matches only at the start of a line. `END;` is not included, because it closes the body of a function.
const ENDS_TRANSACTION =
  /^[ \t]*(?:BEGIN|START\s+TRANSACTION|COMMIT|ROLLBACK|ABORT)(?:\s+(?:WORK|TRANSACTION))?\s*;/im;

/**
 * Runs a migration and records it in the same transaction, so that either both are committed or none. Waits only briefly for a
 * table lock and tries again later, because all requests for the table wait behind this lock.
 */
export async function runInTransaction(
  client: pg.Client,
  migration: Migration,
  { tableLockMs, attempts }: { readonly tableLockMs: number; readonly attempts: number },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await attemptInTransaction(client, migration, tableLockMs);
      return;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      if (error instanceof MigrationError) throw error;
      if (!LOCKED.has(codeOf(error))) throw failure(migration, error);
      if (attempt >= attempts) {
        throw new MigrationError(
          `Migration ${migration.name} failed and was rolled back: a table stayed locked in ${attempts} attempts. ` +
            'Try again at a quieter time, or end the blocking transaction (pg_stat_activity).',
          { cause: error },
        );
      }
      await sleep(RETRY_MS);
    }
  }
}

async function attemptInTransaction(
  client: pg.Client,
  migration: Migration,
  tableLockMs: number,
): Promise<void> {
  if (ENDS_TRANSACTION.test(migration.sql)) throw ownTransaction(migration);
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${tableLockMs}`);
  const before = await transactionId(client);
  const startedAt = await clock(client);
  // The whole text is sent at once, because splitting at semicolons would break function bodies and strings.
  await client.query(migration.sql);
  if ((await transactionId(client)) !== before) throw ownTransaction(migration);
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, $4, clock_timestamp(), 1)`,
    [randomUUID(), migration.checksum, migration.name, startedAt],
  );
  // This notification makes running servers compare the schema at once. A release that does not know the new schema stops
  // writing.
  await client.query(`NOTIFY ${CHANGES_CHANNEL}`);
  await client.query('COMMIT');
}

const ownTransaction = ({ name }: Migration) =>
  new MigrationError(
    `Migration ${name} contains a BEGIN, COMMIT or ROLLBACK, so it could not be rolled back as a whole. ` +
      'Remove it: every migration already runs in a transaction.',
  );

const COMMENTS = /(?:\s+|--[^\n]*\n?|\/\*[\s\S]*?\*\/)*/.source;
const NAME = /(?:"([^"]+)"|([a-z_][a-z0-9_]*))/.source;
const MAKES_INDEX = new RegExp(
  `^${COMMENTS}CREATE\\s+(?:UNIQUE\\s+)?INDEX\\s+CONCURRENTLY\\s+IF\\s+NOT\\s+EXISTS\\s+${NAME}\\s`,
  'i',
);
const DROPS_INDEX = new RegExp(
  `^${COMMENTS}DROP\\s+INDEX\\s+CONCURRENTLY\\s+IF\\s+EXISTS\\s+${NAME}\\s*;?`,
  'i',
);

/**
 * Runs a migration that PostgreSQL refuses in a transaction, such as creating or dropping an index concurrently. The migration
 * must be a single statement, because PostgreSQL runs several statements in one script as a transaction. The statement must be
 * repeatable after an interruption.
 */
export async function runOutsideTransaction(client: pg.Client, migration: Migration): Promise<void> {
  const made = MAKES_INDEX.exec(migration.sql);
  const index = made?.[1] ?? made?.[2]?.toLowerCase();
  if (!index && !DROPS_INDEX.test(migration.sql)) {
    throw new MigrationError(
      `Migration ${migration.name} is marked "no transaction". Such a migration contains one repeatable statement: ` +
        'CREATE INDEX CONCURRENTLY IF NOT EXISTS … or DROP INDEX CONCURRENTLY IF EXISTS …',
    );
  }
  const id = randomUUID();
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    migration.checksum,
    migration.name,
  ]);
  try {
    // Drops the invalid index that a failed attempt leaves. Otherwise, IF NOT EXISTS would accept this index.
    if (index) await dropInvalid(client, index);
    await client.query(migration.sql);
  } catch (error) {
    if (index) await dropInvalid(client, index).catch(() => undefined);
    await client.query('UPDATE _prisma_migrations SET logs = $2, rolled_back_at = now() WHERE id = $1', [
      id,
      reasonOf(error),
    ]);
    throw failure(migration, error);
  }
  await client.query(
    'UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = $1',
    [id],
  );
  await client.query(`NOTIFY ${CHANGES_CHANNEL}`);
}

async function dropInvalid(client: pg.Client, index: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
      WHERE c.relname = $1 AND c.relnamespace = to_regnamespace(current_schema()::text) AND NOT i.indisvalid`,
    [index],
  );
  for (const { name } of rows) await client.query(`DROP INDEX CONCURRENTLY ${client.escapeIdentifier(name)}`);
}

async function transactionId(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
  return rows[0]?.id;
}

async function clock(client: pg.Client): Promise<Date | undefined> {
  const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return rows[0]?.now;
}

function failure({ name }: Migration, error: unknown): MigrationError {
  const hint =
    codeOf(error) === NOT_IN_A_TRANSACTION
      ? ' Move that statement to a separate migration with "-- migrate: no transaction" as its first line.'
      : '';
  return new MigrationError(`Migration ${name} failed and was rolled back: ${reasonOf(error)}.${hint}`, {
    cause: error,
  });
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';
