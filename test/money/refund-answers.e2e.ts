import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { Database } from '../../src/data/database.js';
import { PaymentFacts } from '../../src/payments/booking/facts.service.js';
import type { RefundFact } from '../../src/payments/providers/provider-port.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import { markRefundFailed } from '../../src/payments/booking/refunds.js';
import { sql } from '../support/fixtures.js';
import { STRIPE } from '../support/payments.js';
import { withPaymentWorld } from './with-world.js';

/** Answers about refunds that arrive late, twice, on another path, or never. */

const { app, world, stripe } = withPaymentWorld({ check: 'answers' });
beforeEach(() => {
  world.mayStumble = true;
});

const delivered = () => world.deliverAll(Math.random);

/** Requests a refund whose answer gets lost. Returns the id of its row. */
async function unanswered(donationId: string, amount: number, made: boolean, key = newId()): Promise<string> {
  // The client library tries three times.
  app.sandbox.faults.add({
    provider: 'stripe',
    operation: 'refunds.create',
    kind: 'reset',
    after: made,
    times: 3,
  });
  expect((await world.cancel(donationId, { shouldRefund: true, amount }, key)).status).toBe(503);
  app.sandbox.faults.clear();
  const [row] = await sql<{ id: string }>(
    app,
    `SELECT id FROM refund WHERE donation_id = $1 AND status = 'requested' ORDER BY created_at DESC`,
    [donationId],
  );
  if (!row) throw new Error('the refund is not saved');
  return row.id;
}

const refundRow = async (id: string) =>
  (
    await sql<{ status: string; provider_refund_id: string | null }>(
      app,
      'SELECT status, provider_refund_id FROM refund WHERE id = $1',
      [id],
    )
  )[0];

describe('refunds without an answer', () => {
  it.each(['61 minutes', '25 hours'])(
    'looks for an unanswered refund at the provider before it sends the request again after %s',
    async (age) => {
      const { donationId, paymentId } = await world.paid('card');
      const key = newId();
      const id = await unanswered(donationId, 300, false, key);
      // The first attempt succeeded with a key that the provider no longer knows.
      const answer = await fetch(`${app.sandbox.url}/v1/refunds`, {
        method: 'POST',
        headers: { authorization: `Bearer ${STRIPE.secretKey}`, 'idempotency-key': `forgotten:${id}` },
        body: new URLSearchParams({ payment_intent: paymentId, amount: '300', 'metadata[refundId]': id }),
      });
      expect(answer.status).toBe(200);
      await sql(app, 'UPDATE refund SET created_at = now() - $2::interval WHERE id = $1', [id, age]);
      expect((await world.cancel(donationId, { shouldRefund: true, amount: 300 }, key)).body).toMatchObject({
        refundedAmount: 300,
        refund: { id, status: 'succeeded' },
      });
      expect(stripe().refundsOf(paymentId)).toHaveLength(1);
    },
  );

  it('repeats a refund that Stripe answers with 409 because the same request is under way', async () => {
    const { donationId, paymentId } = await world.paid('card');
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'refunds.create',
      kind: 'error',
      status: 409,
      times: 3,
    });
    const ask = () => world.cancel(donationId, { shouldRefund: true, amount: 300 }, `of ${donationId}`);
    expect(await ask()).toMatchObject({ status: 503, body: { code: 'PROVIDER_UNAVAILABLE' } });
    expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 0, refundPending: 300 });
    expect(await ask()).toMatchObject({ status: 200, body: { refundedAmount: 300 } });
    expect(stripe().refundsOf(paymentId)).toHaveLength(1);
  });

  it('after an unanswered refund, another refund can use only the remaining amount', async () => {
    const { donationId } = await world.paid('card');
    await unanswered(donationId, 800, false);
    expect(await world.cancel(donationId, { shouldRefund: true, amount: 300 })).toMatchObject({
      status: 409,
      body: { code: 'REFUND_TOO_LARGE', message: expect.stringContaining('200') },
    });
  });

  it('books one refund when the provider first reports it without our id', async () => {
    const { donationId, paymentId } = await world.paid('card');
    await unanswered(donationId, 300, true);
    const provider = app.app.get(PaymentProviders, { strict: false }).ofDonation('stripe');
    const facts = app.app.get(PaymentFacts, { strict: false });
    const named = (await provider.readPayment(paymentId)).filter(
      (fact): fact is RefundFact => fact.kind === 'refund',
    );
    expect(named).toHaveLength(1);
    await facts.book(
      provider,
      named.map(({ refundId: _ours, ...fact }) => fact),
    );
    await facts.book(provider, named);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 300 });
    const rows = await sql(
      app,
      `SELECT 1 FROM refund WHERE donation_id = $1 AND provider_refund_id IS NOT NULL AND status = 'succeeded'`,
      [donationId],
    );
    expect(rows).toHaveLength(1);
  });

  it('a late refusal does not fail a refund that succeeded meanwhile', async () => {
    const { donationId } = await world.paid('card');
    const id = await unanswered(donationId, 300, true);
    await delivered();
    const succeeded = { status: 'succeeded', provider_refund_id: expect.stringMatching(/^re_/) };
    expect(await refundRow(id)).toEqual(succeeded);
    expect(await markRefundFailed(app.app.get(Database, { strict: false }), id)).toBe(false);
    expect(await refundRow(id)).toEqual(succeeded);
  });
});

describe('a refund wrongly believed to be refused', () => {
  it('a refund marked as failed succeeds when the provider reports it', async () => {
    const { donationId } = await world.paid('card');
    const id = await unanswered(donationId, 300, true);
    expect(await markRefundFailed(app.app.get(Database, { strict: false }), id)).toBe(true);
    await delivered();
    expect(await refundRow(id)).toMatchObject({ status: 'succeeded' });
    expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 300 });
  });
});

describe('a refund that the provider can never make', () => {
  it('refuses an impossible refund without saving it', async () => {
    const { donationId, paymentId } = await world.intent('card', 50_000, null, 'kwd');
    stripe().pay(paymentId);
    await delivered();
    // Stripe accepts dinar amounts only in steps of ten fils.
    const { status } = await world.cancel(donationId, { shouldRefund: true, amount: 1_005 });
    expect(status).toBe(400);
    expect(await sql(app, 'SELECT 1 FROM refund WHERE donation_id = $1', [donationId])).toEqual([]);
  });
});

describe('the refundable rest of a payment', () => {
  it('a lost dispute reduces the refundable rest', async () => {
    const { donationId, paymentId } = await world.paid('card', 2000);
    stripe().openDispute(paymentId, { amount: 1500 });
    await delivered();
    app.sandbox.clock.advance(60_000);
    stripe().loseDispute(paymentId);
    await delivered();
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 1500 });
    expect(await world.cancel(donationId, { shouldRefund: true, amount: 600 })).toMatchObject({
      status: 409,
      body: { code: 'REFUND_TOO_LARGE', message: expect.stringContaining('500') },
    });
  });

  it('every refund reduces the refundable rest, also one made at the provider', async () => {
    const { donationId, paymentId } = await world.paid('card');
    stripe().refund(paymentId, { amount: 700 });
    await delivered();
    expect(await world.cancel(donationId, { shouldRefund: true, amount: 400 })).toMatchObject({
      status: 409,
      body: { code: 'REFUND_TOO_LARGE', message: expect.stringContaining('300') },
    });
  });
});

describe('failed refunds', () => {
  it('a failed refund does not change the completion time of its donation', async () => {
    const { donationId, paymentId } = await world.paid('card');
    const completed = await sql<{ completed_at: Date }>(
      app,
      `UPDATE donation SET completed_at = completed_at - interval '1 hour' WHERE id = $1 RETURNING completed_at`,
      [donationId],
    );
    await world.cancel(donationId, { shouldRefund: true });
    await delivered();
    stripe().failRefund(stripe().refundsOf(paymentId)[0]?.id ?? '');
    await delivered();
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED' });
    expect(await sql(app, 'SELECT completed_at FROM donation WHERE id = $1', [donationId])).toEqual(
      completed,
    );
  });

  it('a failed refund stays listed after a smaller refund, and leaves the list after a refund of the same amount', async () => {
    const { donationId, paymentId } = await world.paid('card');
    await world.cancel(donationId, { shouldRefund: true, amount: 500 });
    await delivered();
    stripe().failRefund(stripe().refundsOf(paymentId)[0]?.id ?? '');
    await delivered();
    const failed = [
      expect.objectContaining({ kind: 'refund_failed', detail: expect.objectContaining({ amount: 500 }) }),
    ];
    expect(await world.reviewItems(donationId)).toEqual(failed);
    await world.cancel(donationId, { shouldRefund: true, amount: 499 });
    await delivered();
    expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 499 });
    expect(await world.reviewItems(donationId)).toEqual(failed);
    await world.cancel(donationId, { shouldRefund: true, amount: 500 });
    await delivered();
    expect(await world.reviewItems(donationId)).toEqual([]);
  });

  it('an earlier refund does not settle a failed refund', async () => {
    const { donationId, paymentId } = await world.paid('card');
    await world.cancel(donationId, { shouldRefund: true, amount: 400 });
    await delivered();
    await sql(app, `UPDATE refund SET created_at = created_at - interval '1 minute' WHERE donation_id = $1`, [
      donationId,
    ]);
    await world.cancel(donationId, { shouldRefund: true, amount: 300 });
    await delivered();
    const later = stripe()
      .refundsOf(paymentId)
      .find(({ amount }) => amount === 300);
    stripe().failRefund(later?.id ?? '');
    await delivered();
    expect(await world.reviewItems(donationId)).toEqual([expect.objectContaining({ kind: 'refund_failed' })]);
  });
});

describe('reconciliation of refunds', () => {
  it('reconciliation reaches our refund although hundreds of other payments wait longer', async () => {
    const { donationId, paymentId } = await world.paid('card');
    await unanswered(donationId, 300, false);
    await sql(
      app,
      `INSERT INTO refund (id, provider, payment_id, provider_refund_id, amount, currency, status, actor_kind,
         created_at, updated_at)
       SELECT gen_random_uuid(), 'stripe', 'pi_foreign_' || n, 're_foreign_' || n, 100, 'eur', 'pending', 'provider',
         now() - interval '2 days', now() - interval '2 days' FROM generate_series(1, 600) AS n`,
    );
    await world.reconcile();
    expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 300 });
    expect(stripe().refundsOf(paymentId)).toHaveLength(1);
    await sql(app, `DELETE FROM refund WHERE payment_id LIKE 'pi_foreign_%'`);
  });
});
