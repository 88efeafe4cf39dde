import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { applyMigrations, MigrationError, schemaDrift } from '../../src/data/migrate.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

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

  it('applies what is new, in order, and nothing twice', async () => {
    write('1_first', 'CREATE TABLE a (x int);');
    expect(await applyMigrations(database.url, folder)).toEqual(['1_first']);
    write('2_second', 'CREATE TABLE b (x int); INSERT INTO a VALUES (1);');
    expect(await applyMigrations(database.url, folder)).toEqual(['2_second']);
    expect(await applyMigrations(database.url, folder)).toEqual([]);
    expect(await tables()).toEqual(['a', 'b']);
  });

  it('sends a script whole: function bodies and strings keep their semicolons', async () => {
    write(
      '1_function',
      `CREATE FUNCTION two() RETURNS int AS $$ BEGIN PERFORM 1; RETURN 2; END $$ LANGUAGE plpgsql;
       CREATE TABLE t (x text DEFAULT 'a;b');`,
    );
    await applyMigrations(database.url, folder);
    expect((await client.query('SELECT two() AS n')).rows).toEqual([{ n: 2 }]);
  });

  it('lets several starters at once apply each migration once', async () => {
    write('1_first', 'CREATE TABLE a (x int); SELECT pg_sleep(0.2);');
    write('2_second', 'CREATE TABLE b (x int);');
    const applied = await Promise.all([1, 2, 3, 4].map(() => applyMigrations(database.url, folder)));
    expect(applied.flat().sort()).toEqual(['1_first', '2_second']);
  });

  it('undoes a migration that fails, names it and its reason, and takes the mended one', async () => {
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

  it('refuses a migration that was edited after it had been applied', async () => {
    write('1_first', 'CREATE TABLE a (x int);');
    await applyMigrations(database.url, folder);
    write('1_first', 'CREATE TABLE a (x bigint);');
    await expect(applyMigrations(database.url, folder)).rejects.toThrow(
      /^Edited after having been applied: 1_first/,
    );
  });

  it('says why a database cannot be reached', async () => {
    const nowhere = new URL(database.url);
    nowhere.pathname = '/there_is_no_such_database';
    await expect(applyMigrations(nowhere.href, folder)).rejects.toThrow(
      /^The database cannot be reached: .*there_is_no_such_database/,
    );
  });
});

describe('schema and migrations', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  it('agree', async () => {
    expect(await schemaDrift(database.url)).toBe('');
  });

  it('are known to differ when a migration is forgotten', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'donations-schema-'));
    const schema = join(folder, 'schema.prisma');
    cpSync('prisma/schema.prisma', schema);
    writeFileSync(schema, 'model Forgotten {\n  id Int @id\n}\n', { flag: 'a' });
    expect(await schemaDrift(database.url, schema)).toContain('CREATE TABLE "Forgotten"');
    rmSync(folder, { recursive: true, force: true });
  });
});
