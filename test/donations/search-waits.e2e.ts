import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.js';

/**
 * PostgreSQL collects new rows of the search index in pending pages. Every search reads all pending pages,
 * until a later recording sorts them into the index.
 */

const EVENT = '10000000-0000-7000-8000-000000000001';
const ROWS = 12_000;
/** The limit of 2 MB has 256 pages of 8 KB. One more page may be partly filled. */
const MOST_PAGES = 257;

let app: TestApp;
let client: pg.Client;

beforeEach(async () => {
  app = await startApp();
  client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query('ALTER TABLE donation SET (autovacuum_enabled = false)');
  await client.query(
    `INSERT INTO event (id, slug, name, goal_amount, currency) VALUES ('${EVENT}', 'gala', 'Gala', 0, 'eur')`,
  );
}, 60_000);
afterEach(async () => {
  await client.end();
  await app.close();
});

/** Sorts all pending pages into the index and returns their number. */
async function waitingPages(): Promise<number> {
  const { rows } = await client.query<{ pages: string }>(
    "SELECT gin_clean_pending_list('donation_event_search_idx') AS pages",
  );
  return Number(rows[0]?.pages);
}

const record = (from: number, to: number) =>
  client.query(
    `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, created_at, updated_at, completed_at)
     SELECT gen_random_uuid(), '${EVENT}', 100, 'eur', 'cash', 'COMPLETED', 'Donor ' || md5(i::text), md5(i::text) || '@example.org',
       now(), now(), now() FROM generate_series($1::int, $2::int - 1) AS i`,
    [from, to],
  );

it('the search index never has more than two megabytes waiting', async () => {
  const waited: number[] = [];
  for (let from = 0; from < ROWS; from += ROWS / 24) {
    await record(from, from + ROWS / 24);
    if (from % (ROWS / 4) === 0 && from > 0) waited.push(await waitingPages());
  }
  waited.push(await waitingPages());
  expect(Math.max(...waited)).toBeLessThanOrEqual(MOST_PAGES);
  // Some pages must be pending, because sorting each row at once would take the database half as much time
  // again.
  expect(Math.max(...waited)).toBeGreaterThan(10);
}, 60_000);
