import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startSandbox } from '../../sandbox/server/sandbox.js';
import { startDatabaseTap } from '../crash/database-tap.js';
import { expectSettledBooks } from '../money/invariants.js';
import { startApp } from '../support/app.js';
import { startCuttableProxy } from '../support/cuttable-proxy.js';
import { createTestDatabase } from '../support/database.js';
import { sql } from '../support/fixtures.js';
import { untilBlocked } from '../support/locks.js';
import { PAYPAL, providerEnvironment, STRIPE } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';

/** Database outages and conflicts during provider webhooks. */

const database = withOpened(() => createTestDatabase());
const proxy = withOpened(() => startCuttableProxy(database.url));
const tap = withOpened(() => startDatabaseTap(proxy.url));
const sandbox = withOpened(() => startSandbox({ stripe: STRIPE, paypal: PAYPAL }));
const { app, admin, event } = withEvent({
  start: () => {
    sandbox.setDeliveryMode('manual');
    return startApp(providerEnvironment(sandbox), {}, tap.url);
  },
});

const books = () => ({ databaseUrl: database.url, sandbox });

interface Answer {
  readonly status: number;
  readonly retryAfter: number;
  readonly body: Record<string, unknown>;
}

async function post(path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return {
    status: response.status,
    retryAfter: Number(response.headers.get('retry-after')),
    body: (await response.json()) as Record<string, unknown>,
  };
}

const start = (key: string) =>
  post(
    '/donations/intent',
    JSON.stringify({
      amount: 2500,
      currency: 'eur',
      metadata: { eventId: event.id, donorEmail: `${key}@x.org` },
    }),
    { 'idempotency-key': key },
  );

/** Creates a paid donation, and returns a function that delivers its webhook. */
async function paid(key: string) {
  const { body } = await start(key);
  const paymentId = String(body.clientSecret).replace(/_secret_.*$/, '');
  sandbox.stripe.pay(paymentId);
  const message = sandbox.stripe
    .events()
    .find(({ type, data }) => type === 'payment_intent.succeeded' && data.object.id === paymentId);
  const text = JSON.stringify(message);
  const deliver = () => post('/donations/cardprocessor/webhook', text, sandbox.stripe.signatureHeaders(text));
  return { donationId: body.donationId as string, paymentId, deliver };
}

const statusOf = async (id: string) =>
  (await sql<{ status: string }>(books(), 'SELECT status FROM donation WHERE id = $1', [id]))[0]?.status;

const expectAway = ({ status, retryAfter, body }: Answer) => {
  expect({ status, body }).toEqual({
    status: 503,
    body: {
      statusCode: 503,
      error: 'Service Unavailable',
      code: 'DEPENDENCY_UNAVAILABLE',
      message: expect.any(String),
    },
  });
  expect(retryAfter).toBeGreaterThan(0);
};

async function expectBookedOnce({ donationId, deliver }: Awaited<ReturnType<typeof paid>>): Promise<void> {
  expect(await deliver()).toMatchObject({ status: 200, body: { received: true } });
  expect(await statusOf(donationId)).toBe('COMPLETED');
  const payments = sandbox.stripe.payments().map(({ id }) => id);
  await expectSettledBooks(books(), event.id, payments);
}

/** Runs `work` on a connection of the test with an open transaction. */
async function inTransaction(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    await work(client);
    await client.query('ROLLBACK').catch(() => undefined);
  } finally {
    await client.end();
  }
}

/** The commit of the transaction that books a payment. */
const BOOKED = { commitOf: 'webhook_event_claim' };

describe('database faults', () => {
  it('a connection lost before the commit answers 503 and books nothing; the repeated webhook is booked', async () => {
    const donation = await paid('before');
    const held = tap.holdBefore(BOOKED);
    const answer = donation.deliver();
    await held;
    tap.breakHeld();
    expectAway(await answer);
    expect(await statusOf(donation.donationId)).toBe('PENDING');
    await expectBookedOnce(donation);
  });

  it('a connection lost after the commit answers 503; the repeated webhook changes nothing', async () => {
    const donation = await paid('after');
    const held = tap.holdAfter(BOOKED);
    const answer = donation.deliver();
    await held;
    tap.breakHeld();
    expectAway(await answer);
    expect(await statusOf(donation.donationId)).toBe('COMPLETED');
    await expectBookedOnce(donation);
  });

  it('a connection lost during an intent answers 503; the same key continues the same donation', async () => {
    const held = tap.holdAfter({ commitOf: 'donation_insert' });
    const answer = start('intent');
    await held;
    tap.breakHeld();
    expectAway(await answer);
    const again = await start('intent');
    expect(again.status).toBe(201);
    const rows = await sql(books(), "SELECT id FROM donation WHERE donor_email = 'intent@x.org'");
    expect(rows).toEqual([{ id: again.body.donationId }]);
  });

  it('a connection lost after the commit of an offline refund answers 503; the same key books nothing more', async () => {
    const headers = { authorization: `Bearer ${admin.token}` };
    const sent = JSON.stringify({ amount: 12_037, type: 'cash', eventId: event.id });
    const { body } = await post('/donations', sent, headers);
    const ask = () =>
      post(`/donations/${String(body.id)}/cancel`, JSON.stringify({ shouldRefund: true, amount: 5000 }), {
        ...headers,
        'idempotency-key': 'cash back',
      });
    const held = tap.holdAfter({ commitOf: 'refund_insert' });
    const answer = ask();
    await held;
    tap.breakHeld();
    expectAway(await answer);
    for (let time = 0; time < 2; time += 1)
      expect(await ask()).toMatchObject({
        status: 200,
        body: { status: 'COMPLETED', refundedAmount: 5000, refund: { amount: 5000, status: 'succeeded' } },
      });
  });

  it('a database restart during a webhook answers 503 until the end; then the webhook is booked once', async () => {
    const donation = await paid('restart');
    await inTransaction(async (client) => {
      await client.query('SELECT 1 FROM donation WHERE id = $1 FOR UPDATE', [donation.donationId]);
      const answer = donation.deliver();
      await untilBlocked(books());
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      await proxy.cut();
      expectAway(await answer);
      expectAway(await donation.deliver());
      expectAway(await start('meanwhile'));
    });
    expect(await statusOf(donation.donationId)).toBe('PENDING');
    await proxy.mend();
    await expectBookedOnce(donation);
  });

  it('after a deadlock, the webhook is booked once by the next try', async () => {
    const donation = await paid('deadlock');
    await inTransaction(async (client) => {
      // PostgreSQL reports a deadlock to the session that waited first. This session is the service.
      await client.query("SET LOCAL deadlock_timeout = '60s'");
      await client.query('LOCK TABLE event_total IN SHARE ROW EXCLUSIVE MODE');
      const answer = donation.deliver();
      await untilBlocked(books());
      await client.query('SELECT 1 FROM donation WHERE id = $1 FOR UPDATE', [donation.donationId]);
      await client.query('ROLLBACK');
      expect((await answer).status).toBe(200);
    });
    await expectBookedOnce(donation);
  });

  it('two serialization conflicts are retried; a permanent one answers 503 and books nothing', async () => {
    await sql(
      books(),
      `CREATE SEQUENCE conflicts;
       CREATE TABLE conflict_limit (times int);
       INSERT INTO conflict_limit VALUES (2);
       CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('conflicts') <= (SELECT times FROM conflict_limit) THEN
           RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001';
         END IF;
         RETURN NEW;
       END $$;
       CREATE TRIGGER conflict BEFORE UPDATE ON donation FOR EACH ROW WHEN (NEW.status = 'COMPLETED')
         EXECUTE FUNCTION conflict();`,
    );
    try {
      const two = await paid('two');
      expect((await two.deliver()).status).toBe(200);
      await expectBookedOnce(two);
      await sql(books(), 'UPDATE conflict_limit SET times = 1000000');
      const endless = await paid('endless');
      expectAway(await endless.deliver());
      expect(await statusOf(endless.donationId)).toBe('PENDING');
      await sql(books(), 'UPDATE conflict_limit SET times = 0');
      await expectBookedOnce(endless);
    } finally {
      await sql(books(), 'DROP TRIGGER conflict ON donation');
    }
  });
});
