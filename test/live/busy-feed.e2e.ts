import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Statement } from '../../src/data/database.js';
import { TOTALS } from '../../src/gateway/live.sql.js';
import {
  HAND_OUT,
  LEFT_BEHIND,
  MARK_PUBLISHED,
  type NumberedRow,
  PRUNE,
} from '../../src/outbox/outbox.sql.js';
import { RelaySession } from '../../src/outbox/relay-session.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { EXPLAIN_PAGES, type Explained, pagesTouched } from '../support/plans.js';

/** What the feed costs the database must not grow with what was broadcast since the last vacuum. */

const EVENT = '10000000-0000-7000-8000-000000000001';
let database: TestDatabase;
let client: pg.Client;
let session: RelaySession;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // The first minute of a busy evening: neither vacuum nor statistics have come by.
  await client.query('ALTER TABLE outbox SET (autovacuum_enabled = false)');
  await client.query(
    `INSERT INTO event (id, slug, name, goal_amount, currency) VALUES ('${EVENT}', 'gala', 'Gala', 0, 'eur')`,
  );
  session = await RelaySession.open(database.url, {
    notified: () => undefined,
    changed: () => undefined,
    lost: () => undefined,
  });
}, 60_000);
afterAll(async () => {
  await session.close();
  await client.end();
  await database.drop();
});

const commit = (rows: number) =>
  client.query(
    `INSERT INTO outbox (event_id, topic, donation_id) SELECT '${EVENT}', 'donation.created', gen_random_uuid()
     FROM generate_series(1, $1)`,
    [rows],
  );

async function broadcast(rows: number): Promise<void> {
  await commit(rows);
  const numbered = await session.query<NumberedRow>(HAND_OUT, [rows]);
  expect(numbered).toHaveLength(rows);
  await session.query(MARK_PUBLISHED, [numbered.map(({ id }) => id)]);
}

/** Pages that PostgreSQL touches; a statement that writes does so. */
async function touched(ask: (statement: Statement) => Promise<Explained[]>, { name, text }: Statement) {
  return pagesTouched(await ask({ name: `explained_${name}`, text: `${EXPLAIN_PAGES} ${text}` }));
}

const byRelay = (values: unknown[]) => (statement: Statement) => session.query<Explained>(statement, values);
const byService = (values: unknown[]) => async (statement: Statement) =>
  (await client.query<Explained>({ ...statement, values })).rows;

async function pagesNow(): Promise<Record<string, number>> {
  const ofEvent = byService([[EVENT]]);
  const pages = {
    totals: await touched(ofEvent, TOTALS),
    leftBehind: await touched(byRelay([256, []]), LEFT_BEHIND),
    prune: await touched(byRelay(['48 hours', 2_000]), PRUNE),
    handOut: 0,
    totalsWhileSomeWait: 0,
  };
  await commit(1);
  pages.handOut = await touched(byRelay([256]), HAND_OUT);
  pages.totalsWhileSomeWait = await touched(ofEvent, TOTALS);
  const left = await session.query<NumberedRow>(LEFT_BEHIND, [256, []]);
  expect(left).toHaveLength(1);
  await session.query(MARK_PUBLISHED, [left.map(({ id }) => id)]);
  return pages;
}

it('touches no rows that have left, however many have', async () => {
  for (let batch = 0; batch < 2; batch++) await broadcast(250);
  await pagesNow();
  const few = await pagesNow();
  for (let batch = 0; batch < 78; batch++) await broadcast(250);
  // What has left since is seen once more, and remembered.
  await pagesNow();
  const many = await pagesNow();
  const { rows } = await client.query<{ pages: number }>(
    `SELECT pg_relation_size('outbox_unpublished_idx')::int / 8192 AS pages`,
  );
  // Their entries stay in the index until the next vacuum: 300 of them are a page.
  const index = rows[0]?.pages ?? 0;
  for (const [name, pages] of Object.entries(many)) {
    const most = (few[name] ?? 0) + 8 + (name.startsWith('totals') ? 0 : index);
    expect({ name, pages, tooMany: pages > most }).toEqual({ name, pages, tooMany: false });
  }
}, 60_000);

it('tells with the totals which message was the last, whatever of the feed is gone', async () => {
  const last = async () => {
    const { rows } = await client.query<{ published_sequence: string }>({
      text: TOTALS.text,
      values: [[EVENT]],
    });
    return Number(rows[0]?.published_sequence);
  };
  const { rows } = await client.query<{ last: string }>('SELECT last_sequence AS last FROM event_feed');
  const all = Number(rows[0]?.last);
  expect(await last()).toBe(all);
  await commit(2);
  expect(await last()).toBe(all);
  const numbered = await session.query<NumberedRow>(HAND_OUT, [256]);
  expect(await last()).toBe(all);
  // All that was broadcast is pruned, two messages wait.
  await client.query('DELETE FROM outbox WHERE published_at IS NOT NULL');
  expect(await last()).toBe(all);
  await session.query(MARK_PUBLISHED, [numbered.map(({ id }) => id)]);
  expect(await last()).toBe(all + 2);
  await client.query('DELETE FROM outbox');
  expect(await last()).toBe(all + 2);
  await client.query('DELETE FROM event_feed');
  expect(await last()).toBe(0);
});
