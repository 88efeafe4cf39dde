import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { applyMigrations } from '../../src/data/schema/migrate.js';
import { MIGRATIONS_FOLDER } from '../../src/data/schema/migrations.js';
import { CollationCheck } from '../../src/data/schema/collation-check.js';
import { startApp, type TestApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { createEmptyTestDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { adminToken, createEvent } from '../support/fixtures.js';
import { withOpened, withService } from '../support/setup.js';

/** Opens a new connection for each call, because a session caches the collation of its database. */
async function run<Row extends object>(
  { url }: TestDatabase,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Creates a database with ICU collation. Many hosts create databases like this. */
const icuDatabase = () => createEmptyTestDatabase("LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'und'");

/** Simulates an update of the operating system, which changes the collation rules but not the indexes. */
const changeOrderOfText = (database: TestDatabase) =>
  run(database, "UPDATE pg_database SET datlocale = 'und-u-ka-shifted' WHERE datname = current_database()");

/** The migrations that give keys made by the service their own collation. */
const KEY_MIGRATIONS = { first: '20261126172000', last: '20261126172024' };

const isOfKeys = (name: string) =>
  name >= KEY_MIGRATIONS.first && name.slice(0, KEY_MIGRATIONS.last.length) <= KEY_MIGRATIONS.last;

/** The names of all migrations, oldest first. */
const migrationNames = () =>
  readdirSync(MIGRATIONS_FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

/** Creates a folder with copies of migrations under the given names. */
function folderOf(names: readonly (readonly [migration: string, name: string])[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  for (const [migration, name] of names)
    cpSync(join(MIGRATIONS_FOLDER, migration), join(folder, name), { recursive: true });
  return folder;
}

/**
 * Applies the migrations before the key migrations and records all of them as complete, so that a server of the previous
 * release starts on this schema.
 */
async function schemaBeforeKeys(database: TestDatabase): Promise<void> {
  const names = migrationNames();
  await applyMigrations(
    database.url,
    folderOf(names.filter((name) => !isOfKeys(name)).map((name) => [name, name])),
  );
  for (const name of names.filter(isOfKeys)) {
    const sql = readFileSync(join(MIGRATIONS_FOLDER, name, 'migration.sql'));
    await run(
      database,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES (gen_random_uuid(), $1, $2, now(), 1)`,
      [createHash('sha256').update(sql).digest('hex'), name],
    );
  }
}

/**
 * Returns a folder with the key migrations before the given one. Their names are unknown to the running server, as in a newer
 * release.
 */
function keyMigrations(before?: RegExp): string {
  const names = migrationNames();
  const end = before ? names.findIndex((name) => before.test(name)) : names.length;
  const ofKeys = names.slice(0, end).filter(isOfKeys);
  return folderOf([
    ...names.map((name) => [name, name] as const),
    ...ofKeys.map((name) => [name, `${name}_again`] as const),
  ]);
}

/** Names whose order differs between the two collations. */
const NAMES = Array.from({ length: 8 }, (_, index) => [
  `gala-${index}`,
  `gala${index}`,
  `ga-la-${index}`,
]).flat();

describe('an operating system upgrade that changes the collation', () => {
  let app: TestApp;
  let token: string;
  afterAll(() => app.close());
  const database = withOpened(icuDatabase);

  const create = async (slug: string) =>
    (await as(app, token).post('/events', { name: 'Gala', slug, goalAmount: 1 })).status;
  const claim = (id: string) =>
    run(
      database,
      `INSERT INTO webhook_event (provider, webhook_event_id, kind, outcome) VALUES ('stripe', $1, 'x', 'booked')
       ON CONFLICT DO NOTHING RETURNING webhook_event_id`,
      [id],
    );

  beforeAll(async () => {
    await applyMigrations(database.url);
    app = await startApp({}, {}, database.url);
    token = await adminToken(app);
  });

  it('slugs, idempotency keys and webhook ids are found after the upgrade, and nothing is booked twice', async () => {
    const { id: eventId } = await createEvent(app, token);
    const record = async (key: string) => {
      const given = { eventId, amount: 500, type: 'cash' };
      const { body } = await as(app, token).post('/donations', given).set('Idempotency-Key', key).expect(201);
      return (body as { id: string }).id;
    };
    const before: string[] = [];
    for (const name of NAMES) {
      expect(await create(name)).toBe(201);
      expect(await claim(`evt_${name}`)).toHaveLength(1);
      before.push(await record(`till-${name}`));
    }
    await app.close();
    await changeOrderOfText(database);
    app = await startApp({}, {}, database.url);
    for (const [index, name] of NAMES.entries()) {
      expect([name, await create(name)]).toEqual([name, 409]);
      expect([name, await claim(`evt_${name}`)]).toEqual([name, []]);
      expect(await record(`till-${name}`)).toBe(before[index]);
    }
  });
});

describe('machine-made keys', () => {
  const database = withOpened(() => createTestDatabase());

  /**
   * These columns sort the same in every collation, because they have only lower-case letters and digits, or contain an e-mail
   * address.
   */
  const ORDERED_ALIKE = ['provider', 'currency', 'digest', 'email'];

  it('every unique index compares machine-made keys byte by byte', async () => {
    const rows = await run<{ column: string }>(
      database,
      `SELECT i.indrelid::regclass || '.' || a.attname AS column
       FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey::int2[], i.indcollation::oid[]) AS part (attnum, rules)
         JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = part.attnum
         JOIN pg_class t ON t.oid = i.indrelid
       WHERE i.indisunique AND t.relnamespace = 'public'::regnamespace AND t.relname <> '_prisma_migrations'
         AND part.rules NOT IN (0, '"C"'::regcollation) AND a.attname <> ALL($1) ORDER BY 1`,
      [ORDERED_ALIKE],
    );
    expect(rows).toEqual([]);
  });

  it('all key columns of the same name have the same collation, so that joins use their indexes', async () => {
    const rows = await run<{ column: string }>(
      database,
      `SELECT attrelid::regclass || '.' || attname AS column FROM pg_attribute JOIN pg_class t ON t.oid = attrelid
       WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r' AND attcollation NOT IN (0, '"C"'::regcollation)
         AND attname IN ('payment_id', 'capture_id', 'webhook_event_id', 'provider_refund_id', 'provider_dispute_id',
           'provider_payout_id', 'provider_item_id', 'idempotency_key', 'receipt_number', 'slug')`,
    );
    expect(rows).toEqual([]);
  });
});

describe('the key migrations', () => {
  const database = withOpened(icuDatabase);
  beforeAll(() => schemaBeforeKeys(database));
  const app = withService(() => startApp({}, {}, database.url));

  const files = async (names: string) =>
    new Map(
      (
        await run<{ name: string; file: string }>(
          database,
          `SELECT relname AS name, pg_relation_filenode(oid)::text AS file FROM pg_class WHERE relname = ANY($1)`,
          [names.split(' ')],
        )
      ).map(({ name, file }) => [name, file]),
    );

  it('the key migrations do not rewrite large tables or indexes, and a running server continues to answer', async () => {
    const admin = as(app, await adminToken(app));
    const { id: eventId, slug } = await createEvent(app, await adminToken(app));
    // The server first uses these statements, so that its connections have prepared statements for the old columns.
    const use = async (key: string) => {
      const given = { eventId, amount: 500, type: 'cash' };
      const { body } = await admin.post('/donations', given).set('Idempotency-Key', key).expect(201);
      await admin.get(`/events/${slug}`).expect(200);
      await admin.get(`/donations?eventId=${eventId}`).expect(200);
      return (body as { id: string }).id;
    };
    await Promise.all(Array.from({ length: 30 }, (_, index) => use(`key-${index}`)));
    const tables = await files('donation idempotency_key webhook_event email');

    await applyMigrations(database.url, keyMigrations(/_expand_donation_keys$/));
    const made = await files(
      'donation_payment_bytes donation_capture_bytes donation_receipt_bytes idempotency_key_bytes',
    );
    const [first] = await Promise.all([use('key-0'), applyMigrations(database.url, keyMigrations())]);
    expect(await use('key-0')).toBe(first);

    expect(await files('donation idempotency_key webhook_event email')).toEqual(tables);
    const taken = await files(
      'donation_provider_payment_id_key donation_provider_capture_id_key donation_receipt_number_key idempotency_key_pkey',
    );
    expect([...taken.values()].sort()).toEqual([...made.values()].sort());
  });
});

describe('a database with another collation version than its indexes', () => {
  let app: TestApp;
  let warnings: string[] = [];
  afterAll(async () => {
    Logger.overrideLogger(false);
    await app.close();
  });
  const database = withOpened(icuDatabase);

  const start = async () => {
    app = await startApp({}, {}, database.url);
    warnings = [];
    const warn = (line: unknown) => warnings.push(String(line));
    app.app.useLogger({ log: () => undefined, error: () => undefined, warn });
  };

  beforeAll(async () => {
    await applyMigrations(database.url);
    await run(database, "UPDATE pg_database SET datcollversion = '1.0' WHERE datname = current_database()");
    await start();
  });

  it('the log and /health name the changed collation until it is repaired as the manual says; /health stays up', async () => {
    expect(await app.app.get(CollationCheck).changed()).toBe(true);
    for (const path of ['/health', '/health']) {
      const { body } = await app.http.get(path).expect(200);
      expect(body).toMatchObject({
        status: 'ok',
        info: { database: { status: 'up', collation: 'changed' } },
      });
    }
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /^The collation of the database changed after its indexes were built \(default: 1\.0, now [\d.]+\)/,
    );

    await app.close();
    const name = new URL(database.url).pathname.slice(1);
    await run(database, `REINDEX DATABASE CONCURRENTLY ${name}`);
    await run(database, `ALTER DATABASE ${name} REFRESH COLLATION VERSION`);
    await start();
    const { body } = await app.http.get('/health').expect(200);
    expect((body as { info: object }).info).toMatchObject({ database: { status: 'up' } });
    expect(JSON.stringify(body)).not.toContain('collation');
    expect(warnings).toEqual([]);
  });
});
