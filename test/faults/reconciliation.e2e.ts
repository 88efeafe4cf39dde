import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BY_HAND, ReconciliationService } from '../../src/payments/reconciliation/reconciliation.service.js';
import { runScript } from '../crash/crashing-service.js';
import { expectSettledBooks } from '../money/invariants.js';
import { withPaymentWorld } from '../money/with-world.js';
import { startApp, TEST_SECRETS } from '../support/app.js';
import { providerEnvironment, startPaymentsApp } from '../support/payments.js';
import { withMade, withService } from '../support/setup.js';
import { until } from '../support/until.js';

const { app, world } = withPaymentWorld({
  start: () => startPaymentsApp({}, { providerTimeoutMs: 800 }),
  check: 'none',
});
const environment = withMade(() => providerEnvironment(app.sandbox), beforeAll);
const twin = withService(() => startApp(environment, {}, app.databaseUrl));

/** Runs `npm run reconcile` without building first. */
const reconcile = (changes: NodeJS.ProcessEnv = {}) =>
  runScript('scripts/reconcile.mjs', {
    PATH: process.env.PATH,
    NODE_ENV: 'test',
    ...TEST_SECRETS,
    ...environment,
    DATABASE_URL: app.databaseUrl,
    ...changes,
  });

async function paidButNotTold() {
  const donation = await world.intent('card', 1000);
  app.sandbox.stripe.pay(donation.paymentId);
  for (const message of world.waiting()) world.drop(message);
  return donation;
}

describe('npm run reconcile', () => {
  it('npm run reconcile prints healed and waiting items and exits with 0', async () => {
    const lost = await paidButNotTold();
    const refunded = await world.intent('card', 2000);
    app.sandbox.stripe.pay(refunded.paymentId);
    await world.deliver(world.message('payment_intent.succeeded', refunded.paymentId));
    const refunding = { provider: 'stripe', operation: 'refunds.create' } as const;
    app.sandbox.faults.add({ ...refunding, kind: 'reset', times: 0 });
    expect((await world.cancel(refunded.donationId, { shouldRefund: true })).status).toBe(503);
    app.sandbox.faults.clear();
    app.sandbox.faults.add({ ...refunding, kind: 'pending' });

    const { code, output } = await reconcile();
    expect(output).toMatch(/│.*'message'.*'payment_intent\.succeeded was never delivered'.*'healed'/);
    expect(output).toMatch(/│.*'refund'.*'was requested, now pending'.*'waiting'/);
    expect(output).toMatch(/\d+ checked, \d+ healed, 1 waiting, 0 need attention/);
    expect(code).toBe(0);
    expect(await world.donation(lost.donationId)).toMatchObject({ status: 'COMPLETED' });
    const [refund] = app.sandbox.stripe.refundsOf(refunded.paymentId);
    app.sandbox.stripe.settleRefund(refund?.id ?? '');
    const after = await reconcile();
    expect(after).toMatchObject({ code: 0, output: expect.stringMatching(/, 1 healed, 0 waiting, 0 need/) });
    expect(await world.donation(refunded.donationId)).toMatchObject({ status: 'REFUNDED' });
  }, 60_000);

  it('npm run reconcile exits with 1 while an item needs attention, and with 0 after its cause is gone', async () => {
    const { donationId } = await world.intent('card', 1000);
    const fault = {
      provider: 'stripe',
      operation: 'payment_intents.retrieve',
      kind: 'error',
      times: 0,
    } as const;
    app.sandbox.faults.add(fault);
    const { code, output } = await reconcile();
    expect(output).toMatch(new RegExp(`│.*'donation'.*'${donationId}'.*'needs attention'`));
    expect(code).toBe(1);
    expect(await world.reviewItems(donationId)).toMatchObject([{ kind: 'reconciliation' }]);
    app.sandbox.faults.clear();
    expect((await reconcile()).code).toBe(0);
    expect(await world.reviewItems(donationId)).toEqual([]);
  }, 60_000);

  it('npm run reconcile exits with 1 if a payment that it booked needs attention', async () => {
    const { paymentId } = await world.intent('card', 1000);
    app.sandbox.stripe.pay(paymentId, { amount: 900 });
    for (const message of world.waiting()) world.drop(message);
    const { code, output } = await reconcile();
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(`'stripe:${paymentId}'`) });
    expect(output).toMatch(/'review item'.*'amount_mismatch'.*'needs attention'/);
    // The review item stays open until an admin resolves it, in later runs too.
    const again = await reconcile();
    expect(again).toMatchObject({ code: 1, output: expect.stringMatching(/, 1 need attention/) });
    expect(again.output).toContain(`'stripe:${paymentId}'`);
    const { body } = await world.call('GET', '/review-items');
    for (const { id } of body as unknown as { id: string }[])
      expect((await world.call('POST', `/review-items/${id}/resolve`)).status).toBe(200);
    expect(await reconcile()).toMatchObject({ code: 0, output: expect.stringMatching(/, 0 need attention/) });
  }, 90_000);

  it.each([
    ['without a database', { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }],
    ['with an incomplete configuration', { STRIPE_WEBHOOK_SECRET: '' }],
  ])('npm run reconcile exits with 2 %s and gives the reason without a stack trace', async (_, changes) => {
    const { code, output } = await reconcile(changes);
    expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/\S/) });
    expect(output).not.toMatch(/^\s+at /m);
  });
});

describe('reconciliation', () => {
  it('one of two processes reconciles at a time, and the other process does nothing', async () => {
    const { donationId } = await paidButNotTold();
    const slow = app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'events.list',
      kind: 'hang',
      ms: 1_500,
    });
    const byHand = reconcile();
    await until(() => !app.sandbox.faults.list().some(({ id }) => id === slow), 'the slow answer');
    expect(await app.app.get(ReconciliationService).run(BY_HAND)).toBeUndefined();
    expect(await world.donation(donationId)).toMatchObject({ status: 'PENDING' });
    expect(await byHand).toMatchObject({ code: 0, output: expect.stringMatching(/ [1-9]\d* healed/) });
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED' });
  }, 60_000);

  it('reconciliation retries a webhook that it could not handle, even after the list has advanced', async () => {
    const order = app.sandbox.paypal.createCapturedOrder({
      amount: 1000,
      currency: 'eur',
      custom_id: `event:${world.event.id}`,
    });
    for (const message of world.waiting()) world.drop(message);
    for (const operation of ['orders.get', 'captures.get'])
      app.sandbox.faults.add({ provider: 'paypal', operation, kind: 'error', times: 0 });
    const hours = jest.spyOn(Date, 'now');
    const later = (count: number) => hours.mockReturnValue(new Date().getTime() + count * 3_600_000);
    try {
      for (const count of [0, 1]) {
        later(count);
        await world.reconcile();
      }
      app.sandbox.faults.clear();
      later(2);
      await world.reconcile();
    } finally {
      jest.restoreAllMocks();
    }
    expect(await world.donations()).toMatchObject([{ status: 'COMPLETED', amount: 1000 }]);
    await expectSettledBooks(app, world.event.id, [order.id]);
  });

  it('reconciliation finds later webhooks after a fast clock was corrected', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(new Date().getTime() + 3 * 3_600_000);
    try {
      await world.reconcile();
    } finally {
      jest.restoreAllMocks();
    }
    const order = app.sandbox.paypal.createCapturedOrder({
      amount: 1000,
      currency: 'eur',
      custom_id: `event:${world.event.id}`,
    });
    for (const message of world.waiting()) world.drop(message);
    await world.reconcile();
    expect(await world.donations()).toMatchObject([{ status: 'COMPLETED', amount: 1000 }]);
    await expectSettledBooks(app, world.event.id, [order.id]);
  });

  it('scheduled reconciliation runs in exactly one of two instances', async () => {
    const fault = { provider: 'stripe', operation: 'events.list', kind: 'hang', ms: 300, times: 2 } as const;
    const id = app.sandbox.faults.add(fault);
    await Promise.all([app, twin].map((one) => one.app.get(ReconciliationService).onSchedule()));
    expect(app.sandbox.faults.list()).toEqual([expect.objectContaining({ id, hits: 1 })]);
  });
});
