import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../../sandbox/server/sandbox.js';
import { keptTotals, recount } from '../support/books.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ADMIN_PASSWORD, createAdmin, sql } from '../support/fixtures.js';
import { PAYPAL, providerEnvironment, STRIPE } from '../support/payments.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';

/** Sends the same request fifty times at the same moment, over two server processes on one database. */
const TIMES = 50;

let database: TestDatabase;
let sandbox: Sandbox;
let servers: readonly [ServerProcess, ServerProcess];
let token: string;
let event: { id: string; slug: string };

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

beforeAll(async () => {
  database = await createTestDatabase();
  sandbox = await startSandbox({ stripe: STRIPE, paypal: PAYPAL });
  sandbox.setDeliveryMode('manual');
  const environment = { ...providerEnvironment(sandbox), DATABASE_URL: database.url };
  servers = await Promise.all([startServerProcess(environment), startServerProcess(environment)]);
  sandbox.setWebhookUrls({
    stripe: servers.map(({ url }) => `${url}/donations/cardprocessor/webhook`),
    paypal: servers.map(({ url }) => `${url}/donations/wallet/webhook`),
  });
  const { email } = await createAdmin({ databaseUrl: database.url });
  const login = await call(0, 'POST', '/auth/login', { email, password: ADMIN_PASSWORD });
  token = login.body.accessToken as string;
  const made = await call(0, 'POST', '/events', { name: 'Gala', slug: 'gala', goalAmount: 1_000_000 });
  event = made.body as unknown as typeof event;
}, 60_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await sandbox.close();
  await database.drop();
});

async function call(
  server: number,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${servers[server % 2]?.url ?? ''}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Calls `request` for 1 to 50 at once. The requests go to both servers in turn. */
const atOnce = (request: (nth: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: TIMES }, (_, nth) => request(nth)));

async function intent(
  method: 'card' | 'wallet',
  amount: number,
): Promise<{ donationId: string; paymentId: string }> {
  const { body } = await call(0, 'POST', '/donations/intent', {
    amount,
    currency: 'eur',
    method,
    metadata: { eventId: event.id },
  });
  const paymentId = String(body.clientSecret ?? body.orderId).replace(/_secret_.*$/, '');
  return { donationId: body.donationId as string, paymentId };
}

/** Creates a card donation that is paid and booked. */
async function paid(amount: number) {
  const donation = await intent('card', amount);
  sandbox.stripe.pay(donation.paymentId);
  await sandbox.stripe.deliveries.flush();
  return donation;
}

interface Donation {
  readonly status: string;
  readonly refunded: number;
  readonly steps: string[];
  readonly created: number;
}

async function donation(donationId: string): Promise<Donation | undefined> {
  const [row] = await sql<Donation>(
    { databaseUrl: database.url },
    `SELECT status, refunded_amount::int AS refunded,
       (SELECT array_agg(to_status::text ORDER BY created_at, id) FROM donation_history h
        WHERE donation_id = d.id AND from_status IS DISTINCT FROM to_status) AS steps,
       (SELECT count(*)::int FROM outbox o WHERE o.donation_id = d.id AND topic = 'donation.created') AS created
     FROM donation d WHERE id = $1`,
    [donationId],
  );
  return row;
}

const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();

async function expectRightTotals(): Promise<void> {
  const books = { databaseUrl: database.url };
  expect(await keptTotals(books)).toEqual(await recount(books));
}

describe('fifty requests at once over two processes', () => {
  it('fifty copies of one webhook event book one donation', async () => {
    const { donationId, paymentId } = await intent('card', 1000);
    sandbox.stripe.pay(paymentId);
    const message = sandbox.stripe
      .events()
      .find(({ type, data }) => type === 'payment_intent.succeeded' && data.object.id === paymentId);
    const answers = await sandbox.stripe.deliveries.deliverAtOnce(message?.id ?? '', TIMES / 2);
    expect(answers).toEqual(Array.from({ length: TIMES }, () => 200));
    expect(await donation(donationId)).toEqual({
      status: 'COMPLETED',
      refunded: 0,
      steps: ['PENDING', 'COMPLETED'],
      created: 1,
    });
    await expectRightTotals();
  });

  it('fifty copies of a webhook event about a payment made by a page book one donation', async () => {
    const before = await sql({ databaseUrl: database.url }, 'SELECT id FROM donation');
    const metadata = { eventId: event.slug };
    const { id } = sandbox.stripe.createPaid({ amount: 1000, currency: 'eur', metadata });
    const message = sandbox.stripe
      .events()
      .find(({ type, data }) => type === 'payment_intent.succeeded' && data.object.id === id);
    const answers = await sandbox.stripe.deliveries.deliverAtOnce(message?.id ?? '', TIMES / 2);
    expect(answers).toEqual(Array.from({ length: TIMES }, () => 200));
    const after = await sql({ databaseUrl: database.url }, 'SELECT id FROM donation');
    expect(after).toHaveLength(before.length + 1);
    await expectRightTotals();
  });

  it('fifty equal cancellations cancel a donation once', async () => {
    const { donationId, paymentId } = await intent('card', 1000);
    const answers = await atOnce((nth) =>
      call(nth, 'POST', `/donations/${donationId}/cancel`, { shouldRefund: false }),
    );
    expect([200, 409]).toEqual(expect.arrayContaining(statuses(answers)));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(sandbox.stripe.intent(paymentId).status).toBe('canceled');
    await sandbox.stripe.deliveries.flush();
    expect(await donation(donationId)).toMatchObject({
      status: 'CANCELLED',
      steps: ['PENDING', 'CANCELLED'],
      created: 0,
    });
  });

  it('fifty equal corrections without a refund change the donation once', async () => {
    const { donationId } = await paid(1000);
    const answers = await atOnce((nth) =>
      call(nth, 'POST', `/donations/${donationId}/cancel`, { shouldRefund: false }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(TIMES - 1);
    expect(await donation(donationId)).toMatchObject({ steps: ['PENDING', 'COMPLETED', 'CANCELLED'] });
    await expectRightTotals();
  });

  it('fifty equal refund requests refund the donation once', async () => {
    const { donationId, paymentId } = await paid(1000);
    const answers = await atOnce((nth) =>
      call(nth, 'POST', `/donations/${donationId}/cancel`, { shouldRefund: true }),
    );
    expect([200, 409]).toEqual(expect.arrayContaining(statuses(answers)));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(sandbox.stripe.refundsOf(paymentId)).toEqual([expect.objectContaining({ amount: 1000 })]);
    await sandbox.stripe.deliveries.flush('shuffled');
    expect(await donation(donationId)).toEqual({
      status: 'REFUNDED',
      refunded: 1000,
      steps: ['PENDING', 'COMPLETED', 'REFUNDED'],
      created: 1,
    });
    await expectRightTotals();
  });

  it('fifty different refunds never refund more than the donation', async () => {
    const { donationId, paymentId } = await paid(500);
    // 1 + 2 + … + 50 = 1275
    const answers = await atOnce((nth) =>
      call(
        nth,
        'POST',
        `/donations/${donationId}/cancel`,
        { shouldRefund: true, amount: nth + 1 },
        { 'idempotency-key': `part ${nth} of ${donationId}` },
      ),
    );
    expect([200, 409]).toEqual(expect.arrayContaining(statuses(answers)));
    const given = sandbox.stripe.refundsOf(paymentId).reduce((sum, { amount }) => sum + amount, 0);
    expect(given).toBeLessThanOrEqual(500);
    // The unrefunded rest is smaller than the smallest refused refund.
    const refusedSums = answers.flatMap(({ status }, nth) => (status === 409 ? [nth + 1] : []));
    expect(500 - given).toBeLessThan(Math.min(...refusedSums));
    await sandbox.stripe.deliveries.flush('shuffled');
    expect(await donation(donationId)).toMatchObject({
      status: given === 500 ? 'REFUNDED' : 'COMPLETED',
      refunded: given,
      created: 1,
    });
    await expectRightTotals();
  });

  it('fifty partial refunds under one key move money once and return the same refund', async () => {
    const { donationId, paymentId } = await paid(1000);
    const ask = (nth: number) =>
      call(
        nth,
        'POST',
        `/donations/${donationId}/cancel`,
        { shouldRefund: true, amount: 300 },
        { 'idempotency-key': `a part of ${donationId}` },
      );
    const answers = await atOnce(ask);
    // If two calls with one key arrive at once, the provider refuses one of them. The service then answers 503 for this
    // attempt.
    expect([200, 503]).toEqual(expect.arrayContaining(statuses(answers)));
    const [refund, ...more] = sandbox.stripe.refundsOf(paymentId);
    expect({ amount: refund?.amount, more }).toEqual({ amount: 300, more: [] });
    await sandbox.stripe.deliveries.flush('shuffled');
    const { status, body } = await ask(1);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'COMPLETED', refundedAmount: 300, refund: { amount: 300, status: 'succeeded' } },
    });
    for (const answer of answers.filter((one) => one.status === 200))
      expect(answer.body.refund).toMatchObject({ id: (body.refund as { id: string }).id, amount: 300 });
    expect(sandbox.stripe.refundsOf(paymentId)).toHaveLength(1);
    await expectRightTotals();
  });

  it('fifty partial refunds of an offline donation under one key are booked once', async () => {
    const sent = { amount: 1000, type: 'cash', eventId: event.id };
    const { body: recorded } = await call(0, 'POST', '/donations', sent);
    const ask = (nth: number) =>
      call(
        nth,
        'POST',
        `/donations/${recorded.id as string}/cancel`,
        { shouldRefund: true, amount: 300 },
        { 'idempotency-key': `a part of ${recorded.id as string}` },
      );
    const answers = await atOnce(ask);
    expect(statuses(answers)).toEqual([200]);
    for (const { body } of answers)
      expect(body).toMatchObject({ refundedAmount: 300, refund: answers[0]?.body.refund });
    expect(await donation(recorded.id as string)).toMatchObject({ status: 'COMPLETED', refunded: 300 });
    await expectRightTotals();
  });

  it('one key for refunds of two donations refunds one of them', async () => {
    const made = await Promise.all([paid(1000), paid(1000)]);
    const answers = await atOnce((nth) =>
      call(
        nth,
        'POST',
        `/donations/${made[nth % 2]?.donationId ?? ''}/cancel`,
        { shouldRefund: true, amount: 300 },
        { 'idempotency-key': 'one key for two donations' },
      ),
    );
    expect([200, 409, 503]).toEqual(expect.arrayContaining(statuses(answers)));
    for (const { body } of answers.filter(({ status }) => status === 409))
      expect(body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const refunds = made.flatMap(({ paymentId }) => sandbox.stripe.refundsOf(paymentId));
    expect(refunds).toEqual([expect.objectContaining({ amount: 300 })]);
    await sandbox.stripe.deliveries.flush('shuffled');
    await expectRightTotals();
  });

  it('fifty equal wallet captures capture the payment once', async () => {
    const { donationId, paymentId } = await intent('wallet', 1000);
    sandbox.paypal.approve(paymentId);
    const answers = await atOnce((nth) => call(nth, 'POST', `/donations/wallet/${paymentId}/capture`));
    for (const answer of answers)
      expect(answer).toEqual({ status: 200, body: { donationId, status: 'COMPLETED' } });
    await sandbox.paypal.deliveries.flush('shuffled');
    expect(await donation(donationId)).toEqual({
      status: 'COMPLETED',
      refunded: 0,
      steps: ['PENDING', 'COMPLETED'],
      created: 1,
    });
    expect(sandbox.paypal.payments().find(({ id }) => id === paymentId)?.held).toBe(1000);
    await expectRightTotals();
  });

  it('one Idempotency-Key records one offline donation and returns it to every caller', async () => {
    const answers = await atOnce((nth) =>
      call(
        nth,
        'POST',
        '/donations',
        { amount: 700, type: 'cash', eventId: event.id, donorName: 'Ada', donorEmail: 'ada@example.org' },
        { 'idempotency-key': 'terminal-7-000042' },
      ),
    );
    expect(statuses(answers)).toEqual([201]);
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    expect(await donation(answers[0]?.body.id as string)).toMatchObject({ steps: ['COMPLETED'], created: 1 });
    await expectRightTotals();
  });

  it('one Idempotency-Key starts one online donation with one payment', async () => {
    const answers = await atOnce((nth) =>
      call(
        nth,
        'POST',
        '/donations/intent',
        { amount: 700, currency: 'eur', metadata: { eventId: event.id } },
        { 'idempotency-key': 'page-000042' },
      ),
    );
    expect([201, 409]).toEqual(expect.arrayContaining(statuses(answers)));
    const started = answers.filter(({ status }) => status === 201);
    expect(started.length).toBeGreaterThan(0);
    for (const { body } of started) expect(body).toEqual(started[0]?.body);
    for (const { body } of answers.filter(({ status }) => status === 409))
      expect(body.code).toBe('IDEMPOTENCY_KEY_IN_USE');
    const { donationId } = started[0]?.body as { donationId: string };
    const made = sandbox.stripe.payments().filter(({ metadata }) => metadata.donationId === donationId);
    expect(made).toHaveLength(1);
    const rows = await sql(
      { databaseUrl: database.url },
      'SELECT 1 FROM donation WHERE amount = 700 AND type = $1',
      ['card'],
    );
    expect(rows).toHaveLength(1);
  });
});
