import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import supertest from 'supertest';
import { MetricsServer } from '../../src/health/metrics-server.js';
import { startDatabaseTap } from '../crash/database-tap.js';
import { startApp } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { untilBlocked } from '../support/locks.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { until } from '../support/until.js';
import { withOpened, withEvent, withMade } from '../support/setup.js';

/** Silent connections, frozen processes and long locks. None of them may stop the evening. */

const database = withOpened(() => createTestDatabase());
const tap = withOpened(() => startDatabaseTap(database.url));
const { app, admin, event } = withEvent({ start: () => startApp({ METRICS_PORT: '0' }, {}, tap.url) });
const other = withMade(() => createEvent(app, admin.token), beforeAll);
const blocker = withOpened(async () => {
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  return Object.assign(client, { close: () => client.end() });
});
afterEach(async () => {
  await blocker.query('ROLLBACK');
});

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly code: unknown;
}

async function record(at: EventFixture, url = app.url): Promise<Answer> {
  const response = await fetch(`${url}/donations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${admin.token}` },
    body: JSON.stringify({ amount: 100, type: 'cash', eventId: at.id }),
  });
  const { code } = (await response.json()) as { code?: unknown };
  return { status: response.status, retryAfter: response.headers.get('retry-after'), code };
}

const away = { status: 503, retryAfter: '5', code: 'DEPENDENCY_UNAVAILABLE' };

const readiness = async () =>
  (await app.http.get('/health/ready')) as { status: number; body: Record<string, unknown> };

const lockEvent = async (at: EventFixture) => {
  await blocker.query('BEGIN');
  await blocker.query('SELECT 1 FROM event WHERE id = $1 FOR UPDATE', [at.id]);
};

describe('recording of donations', () => {
  it('a recording at one event does not wait for the blocked batch of another event', async () => {
    await lockEvent(event);
    const held = record(event);
    await untilBlocked({ databaseUrl: database.url });
    expect(await record(other)).toMatchObject({ status: 201 });
    await blocker.query('ROLLBACK');
    expect(await held).toMatchObject({ status: 201 });
  });

  it('a recording answers 503 after a lock timeout (55P03), which readiness and metrics show', async () => {
    await lockEvent(event);
    const held = record(event);
    await until(async () => (await readiness()).status === 503, 'readiness that says so');
    expect((await readiness()).body).toMatchObject({
      details: {
        database: {
          status: 'down',
          message: expect.stringMatching(/^recording has been waiting for \d+ s$/),
        },
      },
    });
    const { text } = await supertest(`http://127.0.0.1:${app.app.get(MetricsServer).port ?? 0}`).get(
      '/metrics',
    );
    expect(Number(/^recording_oldest_seconds (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(1);
    expect(await held).toEqual(away);
    await until(async () => (await readiness()).status === 200, 'readiness after it');
  });

  it('a recording answers 503 when its connection falls silent, and the next one uses a new connection', async () => {
    const reached = tap.holdAfter({ statement: 'donations_record' });
    const lost = record(event);
    await reached;
    const waiting = record(event);
    expect(await lost).toEqual(away);
    expect(await waiting).toMatchObject({ status: 201 });
  });

  it.each([
    ['57014', 'pg_cancel_backend'],
    ['57P01', 'pg_terminate_backend'],
  ])('a recording answers 503 when the database ends its statement (%s)', async (_state, end) => {
    await lockEvent(event);
    const held = record(event);
    await untilBlocked({ databaseUrl: database.url });
    await sql(
      { databaseUrl: database.url },
      `SELECT ${end}(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(await held).toEqual(away);
  });
});

describe('transactions', () => {
  it('a change of an event answers 503 after an idle-in-transaction timeout (25P03)', async () => {
    const reached = tap.holdBefore({ commitOf: 'event_update' });
    const patched = admin.patch(`/events/${event.id}`, { name: 'Another' }).then((response) => response);
    await reached;
    const { status, headers } = await patched;
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({
      status: 503,
      retryAfter: '5',
    });
  });

  it('a Prisma transaction answers 503 after a lock timeout', async () => {
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE staff_member IN EXCLUSIVE MODE');
    const { status, body } = await admin.post('/staff', { name: 'Somebody' });
    expect({ status, code: (body as { code?: string }).code }).toEqual({ status: 503, code: away.code });
  });
});

describe('a frozen process', () => {
  let frozen: ServerProcess | undefined;
  afterEach(() => frozen?.kill('SIGKILL'));

  it('a process that freezes before its commit blocks the totals of other processes for a few seconds at most', async () => {
    const ownTap = await startDatabaseTap(database.url);
    frozen = await startServerProcess({ DATABASE_URL: ownTap.url });
    const pledge = await admin
      .post('/donations', { amount: 500, type: 'pledge', eventId: other.id })
      .expect(201);
    const { id } = pledge.body as { id: string };
    const reached = ownTap.holdBefore({ commitOf: 'totals_add' });
    const fulfilling = fetch(`${frozen.url}/donations/${id}/fulfil`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${admin.token}` },
      body: JSON.stringify({ type: 'cash' }),
    }).catch(() => undefined);
    await reached;
    frozen.child.kill('SIGSTOP');
    const began = Date.now();
    // There are enough donations that one of them needs the locked shard of the totals.
    const answers: Answer[] = [];
    for (let n = 0; n < 60; n++) answers.push(await record(other));
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([201]);
    expect(Date.now() - began).toBeLessThan(30_000);
    await frozen.kill('SIGKILL');
    await fulfilling;
    await ownTap.close();
  });
});

describe('a read-only database', () => {
  const readOnly = async (on: boolean) => {
    const { rows } = await blocker.query<{ name: string }>('SELECT current_database() AS name');
    await blocker.query(
      `ALTER DATABASE ${rows[0]?.name ?? ''} SET default_transaction_read_only = ${on ? 'on' : 'off'}`,
    );
  };
  /** Makes the service open its connections again, so that they use the present mode of the database. */
  const reconnect = async () => {
    await blocker.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'donations'",
    );
    await until(async () => (await app.http.get('/health/live')).status === 200, 'the server');
    // Sends enough requests at once to use several connections.
    await Promise.all(Array.from({ length: 8 }, () => admin.get('/events')));
  };
  afterEach(async () => {
    await readOnly(false);
    await reconnect();
  });

  it('recordings answer 503, reads continue, and /health names the problem', async () => {
    await readOnly(true);
    await reconnect();
    expect(await record(event)).toEqual(away);
    await admin.get('/events').expect(200);
    await until(async () => (await app.http.get('/health')).status === 503, 'health that says so');
    expect((await app.http.get('/health')).body).toMatchObject({
      details: { database: { status: 'down', message: 'is read-only' } },
    });
  });

  it('the service moves to a new primary without failing a request', async () => {
    await readOnly(true);
    await reconnect();
    // Open connections stay read-only. New connections reach a writable server.
    await readOnly(false);
    // The service replaces its connections at most once a second. An earlier test may have caused a replacement just before.
    await sleep(1_000);
    expect(await Promise.all(Array.from({ length: 10 }, () => record(event)))).toEqual(
      Array.from({ length: 10 }, () => expect.objectContaining({ status: 201 })),
    );
    expect((await admin.post('/staff', { name: 'Ada' })).status).toBe(201);
  });
});
