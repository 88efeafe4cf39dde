import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { ConnectionPool } from '../../src/data/connections.js';
import { createTestDatabase } from '../support/database.js';
import { withOpened } from '../support/setup.js';

/** Who asks right after an answer goes on with its connection, and nobody waits for that. */

const database = withOpened(() => createTestDatabase());
let pool: pg.Pool;

beforeEach(() => {
  pool = new ConnectionPool(database.url, 2);
  pool.on('error', () => undefined);
});
afterEach(() => pool.end());

/** The session that answers. */
async function session(): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>({
    name: 'session',
    text: 'SELECT pg_backend_pid() AS pid',
  });
  return rows[0]?.pid ?? 0;
}

describe('a connection that was just answered', () => {
  it('takes the next statement at once, before anything else of the turn is done', async () => {
    const first = await session();
    const order: string[] = [];
    process.nextTick(() => order.push('the rest of the turn'));
    pool.once('acquire', () => order.push('by way of the pool'));
    const second = session();
    expect(pool.waitingCount).toBe(0);
    expect(await second).toBe(first);
    expect(order).toEqual(['the rest of the turn']);
  });

  it('is back in the pool when the turn is over, and serves on', async () => {
    const first = await session();
    expect(pool.idleCount).toBe(0);
    await turn();
    await turn();
    expect([pool.idleCount, pool.totalCount]).toEqual([1, 1]);
    expect(await session()).toBe(first);
  });

  it('serves one at a time: the next one beside it gets another', async () => {
    await session();
    const [one, two] = await Promise.all([session(), session()]);
    expect(one).not.toBe(two);
  });

  it('goes to who waits for the pool, however many statements follow each other', async () => {
    const other = await pool.connect();
    await session();
    const enough = new AbortController();
    const busy = (async () => {
      while (!enough.signal.aborted) await session();
    })();
    const client = await pool.connect();
    enough.abort();
    client.release();
    other.release();
    await busy;
  });

  it('is not used again once it broke, and its error ends nothing', async () => {
    const broken: pg.PoolClient[] = [];
    pool.on('remove', (client) => broken.push(client));
    const clients: pg.PoolClient[] = [];
    pool.on('acquire', (client) => clients.push(client));
    const first = await session();
    clients[0]?.emit('error', new Error('the network is gone'));
    expect(await session()).not.toBe(first);
    await turn();
    expect(broken).toEqual([clients[0]]);
  });

  it('is not used again by the same turn in which all were found to be no longer good', async () => {
    await pool.query('CREATE TABLE IF NOT EXISTS grown (one int)');
    const read = () => pool.query({ name: 'grown', text: 'SELECT * FROM grown' });
    await Promise.all([read(), read()]);
    await pool.query('ALTER TABLE grown ADD COLUMN two int');
    // Both connections keep the statement as it was.
    const answers = await Promise.all([read(), read()]);
    expect(answers.map(({ fields }) => fields.length)).toEqual([2, 2]);
  });
});
