import { beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../sandbox/calls/faults.js';
import { newId } from '../../src/common/crypto/ids.js';
import {
  ON_SCHEDULE,
  ReconciliationService,
} from '../../src/payments/reconciliation/reconciliation.service.js';
import { expectSettledBooks } from '../money/invariants.js';
import { withPaymentWorld } from '../money/with-world.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';

const { app, world } = withPaymentWorld({
  start: () => startPaymentsApp({}, { providerTimeoutMs: 2_000 }),
  check: 'none',
});

beforeEach(async () => {
  await sql(app, `UPDATE donation SET status = 'CANCELLED' WHERE status IN ('PENDING', 'FAILED')`);
  await sql(app, 'DELETE FROM reconciliation_failure');
  await sql(app, 'DELETE FROM review_item');
});

const always = (
  provider: Fault['provider'],
  operation: string,
  kind: Fault['kind'],
  more: Partial<Fault> = {},
) => app.sandbox.faults.add({ provider, operation, kind, times: 0, ...more });

/**
 * Runs the scheduled reconciliation of every minute. The donations are old enough that reconciliation no longer waits for
 * their webhooks.
 */
async function onSchedule(): Promise<void> {
  const service = app.app.get(ReconciliationService);
  while (!(await service.run({ ...ON_SCHEDULE, settleAfterMs: -1_000 }))) await sleep(50);
}

/** Moves the times in the reconciliation tables back, as if this interval had passed. */
async function passes(interval: string): Promise<void> {
  await sql(app, `UPDATE reconciliation_failure SET failing_since = failing_since - $1::interval`, [
    interval,
  ]);
  await sql(app, `UPDATE donation SET checked_at = checked_at - $1::interval`, [interval]);
}

const openItems = async () =>
  (await world.call('GET', '/review-items')).body as unknown as { kind: string; subject: string }[];

async function until(holds: () => Promise<boolean>, ms: number): Promise<number> {
  const began = Date.now();
  while (!(await holds())) {
    if (Date.now() - began > ms) throw new Error('the condition did not become true in time');
    await sleep(100);
  }
  return Date.now() - began;
}

const dropAll = () => {
  for (const message of world.waiting()) world.drop(message);
};

describe('a hanging provider', () => {
  it('a hanging provider delays neither the other provider nor its own next run, with 200 open donations', async () => {
    const wallets = [];
    for (let count = 0; count < 20; count += 1) {
      const donation = await world.intent('wallet', 1000 + count);
      app.sandbox.paypal.approve(donation.paymentId);
      app.sandbox.paypal.capture(donation.paymentId);
      wallets.push(donation);
    }
    dropAll();
    // The card donations are older. The order "oldest first" applies only within one provider.
    await sql(
      app,
      `INSERT INTO donation (id, event_id, amount, currency, type, status, is_anonymous, provider, payment_id,
         created_at, updated_at)
       SELECT id, $2, 1000, 'eur', 'card', 'PENDING', true, 'stripe', 'pi_' || id, now() - interval '2 hours', now()
       FROM unnest($1::uuid[]) AS id`,
      [Array.from({ length: 180 }, () => newId()), world.event.id],
    );
    await sql(
      app,
      `UPDATE donation SET created_at = now() - interval '1 hour' WHERE event_id = $1 AND type = 'wallet'`,
      [world.event.id],
    );
    always('stripe', '*', 'hang');
    // The list of lost webhooks must not find the payments, so it fails here.
    always('paypal', 'events.list', 'error');
    const began = Date.now();
    const running = onSchedule();
    const healed = async () =>
      (await world.donations()).filter(({ type, status }) => type === 'wallet' && status === 'COMPLETED')
        .length;
    const took = await until(async () => (await healed()) === wallets.length, 60_000);
    await running;
    const whole = Date.now() - began;
    // If the server asked for 180 card donations one after the other, the timeouts alone would take twelve minutes.
    expect(took).toBeLessThan(30_000);
    expect(whole).toBeLessThan(60_000);
    app.sandbox.faults.clear();
    await sql(app, `UPDATE donation SET status = 'CANCELLED' WHERE payment_id LIKE 'pi_%-%'`);
  }, 150_000);
});

describe('a provider outage', () => {
  it('a short outage leaves no review items; a long one leaves one, which closes by itself', async () => {
    for (let count = 0; count < 12; count += 1) await world.intent('card', 1000);
    always('stripe', '*', 'error');
    for (let run = 0; run < 4; run += 1) {
      await onSchedule();
      await passes('2 minutes');
    }
    expect(await openItems()).toEqual([]);
    await passes('20 minutes');
    await onSchedule();
    expect(await openItems()).toMatchObject([{ kind: 'provider_unreachable', subject: 'provider:stripe' }]);
    app.sandbox.faults.clear();
    await passes('20 minutes');
    await onSchedule();
    expect(await openItems()).toEqual([]);
  }, 120_000);

  it('a lasting failure of one payment is shown, and its item closes when a webhook settles the donation', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    always('stripe', 'payment_intents.retrieve', 'error');
    for (let run = 0; run < 3; run += 1) {
      await onSchedule();
      expect(await openItems()).toEqual([]);
      await passes('5 minutes');
    }
    await onSchedule();
    expect(await openItems()).toMatchObject([{ subject: `donation:${donationId}` }]);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    await onSchedule();
    expect(await openItems()).toEqual([]);
    app.sandbox.faults.clear();
  }, 60_000);
});

describe('a failing query about a payment', () => {
  it('a query that fails again after a success raises its review item again, even if an admin had resolved the item', async () => {
    const { donationId } = await world.intent('card', 1000);
    const subject = `donation:${donationId}`;
    const fails = async () => {
      always('stripe', 'payment_intents.retrieve', 'error');
      for (let run = 0; run < 4; run += 1) {
        await onSchedule();
        await passes('20 minutes');
      }
    };
    await fails();
    const [item] = (await openItems()) as { id?: string }[];
    expect((await world.call('POST', `/review-items/${item?.id}/resolve`)).status).toBe(200);
    await onSchedule();
    await passes('20 minutes');
    expect(await openItems()).toEqual([]);
    app.sandbox.faults.clear();
    await onSchedule();
    expect(await sql(app, 'SELECT subject FROM reconciliation_failure')).toEqual([]);
    await passes('20 minutes');
    await fails();
    expect(await openItems()).toMatchObject([{ subject }]);
    app.sandbox.faults.clear();
  }, 60_000);
});

describe('a refund sent by reconciliation', () => {
  it('a refund that the provider refuses is listed as refund_failed, and the next successful refund closes the item', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    always('stripe', 'refunds.create', 'reset');
    expect((await world.cancel(donationId, { shouldRefund: true, amount: 600 })).status).toBe(503);
    app.sandbox.faults.clear();
    world.failures.length = 0;
    always('stripe', 'refunds.create', 'decline');
    await onSchedule();
    expect(await openItems()).toMatchObject([{ kind: 'refund_failed', donationId }]);
    app.sandbox.faults.clear();
    expect((await world.cancel(donationId, { shouldRefund: true, amount: 600 })).status).toBe(200);
    await world.deliverAll(Math.random);
    expect(await openItems()).toEqual([]);
    await expectSettledBooks(app, world.event.id, [paymentId]);
  });
});

describe('an API key with limited permissions', () => {
  it.each(['disputes.list', 'refunds.list', 'balance_transactions.retrieve'])(
    'an API key without %s still books a payment',
    async (operation) => {
      const { donationId, paymentId } = await world.intent('card', 1000);
      app.sandbox.stripe.pay(paymentId);
      dropAll();
      always('stripe', 'events.list', 'error');
      always('stripe', operation, 'forbidden');
      await world.reconcile();
      expect((await world.donation(donationId)).status).toBe('COMPLETED');
      app.sandbox.faults.clear();
    },
  );

  it('a refund webhook is booked although the API key may not list refunds', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.stripe.pay(paymentId);
    app.sandbox.stripe.refund(paymentId, { amount: 300 });
    always('stripe', 'refunds.list', 'forbidden');
    await world.deliverAll(Math.random);
    expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 300 });
    expect(world.failures).toEqual([]);
    app.sandbox.faults.clear();
  });
});

describe('a 500 that the provider repeats for its idempotency key', () => {
  const sticky = { sticky: true, times: 1 } as const;

  it.each([
    ['before the payment was made', false],
    ['after the payment was made', true],
  ])('a new try makes one payment if the provider repeats a 500 %s', async (_, after) => {
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'payment_intents.create',
      kind: 'error',
      after,
      ...sticky,
    });
    world.mayStumble = true;
    const before = app.sandbox.stripe.payments().length;
    const body = { amount: 1000, currency: 'eur', metadata: { eventId: world.event.id } };
    const key = { 'idempotency-key': newId() };
    let answer = await world.call('POST', '/donations/intent', body, key);
    for (let again = 0; again < 2 && answer.status === 503; again += 1)
      answer = await world.call('POST', '/donations/intent', body, key);
    expect(answer.status).toBe(201);
    expect(app.sandbox.stripe.payments().length).toBe(before + 1);
    expect(await world.donations()).toHaveLength(1);
  });

  it.each([
    ['before the refund was made', false],
    ['after the refund was made', true],
  ])('a new try makes one refund if the provider repeats a 500 %s', async (_, after) => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'refunds.create',
      kind: 'error',
      after,
      ...sticky,
    });
    world.mayStumble = true;
    const first = await world.cancel(donationId, { shouldRefund: true });
    if (first.status === 503) await onSchedule();
    await world.deliverAll(Math.random);
    expect(await world.donation(donationId)).toMatchObject({ status: 'REFUNDED' });
    expect(app.sandbox.stripe.refundsOf(paymentId)).toHaveLength(1);
    await expectSettledBooks(app, world.event.id, [paymentId]);
  });
});

describe('a changed provider account', () => {
  const resolveAll = async () => {
    for (const { id } of (await openItems()) as unknown as { id: string }[])
      expect((await world.call('POST', `/review-items/${id}/resolve`)).status).toBe(200);
  };

  it('after a change of account, unpaid donations are cancelled and every open item can be closed', async () => {
    const [open, old] = [await world.intent('card', 1000), await world.intent('card', 1000)];
    const paid = await world.intent('card', 2000);
    app.sandbox.stripe.pay(paid.paymentId);
    await world.deliverAll(Math.random);
    await sql(app, `UPDATE donation SET created_at = now() - interval '25 hours' WHERE id = $1`, [
      old.donationId,
    ]);
    await sql(app, `UPDATE donation SET paid_at = now() - interval '2 days' WHERE id = $1`, [
      paid.donationId,
    ]);
    app.sandbox.stripe.changeAccount();
    try {
      await onSchedule();
      const subjects = (await openItems()).map(({ kind, subject }) => `${kind} ${subject}`);
      expect(subjects.sort()).toEqual(
        [
          `payment_missing stripe:${open.paymentId}`,
          `payment_missing stripe:${old.paymentId}`,
          'payment_missing stripe:earlier payments',
        ].sort(),
      );
      expect((await world.donation(old.donationId)).status).toBe('CANCELLED');
      expect((await world.donation(paid.donationId)).status).toBe('COMPLETED');
      // The admin can cancel at once, without waiting for a day.
      expect((await world.cancel(open.donationId, { shouldRefund: false })).status).toBe(200);
      await resolveAll();
      await passes('1 day');
      await sql(app, `UPDATE donation SET next_check_at = now() WHERE id = $1`, [paid.donationId]);
      await onSchedule();
      await world.reconcile();
      expect(await openItems()).toEqual([]);
    } finally {
      app.sandbox.stripe.changeAccountBack();
    }
    // After the old account is back, a late payment still finds its donation.
    app.sandbox.stripe.pay(open.paymentId);
    await world.deliverAll(Math.random);
    expect((await world.donation(open.donationId)).status).toBe('COMPLETED');
  });
});
