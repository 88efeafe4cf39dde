import { describe, expect, it } from '@jest/globals';
import { DAY_MS } from '../../sandbox/common/clock.js';
import { newId } from '../../src/common/crypto/ids.js';
import {
  BY_HAND,
  ON_SCHEDULE,
  ReconciliationService,
} from '../../src/payments/reconciliation/reconciliation.service.js';
import { sql } from '../support/fixtures.js';
import { until } from '../support/until.js';
import type { OnlineDonation } from './world.js';
import { withPaymentWorld } from './with-world.js';

/** Each test fails after a one-line change of the code that no other test detects. */

const { app, world } = withPaymentWorld();
const METHODS = ['card', 'wallet'] as const;
type Method = (typeof METHODS)[number];

/**
 * Runs an action as if 40 days ago, and drops its messages. Providers no longer list them. So only a query for the payment
 * finds the change.
 */
const unlisted = <T>(happens: () => T): T => {
  const result = app.sandbox.clock.at(new Date(Date.now() - 40 * DAY_MS), happens);
  for (const message of world.waiting()) world.drop(message);
  return result;
};

async function paid(method: Method, amount = 1000): Promise<OnlineDonation> {
  const donation = await world.paid(method, amount);
  expect(await world.donation(donation.donationId)).toMatchObject({ status: 'COMPLETED' });
  return donation;
}

const refundsOf = (method: Method, paymentId: string): { id: string }[] =>
  method === 'card' ? app.sandbox.stripe.refundsOf(paymentId) : app.sandbox.paypal.refundsOf(paymentId);

function settle(method: Method, paymentId: string): void {
  for (const { id } of refundsOf(method, paymentId))
    if (method === 'card') app.sandbox.stripe.settleRefund(id);
    else app.sandbox.paypal.settleRefund(id);
}

const pendingRefund = (method: Method) =>
  app.sandbox.faults.add(
    method === 'card'
      ? { provider: 'stripe', operation: 'refunds.create', kind: 'pending' }
      : { provider: 'paypal', operation: 'captures.refund', kind: 'pending' },
  );

/** Waits until the scheduled run has ended, then reconciles. */
const reconcile = (options: typeof BY_HAND) =>
  until(async () => (await app.app.get(ReconciliationService).run(options)) !== undefined, 'reconciliation');

describe('captures without an answer', () => {
  it('a capture without an answer returns 503, and runs again with the next message', async () => {
    world.mayStumble = true;
    const { donationId, paymentId } = await world.intent('wallet', 1000);
    app.sandbox.faults.add({ provider: 'paypal', operation: 'orders.capture', kind: 'error', times: 0 });
    app.sandbox.paypal.approve(paymentId);
    expect(await world.call('POST', `/donations/wallet/${paymentId}/capture`)).toMatchObject({ status: 503 });
    const approved = world.message('CHECKOUT.ORDER.APPROVED', paymentId);
    expect(await app.sandbox.paypal.deliveries.deliver(approved.id)).toEqual([503]);
    expect(await world.donation(donationId)).toMatchObject({ status: 'PENDING' });
    app.sandbox.faults.clear();
    expect(await app.sandbox.paypal.deliveries.deliver(approved.id)).toEqual([200]);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', amount: 1000 });
  });
});

describe('reconciliation', () => {
  it.each(METHODS)(
    'reconciliation asks the provider about pending refunds of %s payments',
    async (method) => {
      const { donationId, paymentId } = await paid(method);
      pendingRefund(method);
      await world.cancel(donationId, { shouldRefund: true, amount: 300 });
      await world.deliverAll(Math.random);
      expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 0, refundPending: 300 });
      unlisted(() => {
        settle(method, paymentId);
      });
      await world.reconcile();
      expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 300 });
    },
  );

  it('reconciliation asks the provider about FAILED donations', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.stripe.decline(paymentId);
    await world.deliverAll(Math.random);
    expect(await world.donation(donationId)).toMatchObject({ status: 'FAILED' });
    unlisted(() => app.sandbox.stripe.pay(paymentId));
    await world.reconcile();
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED' });
  });

  it('reconciliation reads every undelivered webhook event of the last four weeks', async () => {
    const { stripe } = app.sandbox;
    const metadata = { eventId: world.event.id };
    for (const days of [0.01, 1, 28]) {
      const when = new Date(Date.now() - days * DAY_MS);
      const wanted = { amount: 700, currency: 'eur', metadata };
      world.foreign.push(app.sandbox.clock.at(when, () => stripe.createPaid(wanted)).id);
    }
    for (const message of world.waiting()) world.drop(message);
    await world.reconcile();
    const paidOne = { status: 'COMPLETED', amount: 700 };
    expect(await world.donations()).toMatchObject([paidOne, paidOne, paidOne]);
  });

  it.each([
    ['scheduled', { ...ON_SCHEDULE, settleAfterMs: 0 }],
    ['manual', BY_HAND],
  ])('%s reconciliation cancels unpaid donations after a day, not before', async (_, options) => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    const age = (hours: number) =>
      sql(
        app,
        'UPDATE donation SET created_at = now() - make_interval(hours => $2), checked_at = NULL WHERE id = $1',
        [donationId, hours],
      );
    await age(23);
    await reconcile(options);
    expect(await world.donation(donationId)).toMatchObject({ status: 'PENDING' });
    expect(app.sandbox.stripe.intent(paymentId).status).toBe('requires_payment_method');
    await age(25);
    await reconcile(options);
    expect(await world.donation(donationId)).toMatchObject({ status: 'CANCELLED' });
    expect(app.sandbox.stripe.intent(paymentId).status).toBe('canceled');
  });

  it.each([
    ['card', 101],
    ['wallet', 3],
  ] as const)('reconciliation reads all refunds of a %s payment with %s refunds', async (method, count) => {
    const { donationId, paymentId } = await paid(method);
    unlisted(() => {
      for (let time = 0; time < count; time += 1)
        if (method === 'card') app.sandbox.stripe.refund(paymentId, { amount: 5 });
        else app.sandbox.paypal.refund(paymentId, { amount: 5 });
    });
    await sql(app, 'UPDATE donation SET next_check_at = now() WHERE id = $1', [donationId]);
    await world.reconcile();
    expect(await world.donation(donationId)).toMatchObject({
      status: 'COMPLETED',
      refundedAmount: 5 * count,
    });
  });
});

describe('amounts of payments', () => {
  it('books the amount received, not the amount asked for', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.stripe.pay(paymentId, { received: 700 });
    await world.deliverAll(Math.random);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', amount: 700 });
    expect(await world.reviewItems(donationId)).toMatchObject([{ kind: 'amount_mismatch' }]);
  });
});

describe('protection against repeated requests', () => {
  it('answers a repeated Idempotency-Key with the same donation for three days', async () => {
    const key = `cash ${newId()}`;
    const record = async () => {
      const body = { amount: 1200, type: 'cash', eventId: world.event.id };
      const answer = await world.call('POST', '/donations', body, { 'idempotency-key': key });
      expect(answer.status).toBe(201);
      return answer.body.id;
    };
    const age = (hours: number) =>
      sql(app, 'UPDATE idempotency_key SET created_at = now() - make_interval(hours => $2) WHERE key = $1', [
        key,
        hours,
      ]);
    const kept = () => sql(app, 'SELECT 1 AS one FROM idempotency_key WHERE key = $1', [key]);
    const first = await record();
    await age(71);
    await world.reconcile();
    expect(await record()).toBe(first);
    expect(await world.donations()).toHaveLength(1);
    await age(73);
    await world.reconcile();
    expect(await kept()).toEqual([]);
  });

  it('the server remembers a webhook event for ninety days', async () => {
    const { paymentId } = await paid('card');
    const { id } = world.message('payment_intent.succeeded', paymentId);
    const age = (days: number) =>
      sql(
        app,
        'UPDATE webhook_event SET received_at = now() - make_interval(days => $2) WHERE webhook_event_id = $1',
        [id, days],
      );
    const kept = () => sql(app, 'SELECT outcome FROM webhook_event WHERE webhook_event_id = $1', [id]);
    await age(89);
    await world.reconcile();
    expect(await kept()).toEqual([{ outcome: 'booked' }]);
    await age(91);
    await world.reconcile();
    expect(await kept()).toEqual([]);
  });
});

describe('refundable amount', () => {
  it.each(METHODS)('pending refunds to a %s donor reduce the refundable amount', async (method) => {
    const { donationId, paymentId } = await paid(method);
    pendingRefund(method);
    await world.cancel(donationId, { shouldRefund: true, amount: 800 });
    expect(await world.cancel(donationId, { shouldRefund: true, amount: 300 })).toMatchObject({
      status: 409,
      body: { code: 'REFUND_TOO_LARGE' },
    });
    expect(refundsOf(method, paymentId)).toHaveLength(1);
    settle(method, paymentId);
  });

  it('a lost dispute in another currency changes neither the refundable nor the refunded amount', async () => {
    const { donationId, paymentId } = await paid('card');
    await sql(
      app,
      `INSERT INTO dispute (id, donation_id, provider, payment_id, provider_dispute_id, amount, currency, status,
         created_at, updated_at) VALUES ($1, $2, 'stripe', $3, $4, 300, 'usd', 'lost', now(), now())`,
      [newId(), donationId, paymentId, `dp_${newId()}`],
    );
    expect(await world.cancel(donationId, { shouldRefund: true, amount: 200 })).toMatchObject({
      status: 200,
      body: { status: 'COMPLETED', refundedAmount: 200 },
    });
    expect(await world.cancel(donationId, { shouldRefund: true })).toMatchObject({
      status: 200,
      body: { status: 'REFUNDED', refundedAmount: 1000, refund: { amount: 800 } },
    });
  });
});
