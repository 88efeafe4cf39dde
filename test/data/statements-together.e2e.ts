import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DATABASE_TIMES } from '../../src/config/database-times.js';
import { ConnectionPool } from '../../src/data/connections.js';
import type { Call } from '../../src/data/statements-together.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { untilBlocked } from '../support/locks.js';

/** Several statements in one round trip, on one connection, so that what is wrong with it afterwards shows. */

let database: TestDatabase;
let other: pg.Client;
let pool: ConnectionPool;

function poolWith(answerMs: number): ConnectionPool {
  const made = new ConnectionPool(database.url, 1, { ...DATABASE_TIMES, answerMs });
  made.on('error', () => undefined);
  return made;
}

beforeAll(async () => {
  database = await createTestDatabase();
  other = new pg.Client({ connectionString: database.url });
  await other.connect();
  await other.query('CREATE TABLE counter (name text PRIMARY KEY, value int NOT NULL)');
}, 60_000);
afterAll(async () => {
  await other.end();
  await database.drop();
});
beforeEach(async () => {
  pool = poolWith(DATABASE_TIMES.answerMs);
  await other.query(`DELETE FROM counter; INSERT INTO counter VALUES ('one', 1), ('two', 2)`);
});
afterEach(() => pool.end());

const call = (name: string, text: string, ...values: Call['values']): Call => ({
  statement: { name, text },
  values,
});
const raise = (name: string) =>
  call('raise', 'UPDATE counter SET value = value + 1 WHERE name = $1 RETURNING value', name);
const values = call('values', 'SELECT name, value FROM counter ORDER BY name');
const broken = call('broken', 'SELECT 1 / (value - value) FROM counter');
const valueOf = async (name: string) =>
  (await other.query<{ value: number }>('SELECT value FROM counter WHERE name = $1', [name])).rows[0]?.value;

describe('statements that are sent together', () => {
  it('answer what the last one answers, as text, and are committed', async () => {
    expect(await pool.together([raise('one'), values])).toEqual([
      ['one', '2'],
      ['two', '2'],
    ]);
    expect(await valueOf('one')).toBe(2);
    // The second time they are prepared already.
    expect(await pool.together([raise('one'), values])).toContainEqual(['one', '3']);
    const names = call('names', 'SELECT name FROM pg_prepared_statements ORDER BY 1');
    expect(await pool.together([names])).toEqual([['names'], ['raise'], ['values']]);
  });

  it('carry every kind of value', async () => {
    const time = new Date('2026-11-22T10:00:00.123Z');
    const [row] = await pool.together([
      call(
        'kinds',
        'SELECT $1::text, $2::int, $3::bigint, $4::timestamptz = $5::timestamptz, $6::text IS NULL',
        'ä\n',
        7,
        2n ** 60n,
        time,
        time.toISOString(),
        null,
      ),
    ]);
    expect(row).toEqual(['ä\n', '7', String(2n ** 60n), 't', 't']);
  });

  it.each([
    ['the last', [raise('one'), broken]],
    ['the first', [broken, raise('one')]],
  ])('are undone when %s fails, and the connection serves the next', async (_, calls) => {
    await expect(pool.together(calls)).rejects.toMatchObject({ code: '22012' });
    expect(await valueOf('one')).toBe(1);
    expect(await pool.together([raise('two'), values])).toContainEqual(['two', '3']);
    expect(pool.totalCount).toBe(1);
  });

  it('are prepared again when one of them could not be', async () => {
    const late = call('late', 'SELECT count(*) FROM late');
    await expect(pool.together([raise('one'), late])).rejects.toMatchObject({ code: '42P01' });
    await other.query('CREATE TABLE late ()');
    expect(await pool.together([raise('one'), late])).toEqual([['0']]);
    expect(await valueOf('one')).toBe(2);
  });

  it('go through a new connection when a table was changed under a prepared one', async () => {
    await pool.together([raise('one'), values]);
    await other.query('ALTER TABLE counter ALTER COLUMN value TYPE bigint');
    await expect(pool.together([raise('one'), values])).rejects.toMatchObject({ code: '0A000' });
    expect(await pool.together([raise('one'), values])).toContainEqual(['one', '3']);
    await other.query('ALTER TABLE counter ALTER COLUMN value TYPE int');
  });

  it('each see what was committed before they began', async () => {
    await other.query('BEGIN');
    await other.query(`SELECT 1 FROM counter WHERE name = 'one' FOR UPDATE`);
    const hold = call('hold', 'SELECT 1 FROM counter WHERE name = $1 FOR UPDATE', 'one');
    const answer = pool.together([hold, values]);
    await untilBlocked({ databaseUrl: database.url });
    // The row that is waited for stays as it is: only another one tells.
    await other.query(`UPDATE counter SET value = 20 WHERE name = 'two'`);
    await other.query('COMMIT');
    expect(await answer).toContainEqual(['two', '20']);
  });

  it('are given up with their connection when no answer comes', async () => {
    const impatient = poolWith(500);
    const sleep = call('sleep', 'SELECT pg_sleep(5)');
    await expect(impatient.together([raise('one'), sleep])).rejects.toThrow('timeout');
    expect(impatient.totalCount).toBe(0);
    await impatient.end();
  });
});
