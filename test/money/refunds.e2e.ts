import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { sql } from '../support/fixtures.js';
import { withPaymentWorld } from './with-world.js';

/** Repeated refund requests, and payments that are still pending. */

const { app, world, stripe, paypal } = withPaymentWorld();

const METHODS = ['card', 'wallet'] as const;
type Method = (typeof METHODS)[number];

const recorded = async () => {
  const donation = await world.record(1000, 'cash', 'ada@example.org');
  if (!donation) throw new Error('the donation is not recorded');
  return donation;
};

const refundsOf = (method: Method, paymentId: string): { id: string }[] =>
  method === 'card' ? stripe().refundsOf(paymentId) : paypal().refundsOf(paymentId);

const refundFault = (method: Method) =>
  method === 'card'
    ? ({ provider: 'stripe', operation: 'refunds.create' } as const)
    : ({ provider: 'paypal', operation: 'captures.refund' } as const);

const PART = { shouldRefund: true, amount: 300 };
const coded = ({ status, body }: { status: number; body: Record<string, unknown> }) => ({
  status,
  code: body.code,
});

const age = (donationId: string, interval: string) =>
  sql(app, 'UPDATE donation SET created_at = now() - $2::interval WHERE id = $1', [donationId, interval]);

describe('cancellation without a refund', () => {
  it.each(METHODS)('warns that the donor of a %s payment gets no refund', async (method) => {
    const { donationId, paymentId } = await world.paid(method);
    const { status, body } = await world.cancel(donationId, { shouldRefund: false });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'CANCELLED', refund: null, warning: { code: 'DONOR_NOT_REFUNDED' } },
    });
    expect(refundsOf(method, paymentId)).toEqual([]);
  });

  it('a cancellation carries no warning for an offline donation, or when the money is refunded', async () => {
    const [cash, back, open] = [await recorded(), await world.paid('card'), await world.intent('card', 1000)];
    for (const [id, shouldRefund] of [
      [cash.donationId, false],
      [back.donationId, true],
      [open.donationId, false],
    ] as const) {
      const { status, body } = await world.cancel(id, { shouldRefund });
      expect([status, body.warning]).toEqual([200, undefined]);
    }
  });
});

describe('refunds under an Idempotency-Key', () => {
  it.each(METHODS)(
    'refunds a %s payment once, also when its webhook event arrives between two attempts',
    async (method) => {
      world.mayStumble = true;
      const { donationId, paymentId } = await world.paid(method);
      const ask = () => world.cancel(donationId, PART, `part of ${donationId}`);
      app.sandbox.faults.add({ ...refundFault(method), kind: 'reset', after: true, times: 3 });
      expect((await ask()).status).toBe(503);
      app.sandbox.faults.clear();
      await world.deliverAll(Math.random);
      expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 300 });
      const again = await ask();
      expect(again).toMatchObject({
        status: 200,
        body: { status: 'COMPLETED', refundedAmount: 300, refund: { amount: 300, status: 'succeeded' } },
      });
      expect((await ask()).body.refund).toEqual(again.body.refund);
      expect(refundsOf(method, paymentId)).toHaveLength(1);
    },
  );

  it.each(METHODS)(
    'answers a repeated refund of a %s payment with its present state and the pending amount',
    async (method) => {
      const { donationId, paymentId } = await world.paid(method);
      const ask = () => world.cancel(donationId, PART, `part of ${donationId}`);
      app.sandbox.faults.add({ ...refundFault(method), kind: 'pending' });
      for (let time = 0; time < 2; time += 1)
        expect(await ask()).toMatchObject({
          status: 200,
          body: { refundedAmount: 0, refundPending: 300, refund: { amount: 300, status: 'pending' } },
        });
      expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 0, refundPending: 300 });
      const corrected = await world.call('PATCH', `/donations/${donationId}`, { donorName: 'Grace' });
      expect(corrected.body).toMatchObject({ donorName: 'Grace', refundPending: 300 });
      // Some clients send back the whole object that they received.
      const whole = await world.call('PATCH', `/donations/${donationId}`, {
        ...corrected.body,
        donorName: 'Grace Hopper',
      });
      expect(whole).toMatchObject({ status: 200, body: { donorName: 'Grace Hopper', refundPending: 300 } });
      const another = { ...whole.body, refundPending: 299 };
      expect(await world.call('PATCH', `/donations/${donationId}`, another)).toMatchObject({
        status: 400,
        body: { code: 'READ_ONLY_FIELD' },
      });
      const [refund] = refundsOf(method, paymentId);
      if (method === 'card') stripe().settleRefund(refund?.id ?? '');
      else paypal().settleRefund(refund?.id ?? '');
      await world.deliverAll(Math.random);
      await world.reconcile();
      const settled = await ask();
      expect(settled).toMatchObject({
        status: 200,
        body: { refundedAmount: 300, refund: { status: 'succeeded' } },
      });
      expect(settled.body).not.toHaveProperty('refundPending');
      expect(await world.donation(donationId)).not.toHaveProperty('refundPending');
      expect(refundsOf(method, paymentId)).toHaveLength(1);
    },
  );

  it('keeps the amounts of a refund in the history next to the reason that a person typed', async () => {
    const { donationId } = await world.paid('card');
    const key = `history of ${donationId}`;
    await world.cancel(donationId, { shouldRefund: true, amount: 300, reason: 'Charged twice' }, key);
    await world.deliverAll(Math.random);
    const { body } = await world.call('GET', `/donations/${donationId}/history`);
    const currency = 'eur';
    expect((body as unknown as object[]).slice(-2)).toMatchObject([
      {
        reason: 'Charged twice',
        note: 'Charged twice',
        cause: { kind: 'refund_requested', amount: 300, currency },
      },
      {
        reason: 'refund succeeded',
        cause: { kind: 'refund_status', status: 'succeeded', amount: 300, currency },
      },
    ]);
    expect((body as unknown as object[]).at(-1)).not.toHaveProperty('note');
  });

  it('shows an unanswered refund as pending too', async () => {
    world.mayStumble = true;
    const { donationId } = await world.paid('card');
    app.sandbox.faults.add({ ...refundFault('card'), kind: 'error', times: 2 });
    expect((await world.cancel(donationId, PART, newId())).status).toBe(503);
    expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 0, refundPending: 300 });
  });

  it('a refused refund stays refused; another key starts another refund', async () => {
    const { donationId, paymentId } = await world.paid('card');
    app.sandbox.faults.add({ ...refundFault('card'), kind: 'error', status: 400 });
    const key = newId();
    const first = await world.cancel(donationId, PART, key);
    expect(coded(first)).toEqual({ status: 409, code: 'PROVIDER_REFUSED' });
    for (let time = 0; time < 2; time += 1)
      expect(await world.cancel(donationId, PART, key)).toMatchObject({
        status: 200,
        body: { refundedAmount: 0, refund: { amount: 300, status: 'failed' } },
      });
    expect(stripe().refundsOf(paymentId)).toEqual([]);
    expect((await world.cancel(donationId, PART, newId())).body).toMatchObject({ refundedAmount: 300 });
  });

  it('a failed refund stays failed; another key starts another refund', async () => {
    const { donationId, paymentId } = await world.paid('wallet');
    app.sandbox.faults.add({ ...refundFault('wallet'), kind: 'decline' });
    const key = newId();
    for (let time = 0; time < 3; time += 1)
      expect(await world.cancel(donationId, PART, key)).toMatchObject({
        status: 200,
        body: { refundedAmount: 0, refund: { amount: 300, status: 'failed' } },
      });
    expect(paypal().refundsOf(paymentId)).toHaveLength(1);
    expect((await world.cancel(donationId, PART, newId())).body).toMatchObject({ refundedAmount: 300 });
  });

  it('answers a repeated full refund with that refund after the donation is REFUNDED', async () => {
    const [card, cash] = [await world.paid('card'), await recorded()];
    for (const { donationId } of [card, cash]) {
      const ask = () => world.cancel(donationId, { shouldRefund: true }, `all of ${donationId}`);
      const first = await ask();
      expect(first).toMatchObject({
        status: 200,
        body: { status: 'REFUNDED', refund: { amount: 1000, status: 'succeeded' } },
      });
      expect(await ask()).toMatchObject({ status: 200, body: { refund: first.body.refund } });
      expect(coded(await world.cancel(donationId, { shouldRefund: true }))).toEqual({
        status: 409,
        code: 'DONATION_REFUNDED',
      });
    }
    expect(stripe().refundsOf(card.paymentId)).toHaveLength(1);
  });

  it('a key sent after a lost answer belongs to the earlier full refund', async () => {
    world.mayStumble = true;
    const { donationId, paymentId } = await world.paid('card');
    app.sandbox.faults.add({ ...refundFault('card'), kind: 'error', times: 2 });
    expect((await world.cancel(donationId, { shouldRefund: true })).status).toBe(503);
    const ask = () => world.cancel(donationId, { shouldRefund: true }, `all of ${donationId}`);
    const { body } = await ask();
    expect(body).toMatchObject({ status: 'REFUNDED', refund: { amount: 1000, status: 'succeeded' } });
    expect((await ask()).body.refund).toEqual(body.refund);
    expect(stripe().refundsOf(paymentId)).toHaveLength(1);
  });

  it('answers 409 when the same key has another amount, reason or donation', async () => {
    const [card, other, cash] = [await world.paid('card'), await world.paid('card'), await recorded()];
    for (const { donationId } of [card, cash]) {
      const key = `part of ${donationId}`;
      expect((await world.cancel(donationId, PART, key)).status).toBe(200);
      for (const [id, body] of [
        [donationId, { ...PART, amount: 301 }],
        [donationId, { ...PART, reason: 'Charged twice' }],
        [donationId, { shouldRefund: true }],
        [donationId, { shouldRefund: false }],
        [other.donationId, PART],
      ] as const)
        expect(coded(await world.cancel(id, body, key))).toEqual({
          status: 409,
          code: 'IDEMPOTENCY_KEY_REUSED',
        });
      expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 300 });
    }
    expect(await world.donation(other.donationId)).toMatchObject({ refundedAmount: 0 });
  });

  it('requires a printable ASCII key for a partial refund', async () => {
    const [card, cash] = [await world.paid('card'), await recorded()];
    for (const { donationId } of [card, cash]) {
      const path = `/donations/${donationId}/cancel`;
      expect(coded(await world.call('POST', path, PART))).toEqual({
        status: 400,
        code: 'IDEMPOTENCY_KEY_REQUIRED',
      });
      expect(coded(await world.cancel(donationId, PART, 'x'.repeat(256)))).toEqual({
        status: 400,
        code: 'IDEMPOTENCY_KEY_INVALID',
      });
      expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 0 });
    }
  });

  it('books one refund of an offline donation for each key', async () => {
    const { donationId } = await recorded();
    for (const key of ['first', 'first', 'second', 'first', 'second'])
      expect(await world.cancel(donationId, PART, `${key} ${donationId}`)).toMatchObject({
        status: 200,
        body: { refund: { amount: 300, status: 'succeeded' } },
      });
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 600 });
    expect(coded(await world.cancel(donationId, { ...PART, amount: 401 }, newId()))).toEqual({
      status: 409,
      code: 'REFUND_TOO_LARGE',
    });
    const last = () => world.cancel(donationId, { ...PART, amount: 400 }, `last ${donationId}`);
    for (let time = 0; time < 2; time += 1)
      expect(await last()).toMatchObject({ status: 200, body: { status: 'REFUNDED', refundedAmount: 1000 } });
    expect(await world.path(donationId)).toEqual(['COMPLETED', 'REFUNDED']);
  });

  it('names the capture in the refund request to PayPal', async () => {
    const { donationId } = await world.paid('wallet');
    await world.cancel(donationId, PART);
    const rows = await sql<{ of_refund: string | null; of_donation: string }>(
      app,
      `SELECT r.capture_id AS of_refund, d.capture_id AS of_donation
       FROM refund r JOIN donation d ON d.id = r.donation_id WHERE d.id = $1`,
      [donationId],
    );
    expect(rows).toEqual([{ of_refund: rows[0]?.of_donation, of_donation: expect.any(String) }]);
  });

  it('ignores refunds of another currency in the refunded and pending amounts', async () => {
    const { donationId, paymentId } = await world.paid('card');
    await sql(
      app,
      `INSERT INTO dispute (id, donation_id, provider, payment_id, provider_dispute_id, amount, currency, status,
         created_at, updated_at) VALUES ($1, $2, 'stripe', $3, $4, 900, 'usd', 'lost', now(), now())`,
      [newId(), donationId, paymentId, `dp_${newId()}`],
    );
    await sql(
      app,
      `INSERT INTO refund (id, donation_id, provider, payment_id, provider_refund_id, amount, currency, status,
         actor_kind, created_at, updated_at)
       VALUES ($1, $2, 'stripe', $3, $4, 900, 'usd', 'succeeded', 'provider', now(), now())`,
      [newId(), donationId, paymentId, `re_${newId()}`],
    );
    expect(await world.cancel(donationId, { shouldRefund: true })).toMatchObject({
      status: 200,
      body: { status: 'REFUNDED', refundedAmount: 1000, refund: { amount: 1000 } },
    });
  });

  it('subtracts pending refunds from the amount of the next refund', async () => {
    const { donationId, paymentId } = await world.paid('card');
    app.sandbox.faults.add({ ...refundFault('card'), kind: 'pending' });
    await world.cancel(donationId, { ...PART, amount: 800 });
    expect(coded(await world.cancel(donationId, PART))).toEqual({ status: 409, code: 'REFUND_TOO_LARGE' });
    expect((await world.cancel(donationId, { shouldRefund: true })).body).toMatchObject({
      refund: { amount: 200, status: 'succeeded' },
    });
    const amounts = stripe()
      .refundsOf(paymentId)
      .map(({ amount }) => amount);
    expect(amounts.sort()).toEqual([200, 800]);
    for (const { id, status } of stripe().refundsOf(paymentId))
      if (status === 'pending') stripe().settleRefund(id);
  });
});

describe('pending payments', () => {
  const cancelled = async (donationId: string) => {
    for (const shouldRefund of [true, false])
      expect(coded(await world.cancel(donationId, { shouldRefund }))).toEqual({
        status: 409,
        code: 'PAYMENT_UNDER_WAY',
      });
    expect((await world.donation(donationId)).status).toBe('PENDING');
  };

  it('neither reconciliation nor an admin cancels a pending bank payment', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().process(paymentId);
    await cancelled(donationId);
    await age(donationId, '5 days');
    await world.reconcile();
    expect(stripe().intent(paymentId).status).toBe('processing');
    expect((await world.donation(donationId)).status).toBe('PENDING');
    stripe().pay(paymentId);
    await world.deliverAll(Math.random);
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
  });

  it('neither reconciliation nor an admin cancels a pending wallet capture', async () => {
    const { donationId, paymentId } = await world.intent('wallet', 1000);
    paypal().onCapture(paymentId, { outcome: 'pending' });
    paypal().approve(paymentId);
    await world.call('POST', `/donations/wallet/${paymentId}/capture`);
    await cancelled(donationId);
    await age(donationId, '5 days');
    await world.reconcile();
    expect((await world.donation(donationId)).status).toBe('PENDING');
    paypal().completeCapture(paymentId);
    await world.deliverAll(Math.random);
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
  });

  it.each(['multibanco', 'oxxo', 'boleto', 'konbini'] as const)(
    'neither reconciliation nor an admin cancels a %s voucher while it can be paid',
    async (kind) => {
      const { donationId, paymentId } = await world.intent('card', 1000);
      stripe().issueVoucher(paymentId, { kind, expiresInDays: 3 });
      await cancelled(donationId);
      await age(donationId, '25 hours');
      await world.reconcile();
      expect(stripe().intent(paymentId).status).toBe('requires_action');
      stripe().pay(paymentId);
      await world.deliverAll(Math.random);
      expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
    },
  );

  it('an admin cancels an unpaid voucher after its expiry, and reconciliation cancels it some days later', async () => {
    const [asked, timed, late] = [
      await world.intent('card', 1000),
      await world.intent('card', 1000),
      await world.intent('card', 1000),
    ];
    stripe().issueVoucher(asked.paymentId, { expiresInDays: -1 });
    stripe().issueVoucher(timed.paymentId, { expiresInDays: -4 });
    // The donor paid on the last day, but the bank reports the payment days later.
    stripe().issueVoucher(late.paymentId, { expiresInDays: -1 });
    for (const { donationId } of [asked, timed, late]) await age(donationId, '8 days');
    expect((await world.cancel(asked.donationId, { shouldRefund: false })).body.status).toBe('CANCELLED');
    await world.reconcile();
    expect(await world.path(timed.donationId)).toEqual(['PENDING', 'CANCELLED']);
    expect((await world.donation(late.donationId)).status).toBe('PENDING');
    stripe().pay(late.paymentId);
    await world.deliverAll(Math.random);
    expect((await world.donation(late.donationId)).status).toBe('COMPLETED');
  });

  it('cancels the payment of a donor who left the bank’s page', async () => {
    const [asked, timed] = [await world.intent('card', 1000), await world.intent('card', 1000)];
    for (const { paymentId } of [asked, timed]) stripe().requireAuthentication(paymentId);
    await age(timed.donationId, '25 hours');
    expect((await world.cancel(asked.donationId, { shouldRefund: false })).body.status).toBe('CANCELLED');
    await world.reconcile();
    expect(await world.path(timed.donationId)).toEqual(['PENDING', 'CANCELLED']);
  });
});

describe('order of the database locks', () => {
  it('every transaction locks the totals last', async () => {
    const { rows, stop } = await watchedTables();
    try {
      const { donationId } = await world.paid('card');
      await world.cancel(donationId, PART);
      await world.cancel((await recorded()).donationId, { shouldRefund: true });
      await world.call('PATCH', `/donations/${donationId}`, { donorEmail: 'grace@example.org' });
      await world.call(
        'POST',
        '/donations',
        { amount: 500, type: 'cash', eventId: world.event.id, donorEmail: 'ada@example.org' },
        { 'idempotency-key': newId() },
      );
      await world.deliverAll(Math.random);
    } finally {
      await stop();
    }
    const transactions = new Map<string, string[]>();
    for (const { transaction, table } of rows)
      transactions.set(transaction, [...(transactions.get(transaction) ?? []), table]);
    const counting = [...transactions.values()].filter((tables) => tables.some((table) => TOTALS.has(table)));
    expect(counting.length).toBeGreaterThanOrEqual(6);
    expect(new Set(counting.flat())).toEqual(
      new Set([...WATCHED].filter((table) => table !== 'review_item')),
    );
    for (const tables of counting) {
      const after = tables.slice(tables.findIndex((table) => TOTALS.has(table)));
      expect(after.filter((table) => !TOTALS.has(table))).toEqual([]);
    }
  });
});

const TOTALS = new Set(['event_donor', 'event_total']);
const WATCHED = [
  'donation',
  'donation_history',
  'refund',
  'webhook_event',
  'outbox',
  'idempotency_key',
  'audit_entry',
  'review_item',
  'event_donor',
  'event_total',
];

/** Records for each transaction the tables to which it writes, in order. */
async function watchedTables() {
  const rows: { transaction: string; table: string }[] = [];
  await sql(
    app,
    `CREATE TABLE watched (id bigserial, transaction text, "table" text);
     CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO watched (transaction, "table") VALUES (pg_current_xact_id()::text, TG_TABLE_NAME); RETURN NEW;
     END $$;
     ${WATCHED.map((table) => `CREATE TRIGGER watch BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION watch();`).join('\n')}`,
  );
  const stop = async () => {
    rows.push(
      ...(await sql<(typeof rows)[number]>(app, 'SELECT transaction, "table" FROM watched ORDER BY id')),
    );
    await sql(
      app,
      `${WATCHED.map((table) => `DROP TRIGGER watch ON ${table};`).join('\n')} DROP FUNCTION watch(); DROP TABLE watched`,
    );
  };
  return { rows, stop };
}
