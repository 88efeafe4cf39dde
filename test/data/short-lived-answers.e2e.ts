import { setTimeout as pause } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import { ConnectionPool } from '../../src/data/connections.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let pool: ConnectionPool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new ConnectionPool(database.url, 2);
}, 60_000);
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const oldMegabytes = () =>
  (getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? NaN) /
  1e6;

const ask = async (asked: pg.QueryConfig): Promise<pg.QueryResult> => pool.query(asked);

/** An answer of 160 KB, and much else that is soon forgotten, so that V8 collects its young memory. */
async function readAndForget(): Promise<void> {
  const asked = {
    name: 'rows',
    text: `SELECT g AS id, 'Ada Lovelace ' || g AS name, now() AS created_at, now() AS completed_at FROM generate_series(1, 500) g`,
  };
  const { rows } = await ask(asked);
  await pause(3);
  expect(rows).toHaveLength(500);
  let others = 0;
  for (let index = 0; index < 40_000; index++) others += [index, { index }].length;
  expect(others).toBe(80_000);
  await pause(1);
}

it('an answer of the database is gone with the young memory that it was made in', async () => {
  for (let warm = 0; warm < 200; warm++) await readAndForget();
  let grown = 0;
  for (let read = 0; read < 300; read++) {
    const before = oldMegabytes();
    await readAndForget();
    grown += Math.max(0, oldMegabytes() - before);
  }
  // All answers together are some fifty, of which those that were read during two collections may stay.
  expect(grown).toBeLessThan(15);
}, 30_000);
