import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/data/database.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withStaff } from '../support/setup.js';
import { until } from '../support/until.js';

/** Tables change while a server runs, as during the migration of the next release. No request may fail. */

const evening = withEvent({ start: startPaymentsApp });
const { app, admin, event } = evening;
const staff = withStaff(evening);

async function send(method: string, path: string, body?: object, token?: string): Promise<number> {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: body ? JSON.stringify(body) : undefined,
  });
  const answer = (await response.json()) as { clientSecret?: string; id?: string };
  if (answer.clientSecret) app.sandbox.stripe.pay(answer.clientSecret.replace(/_secret_.*$/, ''));
  return response.status;
}

/** All requests that use donations: intents with their webhooks, recordings, lists, and staff work that uses Prisma. */
const WORK: (() => Promise<number>)[] = [
  () => send('POST', '/donations', { amount: 500, type: 'cash', donorName: 'Cash' }, staff.token),
  () => send('POST', '/donations/intent', { amount: 700, currency: 'eur', metadata: { eventId: event.id } }),
  () => send('GET', `/donations?eventId=${event.id}`, undefined, admin.token),
  () => send('POST', '/staff', { name: 'Somebody' }, admin.token),
  () => send('GET', `/events/${event.slug}`),
];

/** Sends these requests in parallel until `stop` is called. Returns the number of answers of each status. */
function load() {
  const seen = new Map<number, number>();
  const state = { over: false, done: 0 };
  const line = async (work: () => Promise<number>) => {
    while (!state.over) {
      const status = await work();
      seen.set(status, (seen.get(status) ?? 0) + 1);
      state.done++;
    }
  };
  const lines = [...WORK, ...WORK].map(line);
  return {
    /** Waits until this number of further requests is answered. */
    more: async (count: number) => {
      const goal = state.done + count;
      await until(() => state.done >= goal, `${count} more requests`);
    },
    stop: async () => {
      state.over = true;
      await Promise.all(lines);
      return [...seen.keys()].sort();
    },
  };
}

describe('a migration below a running server', () => {
  it('a migration changes columns while intents, webhooks and recordings continue without a failure', async () => {
    const running = load();
    await running.more(60);
    for (const change of [
      'ALTER TABLE donation ADD COLUMN campaign text',
      'ALTER TABLE donation ALTER COLUMN donor_name TYPE varchar(1000)',
      'ALTER TABLE staff_member ALTER COLUMN name TYPE varchar(1000)',
      'ALTER TABLE donation ALTER COLUMN donor_name TYPE text',
      'ALTER TABLE donation DROP COLUMN campaign',
    ]) {
      await sql(app, change);
      await running.more(60);
    }
    expect(await running.stop()).toEqual([200, 201]);
    await app.sandbox.settled();
    const webhooks = app.sandbox.stripe.deliveries.list().flatMap(({ attempts }) => attempts);
    expect([...new Set(webhooks.map(({ status }) => status))]).toEqual([200]);
    const open = await sql(app, "SELECT id FROM donation WHERE status <> 'COMPLETED'");
    expect(open).toEqual([]);
  });

  it('a migration does not affect connections that lost their prepared statements', async () => {
    const { pool } = app.app.get(Database);
    const running = load();
    await running.more(60);
    const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
    for (const client of clients) await client.query('DEALLOCATE ALL');
    for (const client of clients) client.release();
    await running.more(60);
    expect(await running.stop()).toEqual([200, 201]);
  });
});
