import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { applyMigrations } from '../../src/data/schema/migrate.js';
import { startApp } from '../support/app.js';
import type { DonationBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { createTestDatabase } from '../support/database.js';
import { startServerProcess } from '../support/process.js';
import { withEvent, withOpened } from '../support/setup.js';

/** Session defaults that a host or an administrator may have set. */
const SETTINGS = [
  "datestyle = 'German'",
  "timezone = 'Pacific/Chatham'",
  "intervalstyle = 'sql_standard'",
  "bytea_output = 'escape'",
  'extra_float_digits = -3',
  'array_nulls = off',
  'transform_null_equals = on',
  'standard_conforming_strings = off',
  "default_transaction_isolation = 'serializable'",
  "idle_session_timeout = '100ms'",
];

describe('a database that may lose acknowledged data', () => {
  it.each(['off', 'on'])('the server warns in production if synchronous_commit is off: %s', async (value) => {
    const database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const name = client.escapeIdentifier(new URL(database.url).pathname.slice(1));
    await client.query(`ALTER DATABASE ${name} SET synchronous_commit = ${value}`);
    await client.end();
    const server = await startServerProcess({ DATABASE_URL: database.url, NODE_ENV: 'production' });
    await server.stop();
    await database.drop();
    expect(server.output().includes('synchronous_commit is off: ')).toBe(value === 'off');
  });
});

describe('a database with unusual session defaults', () => {
  const database = withOpened(() => createTestDatabase());

  beforeAll(async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const name = client.escapeIdentifier(new URL(database.url).pathname.slice(1));
    for (const setting of SETTINGS) await client.query(`ALTER DATABASE ${name} SET ${setting}`);
    await client.end();
    // The migrations run twice, because the second run reads the records of the first run.
    expect(await applyMigrations(database.url)).toEqual([]);
    expect(await applyMigrations(database.url)).toEqual([]);
  });
  const { app, admin, event } = withEvent({ start: () => startApp({}, {}, database.url) });

  it('a server on a database with unusual session defaults records, lists and cancels correctly', async () => {
    const before = Date.now();
    // Waits longer than the idle session timeout.
    await sleep(300);
    const records = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        admin
          .post('/donations', { eventId: event.id, amount: 100 + n, type: 'cash', donorName: 'A \\ B' })
          .expect(201),
      ),
    );
    const { id } = records[0]?.body as DonationBody;
    const { body: list } = await admin.get(`/donations?eventId=${event.id}&limit=50`).expect(200);
    const body = list.data.find((one: DonationBody) => one.id === id);
    expect(body).toMatchObject({ donorName: 'A \\ B', status: 'COMPLETED' });
    expect(Date.parse(body.createdAt)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(body.createdAt)).toBeLessThanOrEqual(Date.now());
    await admin.post(`/donations/${id}/cancel`, { shouldRefund: false, reason: 'counted twice' }).expect(200);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });
});
