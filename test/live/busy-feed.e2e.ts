import { beforeAll, expect, it } from '@jest/globals';
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
import { createTestDatabase } from '../support/database.js';
import { EXPLAIN_PAGES, type Explained, pagesTouched } from '../support/plans.js';
import { startRelay } from '../support/relay.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

/** The database cost of the feed must not grow with the number of messages since the last vacuum. */

const EVENT = '10000000-0000-7000-8000-000000000001';
/** A long time, because three other test files run at the same time on two processors. */
const PATIENT = { timeoutMs: 150_000, everyMs: 100 };
const database = withOpened(() => createTestDatabase());
const client = withOpened(async () => {
  const connection = new pg.Client({ connectionString: database.url });
  await connection.connect();
  return Object.assign(connection, { close: () => connection.end() });
});
const session = withOpened(() =>
  RelaySession.open(database.url, {
    notified: () => undefined,
    changed: () => undefined,
    lost: () => undefined,
  }),
);

beforeAll(async () => {
  // The first minute of a busy evening: neither vacuum nor ANALYZE has run.
  await client.query('ALTER TABLE outbox SET (autovacuum_enabled = false)');
  await client.query(
    `INSERT INTO event (id, slug, name, goal_amount, currency) VALUES ('${EVENT}', 'gala', 'Gala', 0, 'eur')`,
  );
}, 60_000);

const commit = (rows: number) =>
  client.query(
    `INSERT INTO outbox (event_id, topic, donation_id) SELECT '${EVENT}', 'donation.created', gen_random_uuid()
     FROM generate_series(1, $1)`,
    [rows],
  );

const mark = (rows: readonly NumberedRow[]) =>
  session.query(MARK_PUBLISHED, [
    [EVENT],
    [rows.map(({ sequence }) => sequence).reduce((last, next) => (next > last ? next : last))],
  ]);

async function broadcast(rows: number): Promise<void> {
  await commit(rows);
  const numbered = await session.query<NumberedRow>(HAND_OUT, [rows, 0n]);
  expect(numbered).toHaveLength(rows);
  await mark(numbered);
}

/** Returns the position after which a busy relay reads. */
async function aThousandBack(): Promise<unknown> {
  const { rows } = await client.query<{ above: unknown }>('SELECT max(id) - 1000 AS above FROM outbox');
  return rows[0]?.above;
}

async function handOutPages(): Promise<number> {
  const above = await aThousandBack();
  await commit(1);
  return touched(byRelay([256, above]), HAND_OUT);
}

/** Returns the number of pages that PostgreSQL touches. A statement that writes really writes its rows. */
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
    handOut: await handOutPages(),
    totalsWhileSomeWait: 0,
  };
  pages.totalsWhileSomeWait = await touched(ofEvent, TOTALS);
  await markLeftBehind(1);
  return pages;
}

async function markLeftBehind(rows: number): Promise<void> {
  const left = await session.query<NumberedRow>(LEFT_BEHIND, [256, []]);
  expect(left).toHaveLength(rows);
  await mark(left);
}

it('the feed statements read no rows of published messages, for any number of them', async () => {
  for (let batch = 0; batch < 2; batch++) await broadcast(250);
  await pagesNow();
  const few = await pagesNow();
  for (let batch = 0; batch < 78; batch++) await broadcast(250);
  // PostgreSQL reads newly published rows until no older transaction is open on the whole server. Other tests open transactions
  // at any time. So some counts may be higher here.
  const tooMany = (many: Record<string, number>) =>
    Object.entries(many).filter(([name, pages]) => pages > (few[name] ?? 0) + 16);
  let last: [string, number][] = [['nothing was looked at', 0]];
  const isRemembered = async () => {
    last = tooMany(await pagesNow());
    return last.length === 0;
  };
  await until(isRemembered, 'remembering what has left', PATIENT).catch(() => undefined);
  expect(last).toEqual([]);
}, 240_000);

it('numbering messages reads only about a thousand rows while an old transaction keeps published rows', async () => {
  const elsewhere = new URL(database.url);
  elsewhere.pathname = '/postgres';
  const old = new pg.Client({ connectionString: elsewhere.href });
  await old.connect();
  await old.query('BEGIN');
  await old.query('SELECT pg_current_xact_id()');
  for (let batch = 0; batch < 40; batch++) await broadcast(250);
  await handOutPages();
  await markLeftBehind(1);
  expect(await handOutPages()).toBeLessThan(100);
  await markLeftBehind(1);
  await old.end();
}, 240_000);

it('the relay publishes messages of a transaction that commits long after it got its ids', async () => {
  const told = new Set<string>();
  const relay = startRelay(database.url, async (rows) => {
    for (const { donation_id } of rows) told.add(donation_id ?? '');
  });
  const late = new pg.Client({ connectionString: database.url });
  await late.connect();
  await late.query('BEGIN');
  const { rows } = await late.query<{ donation_id: string }>(
    `INSERT INTO outbox (event_id, topic, donation_id) SELECT '${EVENT}', 'donation.created', gen_random_uuid()
     FROM generate_series(1, 600) RETURNING donation_id`,
  );
  await commit(3_000);
  relay.raise(EVENT);
  await until(() => told.size === 3_000, 'telling what was committed first', PATIENT);
  await late.query('COMMIT');
  // The late commit does not notify the relay. So the relay must find these rows itself.
  await until(() => told.size === 3_600, 'telling what was committed late', PATIENT);
  expect(rows.every(({ donation_id }) => told.has(donation_id))).toBe(true);
  await late.end();
  await relay.beforeApplicationShutdown();
}, 240_000);

it('a change of a donation is published after the donation itself, even if the donation was committed late', async () => {
  const late = new pg.Client({ connectionString: database.url });
  await late.connect();
  const append = `INSERT INTO outbox (event_id, topic, donation_id) VALUES ('${EVENT}', $1, $2) RETURNING id`;
  const donation = '20000000-0000-7000-8000-000000000001';
  await late.query('BEGIN');
  await late.query(append, ['donation.created', donation]);
  await broadcast(1_500);
  const above = await aThousandBack();
  const numbered = async () =>
    (await session.query<NumberedRow>(HAND_OUT, [256, above]))
      .sort((a, b) => Number(a.sequence - b.sequence))
      .map(({ topic, donation_id }) => [topic, donation_id === donation]);

  await late.query('COMMIT');
  await commit(1);
  // A new donation does not wait for late donations. If a late donation changes, the relay publishes this donation first and
  // then its change.
  expect(await numbered()).toEqual([['donation.created', false]]);
  await commit(1);
  await client.query(append, ['donation.retracted', donation]);
  expect(await numbered()).toEqual([
    ['donation.created', true],
    ['donation.created', false],
    ['donation.retracted', true],
  ]);
  expect(await numbered()).toEqual([]);
  await markLeftBehind(4);
  await late.end();
}, 240_000);

it('the totals name the last published message, even after messages are deleted', async () => {
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
  const numbered = await session.query<NumberedRow>(HAND_OUT, [256, 0n]);
  expect(await last()).toBe(all);
  // Deletes all published messages. Two messages still wait.
  await client.query('DELETE FROM outbox WHERE sequence <= $1', [all]);
  expect(await last()).toBe(all);
  await mark(numbered);
  expect(await last()).toBe(all + 2);
  await client.query('DELETE FROM outbox');
  expect(await last()).toBe(all + 2);
  await client.query('DELETE FROM event_feed');
  expect(await last()).toBe(0);
});
