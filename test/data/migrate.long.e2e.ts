import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { deployAsPrisma, schemaDrift } from '../../scripts/schema-engine.mjs';
import { databaseWarnings } from '../../src/data/schema/database-warnings.js';
import { applyMigrations } from '../../src/data/schema/migrate.js';
import { MigrationError, readMigrations } from '../../src/data/schema/migrations.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

describe('migrations', () => {
  let database: TestDatabase;
  let folder: string;
  let client: pg.Client;

  const write = (name: string, sql: string) => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'migration.sql'), sql);
  };
  const tables = async () => {
    const { rows } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  };

  /** Returns all columns of the migration records except ids and times, and the definition of their table. */
  const history = async (of: pg.Client) => ({
    rows: (
      await of.query<Record<string, unknown>>(
        `SELECT migration_name, checksum, logs, rolled_back_at, applied_steps_count, length(id) AS id,
                finished_at >= started_at AS finished
           FROM _prisma_migrations ORDER BY started_at, migration_name`,
      )
    ).rows,
    columns: (
      await of.query<Record<string, unknown>>(
        `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
           FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`,
      )
    ).rows,
  });

  beforeEach(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'donations-migrations-'));
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  });

  afterEach(async () => {
    await client.end();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('applies new migrations in order, each once', async () => {
    write('1_first', 'CREATE TABLE a (x int);');
    expect(await applyMigrations(database.url, folder)).toEqual(['1_first']);
    write('2_second', 'CREATE TABLE b (x int); INSERT INTO a VALUES (1);');
    expect(await applyMigrations(database.url, folder)).toEqual(['2_second']);
    expect(await applyMigrations(database.url, folder)).toEqual([]);
    expect(await tables()).toEqual(['a', 'b']);
  });

  it('sends a migration as one script, so that function bodies and strings keep their semicolons', async () => {
    write(
      '1_function',
      `CREATE FUNCTION two() RETURNS int AS $$ BEGIN PERFORM 1; RETURN 2; END $$ LANGUAGE plpgsql;
       CREATE TABLE t (x text DEFAULT 'a;b');`,
    );
    await applyMigrations(database.url, folder);
    expect((await client.query('SELECT two() AS n')).rows).toEqual([{ n: 2 }]);
  });

  it('applies each migration once when several servers start at the same time', async () => {
    write('1_first', 'CREATE TABLE a (x int); SELECT pg_sleep(0.2);');
    write('2_second', 'CREATE TABLE b (x int);');
    const applied = await Promise.all([1, 2, 3, 4].map(() => applyMigrations(database.url, folder)));
    expect(applied.flat().sort()).toEqual(['1_first', '2_second']);
  });

  it('rolls back a failed migration, names it with the reason, and applies the corrected one', async () => {
    write('1_first', 'CREATE TABLE a (x int);');
    write('2_broken', 'CREATE TABLE b (x int); SELECT 1 / 0;');
    const failure = applyMigrations(database.url, folder);
    await expect(failure).rejects.toBeInstanceOf(MigrationError);
    await expect(failure).rejects.toThrow(
      /Migration 2_broken failed and was rolled back: .*division by zero/,
    );
    expect(await tables()).toEqual(['a']);
    write('2_broken', 'CREATE TABLE b (x int);');
    expect(await applyMigrations(database.url, folder)).toEqual(['2_broken']);
  });

  it('refuses a migration that was edited after it was applied', async () => {
    write('1_first', 'CREATE TABLE a (x int);');
    await applyMigrations(database.url, folder);
    write('1_first', 'CREATE TABLE a (x bigint);');
    await expect(applyMigrations(database.url, folder)).rejects.toThrow(
      /^Edited after they were applied: 1_first/,
    );
  });

  it('records migrations like `prisma migrate deploy`, which then finds nothing to do', async () => {
    const model = await createTestDatabase();
    const other = new pg.Client({ connectionString: model.url });
    await other.connect();
    try {
      await other.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      const migrations = await readMigrations();
      expect(migrations.length).toBeGreaterThan(3);
      await deployAsPrisma(model.url, migrations);
      await applyMigrations(database.url);
      const [ours, theirs] = [await history(client), await history(other)];
      expect(ours).toEqual(theirs);
      expect(ours.rows).toHaveLength(migrations.length);
      expect(await deployAsPrisma(database.url, migrations)).toEqual([]);
      expect(await applyMigrations(model.url)).toEqual([]);
    } finally {
      await other.end();
      await model.drop();
    }
  });

  it('upgrades a database of release 0.1.0 and keeps its data', async () => {
    const migrations = await readMigrations();
    await deployAsPrisma(database.url, migrations.slice(0, 4));
    await client.query(
      `INSERT INTO event (id, name, slug, goal_amount, currency, status, created_at, updated_at)
       VALUES (gen_random_uuid(), 'Gala', 'gala', 100000, 'eur', 'active', now(), now())`,
    );
    expect(await applyMigrations(database.url)).toEqual(migrations.slice(4).map(({ name }) => name));
    expect((await client.query('SELECT slug FROM event')).rows).toEqual([{ slug: 'gala' }]);
    expect(await schemaDrift(database.url)).toBe('');
  });

  it('keeps the record keys that terminals may repeat; a random UUID becomes the key of its record', async () => {
    const migrations = await readMigrations();
    const before = migrations.findIndex(({ name }) => name.endsWith('_record_keys'));
    await deployAsPrisma(database.url, migrations.slice(0, before));
    const [mine, shared] = ['0b6f7c0e-7e0b-4c57-9c1e-5d3c0f6b2a11', '4D2A9E52-0A57-4F0B-8F57-3E1B0C9D7A22'];
    const keys = [
      ['staff:1', mine, '1 min'],
      ['staff:1', shared, '2 min'],
      ['staff:2', shared, '1 min'],
      ['admin:3', '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f', '1 min'],
      ['staff:1', 'till-1-0001', '1 min'],
      ['intent:4', mine, '1 min'],
    ];
    for (const values of keys)
      await client.query(
        `INSERT INTO idempotency_key (scope, key, request_digest, donation_id, created_at)
         VALUES ($1, $2, '', gen_random_uuid(), now() - $3::interval)`,
        values,
      );
    expect(await applyMigrations(database.url)).toContain(migrations[before]?.name);
    const { rows } = await client.query('SELECT scope, key FROM idempotency_key');
    expect(new Set(rows.map(({ scope, key }: Record<string, string>) => `${scope} ${key}`))).toEqual(
      new Set([
        `record ${mine}`,
        `record ${shared}`,
        `staff:2 ${shared}`,
        'admin:3 0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
        'staff:1 till-1-0001',
        `intent:4 ${mine}`,
      ]),
    );
  });

  it('migrates the published position of each event feed from the marks of its rows', async () => {
    const mark = '20261125210000_published_sequence';
    const names = readdirSync('prisma/migrations').filter((name) => /^\d/.test(name));
    const bring = (name: string) => {
      cpSync(join('prisma/migrations', name), join(folder, name), { recursive: true });
    };
    names.filter((name) => name < mark).forEach(bring);
    await applyMigrations(database.url, folder);
    const event = (last: number) => `10000000-0000-7000-8000-00000000000${last}`;
    await client.query(`INSERT INTO event_feed (event_id, last_sequence)
      VALUES ('${event(1)}', 3), ('${event(2)}', 3), ('${event(3)}', 3), ('${event(4)}', 7)`);
    // Five events: one with all rows published; one whose last two rows are unpublished, one of these after a failure; two
    // without published rows, one of them without a number; one whose rows were deleted.
    await client.query(`INSERT INTO outbox (event_id, topic, sequence, published_at) VALUES
      ('${event(1)}', 'donation.created', 2, now()), ('${event(1)}', 'donation.created', 3, now()),
      ('${event(2)}', 'donation.created', 1, now()), ('${event(2)}', 'donation.created', 2, NULL),
      ('${event(2)}', 'donation.created', 3, now()), ('${event(3)}', 'donation.created', 1, NULL),
      ('${event(3)}', 'donation.created', NULL, NULL)`);
    bring(mark);
    expect(await applyMigrations(database.url, folder)).toEqual([mark]);
    const { rows } = await client.query<{ event_id: string; mark: number }>(
      'SELECT event_id, published_sequence::int AS mark FROM event_feed ORDER BY 1',
    );
    expect(rows.map((row) => row.mark)).toEqual([3, 1, 0, 7]);
  });

  it('a migration that failed in the Prisma tools can be applied after its correction', async () => {
    write('1_first', 'SELECT 1 / 0;');
    await expect(deployAsPrisma(database.url, await readMigrations(folder))).rejects.toThrow();
    write('1_first', 'CREATE TABLE a (x int);');
    expect(await applyMigrations(database.url, folder)).toEqual(['1_first']);
    expect(await deployAsPrisma(database.url, await readMigrations(folder))).toEqual([]);
  });

  it('leaves no record of a failed migration', async () => {
    write('1_broken', 'CREATE TABLE b (x int); SELECT 1 / 0;');
    await expect(applyMigrations(database.url, folder)).rejects.toThrow(MigrationError);
    expect((await history(client)).rows).toEqual([]);
  });

  it('refuses a migration that would end its transaction before it runs', async () => {
    write('1_own', 'CREATE TABLE a (x int);\nCOMMIT;\nCREATE TABLE b (x int);');
    await expect(applyMigrations(database.url, folder)).rejects.toThrow(
      /^Migration 1_own contains a BEGIN, COMMIT or ROLLBACK/,
    );
    expect(await tables()).toEqual([]);
  });

  it('the migrator waits for a table lock only briefly at a time, so that requests continue in between', async () => {
    write('1_first', 'CREATE TABLE a (x int);');
    await applyMigrations(database.url, folder);
    write('2_second', 'ALTER TABLE a ADD COLUMN y int;');
    await client.query('BEGIN; SELECT FROM a');
    const migrating = applyMigrations(database.url, folder, { tableLockMs: 100 });
    const reader = new pg.Client({ connectionString: database.url, query_timeout: 30_000 });
    await reader.connect();
    try {
      await until(async () => {
        const { rowCount } = await reader.query(
          "SELECT FROM pg_stat_activity WHERE application_name = 'donations-migrate' AND wait_event_type = 'Lock' AND datname = current_database()",
        );
        return rowCount === 1;
      });
      // This read waits behind the migration, so a migration that waits without a limit would also stop this
      // read.
      await reader.query('SELECT x FROM a');
    } finally {
      await reader.end();
      await client.query('COMMIT');
    }
    expect(await migrating).toEqual(['2_second']);
  });

  it('the migrator stops with an error if a table stays locked', async () => {
    write('1_first', 'CREATE TABLE a (x int);');
    await applyMigrations(database.url, folder);
    write('2_second', 'CREATE TABLE b (x int); ALTER TABLE a ADD COLUMN y int;');
    await client.query('BEGIN; SELECT FROM a');
    await expect(applyMigrations(database.url, folder, { tableLockMs: 50, attempts: 2 })).rejects.toThrow(
      /^Migration 2_second failed and was rolled back: a table stayed locked/,
    );
    await client.query('COMMIT');
    expect(await tables()).toEqual(['a']);
  });

  it('the migrator stops with an error if another process migrates for too long', async () => {
    write('1_first', 'CREATE TABLE a (x int);');
    // The Prisma tools use this lock.
    await client.query('SELECT pg_advisory_lock(72707369)');
    await expect(applyMigrations(database.url, folder, { migratorMs: 200 })).rejects.toThrow(
      /^Another process has been migrating this database/,
    );
    await client.query('SELECT pg_advisory_unlock(72707369)');
  });

  it('refuses a schema that is newer than the code, except after expanding migrations', async () => {
    write('1_first', 'CREATE TABLE a (x int);');
    write('2_expand_b', 'CREATE TABLE b (x int);');
    await applyMigrations(database.url, folder);
    rmSync(join(folder, '2_expand_b'), { recursive: true });
    expect(await applyMigrations(database.url, folder)).toEqual([]);
    write('3_rename', 'ALTER TABLE b RENAME TO c;');
    await applyMigrations(database.url, folder);
    rmSync(join(folder, '3_rename'), { recursive: true });
    await expect(applyMigrations(database.url, folder)).rejects.toThrow(
      /^The database schema is newer than this release\. This release does not contain: 3_rename\./,
    );
  });

  it('the migrator refuses the database of another application', async () => {
    await client.query('CREATE TABLE theirs (x int)');
    write('1_first', 'CREATE TABLE a (x int);');
    await expect(applyMigrations(database.url, folder)).rejects.toThrow(
      /^The database is not empty \(theirs\)/,
    );
    expect(await tables()).toEqual(['theirs']);
  });

  describe('migrations outside a transaction', () => {
    const MARK = '-- migrate: no transaction\n';

    beforeEach(async () => {
      write('1_first', 'CREATE TABLE a (x int); INSERT INTO a VALUES (1), (1);');
      await applyMigrations(database.url, folder);
    });

    it('an index migration does not block writes and is recorded like any other', async () => {
      write('2_index', `${MARK}-- For the list.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a_x ON a (x);`);
      expect(await applyMigrations(database.url, folder)).toEqual(['2_index']);
      expect((await history(client)).rows.at(-1)).toMatchObject({
        migration_name: '2_index',
        finished: true,
        applied_steps_count: 1,
      });
      write('3_drop', `${MARK}DROP INDEX CONCURRENTLY IF EXISTS a_x;`);
      expect(await applyMigrations(database.url, folder)).toEqual(['3_drop']);
    });

    it('a failed index migration leaves no invalid index and succeeds after its cause is removed', async () => {
      write('2_index', `${MARK}CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a_x ON a (x);`);
      await expect(applyMigrations(database.url, folder)).rejects.toThrow(/2_index failed.*a_x/);
      expect(await indexes()).toEqual([]);
      await client.query('TRUNCATE a');
      expect(await applyMigrations(database.url, folder)).toEqual(['2_index']);
      expect(await indexes()).toEqual([{ name: 'a_x', valid: true }]);
    });

    it('an index migration replaces the invalid index of a killed process', async () => {
      await client.query('CREATE UNIQUE INDEX CONCURRENTLY a_x ON a (x)').catch(() => undefined);
      expect(await indexes()).toEqual([{ name: 'a_x', valid: false }]);
      await client.query('TRUNCATE a');
      write('2_index', `${MARK}CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a_x ON a (x);`);
      expect(await applyMigrations(database.url, folder)).toEqual(['2_index']);
      expect(await indexes()).toEqual([{ name: 'a_x', valid: true }]);
    });

    it.each([
      [
        'a statement that cannot run twice',
        'CREATE INDEX CONCURRENTLY a_x ON a (x);',
        /contains one repeatable/,
      ],
      ['a statement that creates no index', 'UPDATE a SET x = 2;', /contains one repeatable statement/],
      [
        'a second statement',
        'CREATE INDEX CONCURRENTLY IF NOT EXISTS a_x ON a (x); DROP TABLE a;',
        /transaction block|pipeline/,
      ],
    ])('a migration that runs outside a transaction must not contain %s', async (_, statement, reason) => {
      write('2_index', MARK + statement);
      await expect(applyMigrations(database.url, folder)).rejects.toThrow(reason);
      expect(await tables()).toEqual(['a']);
      expect(await indexes()).toEqual([]);
    });

    it('the error names the missing mark of a migration that cannot run inside a transaction', async () => {
      write('2_index', 'CREATE INDEX CONCURRENTLY IF NOT EXISTS a_x ON a (x);');
      await expect(applyMigrations(database.url, folder)).rejects.toThrow(
        /"-- migrate: no transaction" as its first line/,
      );
    });

    const indexes = async () =>
      (
        await client.query<{ name: string; valid: boolean }>(
          "SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index WHERE indrelid = 'a'::regclass",
        )
      ).rows;
  });

  it.each(['SQL_ASCII', 'LATIN1'])(
    'refuses a database in the encoding %s, which cannot store all names',
    async (encoding) => {
      write('1_first', 'CREATE TABLE a (x int);');
      const url = new URL(database.url);
      const name = `${url.pathname.slice(1)}_${encoding.toLowerCase()}`;
      await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`);
      url.pathname = `/${name}`;
      try {
        await expect(applyMigrations(url.href, folder)).rejects.toThrow(
          new RegExp(`^The database is encoded in ${encoding}, .*bash scripts/database/create\\.sh`),
        );
        expect(await databaseWarnings(url.href)).toContainEqual(
          expect.stringMatching(/^The database is not encoded in UTF-8: /),
        );
      } finally {
        await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      }
    },
  );

  it('the migrator says why a database is unreachable', async () => {
    const nowhere = new URL(database.url);
    nowhere.pathname = '/there_is_no_such_database';
    await expect(applyMigrations(nowhere.href, folder)).rejects.toThrow(
      /^The database is unreachable: .*there_is_no_such_database/,
    );
  });
});

describe('schema and migrations', () => {
  const database = withOpened(() => createTestDatabase());

  it('the Prisma schema equals the migrated database', async () => {
    expect(await schemaDrift(database.url)).toBe('');
  });

  it('a missing migration is detected as a difference between schema and database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'donations-schema-'));
    const schema = join(folder, 'schema.prisma');
    cpSync('prisma/schema.prisma', schema);
    writeFileSync(schema, 'model Forgotten {\n  id Int @id\n}\n', { flag: 'a' });
    expect(await schemaDrift(database.url, schema)).toContain('CREATE TABLE "Forgotten"');
    rmSync(folder, { recursive: true, force: true });
  });
});
