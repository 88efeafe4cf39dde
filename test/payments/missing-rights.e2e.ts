import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderHealth } from '../../src/payments/providers/provider-health.js';
import { BY_HAND, ReconciliationService } from '../../src/payments/reconciliation/reconciliation.service.js';
import { sql } from '../support/fixtures.js';
import { withPaymentWorld } from '../money/with-world.js';

/** Provider keys that lack a permission. The server reports the missing permission, and does not report an outage. */

const DAY = 86_400_000;

const { app, admin, world } = withPaymentWorld({ check: 'answers' });
const forbid = (provider: 'stripe' | 'paypal', operation: string) =>
  app.sandbox.faults.add({ provider, operation, kind: 'forbidden', times: 0 });

async function missing(): Promise<{ subject: string; detail: unknown; advice: string }[]> {
  await app.app.get(ProviderHealth).written();
  const { body } = await world.call('GET', '/review-items');
  return (body as unknown as { kind: string; subject: string; detail: unknown; advice: string }[]).filter(
    ({ kind }) => kind === 'missing_right',
  );
}
const itemsOf = async (wanted: string) => {
  const { body } = await world.call('GET', '/review-items');
  return (body as unknown as { kind: string; subject: string }[]).filter(({ kind }) => kind === wanted);
};
const subjects = async () => (await missing()).map(({ subject }) => subject);

async function findings() {
  const service = app.app.get(ReconciliationService);
  for (;;) {
    const report = await service.run(BY_HAND);
    if (report) return report.findings;
    await sleep(50);
  }
}

describe('a missing permission of a provider key', () => {
  it('names the missing Stripe permission to refund, and the refund succeeds once it is granted', async () => {
    const { donationId } = await world.paid('card');
    forbid('stripe', 'refunds.create');
    const refused = await world.cancel(donationId, { shouldRefund: true });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'PROVIDER_RIGHT_MISSING',
        message: expect.stringContaining('The API key of stripe lacks the right Charges and Refunds: write'),
      },
    });
    expect(await missing()).toEqual([
      expect.objectContaining({
        subject: 'right:stripe:Charges and Refunds: write',
        detail: { right: 'Charges and Refunds: write' },
        title: 'A provider key lacks a permission',
        advice: expect.stringContaining('lacks the permission Charges and Refunds: write'),
        actions: expect.arrayContaining([
          expect.objectContaining({ action: 'check', path: '/settings/providers/stripe/check' }),
        ]),
      }),
    ]);
    app.sandbox.faults.clear();
    expect((await world.cancel(donationId, { shouldRefund: true })).status).toBe(200);
    expect(await world.donation(donationId)).toMatchObject({ status: 'REFUNDED' });
    expect(await subjects()).toEqual([]);
  });

  it('names the missing PayPal permission to refund to the admin', async () => {
    const { donationId, paymentId } = await world.intent('wallet', 1000);
    app.sandbox.paypal.approve(paymentId);
    await world.deliverAll(Math.random);
    forbid('paypal', 'captures.refund');
    expect(await world.cancel(donationId, { shouldRefund: true })).toMatchObject({
      status: 409,
      body: {
        code: 'PROVIDER_RIGHT_MISSING',
        message: expect.stringContaining('The API key of paypal lacks the right Accept payments'),
      },
    });
    app.sandbox.faults.clear();
    expect((await world.cancel(donationId, { shouldRefund: true })).status).toBe(200);
    expect(await subjects()).toEqual([]);
  });

  it('a missing permission does not report the provider as unavailable', async () => {
    const { donationId } = await world.paid('card');
    forbid('stripe', 'refunds.create');
    await world.cancel(donationId, { shouldRefund: true });
    await app.app.get(ProviderHealth).written();
    const [health] = await sql<{ failing_since: Date | null }>(
      app,
      `SELECT failing_since FROM provider_health WHERE provider = 'stripe'`,
    );
    expect(health).toEqual({ failing_since: null });
    app.sandbox.faults.clear();
    expect((await world.cancel(donationId, { shouldRefund: true })).status).toBe(200);
    expect(await subjects()).toEqual([]);
  });

  it.each([
    ['card', 'stripe', 'payment_intents.create', 'PaymentIntents: write'],
    ['wallet', 'paypal', 'orders.create', 'Accept payments'],
  ] as const)(
    'the provider check names the missing permission for %s payments, and donors do not see it',
    async (method, provider, operation, right) => {
      forbid(provider, operation);
      const { body: check } = await admin.post(`/settings/providers/${provider}/check`).expect(200);
      expect(check).toMatchObject({ ok: false, detail: expect.stringContaining(right) });
      const sent = {
        amount: 1000,
        currency: 'eur',
        method,
        metadata: { eventId: world.event.id, donorName: 'Ada' },
      };
      const key = { 'idempotency-key': `rights-${method}-${world.event.id}` };
      const refused = await world.call('POST', '/donations/intent', sent, key);
      expect(refused).toMatchObject({ status: 409, body: { code: 'PROVIDER_REFUSED' } });
      expect(JSON.stringify(refused.body)).not.toContain(right);
      expect(await subjects()).toEqual([`right:${provider}:${right}`]);
      // The donor repeats the request after the admin has granted the permission.
      app.sandbox.faults.clear();
      expect((await world.call('POST', '/donations/intent', sent, key)).status).toBe(201);
      expect(await subjects()).toEqual([]);
    },
  );

  it('hides the missing permission to capture from the donor, and captures the payment once it is granted', async () => {
    const { donationId, paymentId } = await world.intent('wallet', 1000);
    app.sandbox.paypal.approve(paymentId);
    forbid('paypal', 'orders.capture');
    const refused = await world.call('POST', `/donations/wallet/${paymentId}/capture`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'PROVIDER_REFUSED' } });
    expect(JSON.stringify(refused.body)).not.toContain('Accept payments');
    expect(await subjects()).toEqual(['right:paypal:Accept payments']);
    app.sandbox.faults.clear();
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    expect(await subjects()).toEqual([]);
  });

  it('names the missing permission to cancel and does not cancel the donation', async () => {
    const { donationId } = await world.intent('card', 1000);
    forbid('stripe', 'payment_intents.cancel');
    expect(await world.cancel(donationId, { shouldRefund: false })).toMatchObject({
      status: 409,
      body: { code: 'PROVIDER_RIGHT_MISSING' },
    });
    expect((await world.donation(donationId)).status).toBe('PENDING');
    app.sandbox.faults.clear();
    expect((await world.cancel(donationId, { shouldRefund: false })).status).toBe(200);
    expect(await subjects()).toEqual([]);
  });

  it.each([
    ['stripe', 'payment_intents.retrieve', 'PaymentIntents: read'],
    ['stripe', 'events.list', 'Events: read'],
    ['paypal', 'events.list', 'Webhooks'],
  ] as const)(
    'reconciliation at %s names the missing permission for %s once, as %s',
    async (provider, operation, right) => {
      for (let count = 0; count < 3; count += 1)
        await world.intent(provider === 'stripe' ? 'card' : 'wallet', 1000);
      forbid(provider, operation);
      // At PayPal, reading the webhook endpoint needs the same permission.
      if (provider === 'paypal') forbid('paypal', 'webhooks.get');
      const named = (await findings()).filter(({ found }) => found.includes(right));
      expect(named).toEqual([
        expect.objectContaining({
          found: expect.stringContaining(`lacks the right ${right}`),
          result: 'needs attention',
        }),
      ]);
      expect(await subjects()).toEqual([`right:${provider}:${right}`]);
      const { body } = await world.call('GET', '/review-items');
      expect((body as unknown as { kind: string }[]).filter(({ kind }) => kind === 'reconciliation')).toEqual(
        [],
      );
      app.sandbox.faults.clear();
      expect((await findings()).filter(({ found }) => found.includes(right))).toEqual([]);
      expect(await subjects()).toEqual([]);
    },
  );

  it.each([
    ['disputes.list', 'Disputes: read'],
    ['refunds.list', 'Charges and Refunds: read'],
    ['balance_transactions.retrieve', 'Balance transactions: read'],
    ['payouts.list', 'Payouts: read'],
  ])('a missing Stripe permission for %s delays no booking and is named', async (operation, right) => {
    const donation = await world.intent('card', 1000);
    app.sandbox.stripe.pay(donation.paymentId);
    for (const message of world.waiting()) world.drop(message);
    forbid('stripe', 'events.list');
    forbid('stripe', operation);
    const found = await findings();
    expect((await world.donation(donation.donationId)).status).toBe('COMPLETED');
    expect(found).toContainEqual({
      what: 'review item',
      id: `right:stripe:${right}`,
      found: 'missing_right',
      result: 'needs attention',
    });
    app.sandbox.faults.clear();
    await sql(app, 'UPDATE donation SET next_check_at = now() WHERE id = $1', [donation.donationId]);
    await findings();
    expect(await subjects()).toEqual([]);
  });

  it('keeps a PayPal dispute event until the permission to read disputes is granted', async () => {
    const { paypal } = app.sandbox;
    const { donationId, paymentId } = await world.intent('wallet', 1000);
    paypal.approve(paymentId);
    await world.deliverAll(Math.random);
    const dispute = paypal.openDispute(paypal.captureOf(paymentId).id);
    forbid('paypal', 'disputes.get');
    const message = world.message('CUSTOMER.DISPUTE.CREATED', dispute.dispute_id);
    expect(await paypal.deliveries.deliver(message.id)).toEqual([503]);
    expect(await subjects()).toEqual(['right:paypal:Customer disputes']);
    app.sandbox.faults.clear();
    await world.deliver(message);
    expect((await world.reviewItems(donationId)).map(({ kind }) => kind)).toEqual(['dispute']);
    expect(await subjects()).toEqual([]);
  });

  it('a missing Stripe permission to make payments raises one review item for all donations', async () => {
    forbid('stripe', 'payment_intents.create');
    for (let count = 0; count < 2; count += 1)
      expect(await world.tryIntent('card', 1000, null, 'eur', { mayFail: true })).toBeUndefined();
    const waiting = await sql<{ id: string }>(app, 'SELECT id FROM donation WHERE event_id = $1', [
      world.event.id,
    ]);
    expect(waiting).toHaveLength(2);
    const named = (await findings()).filter(({ found }) => found.includes('PaymentIntents: write'));
    expect(named).toEqual([expect.objectContaining({ result: 'needs attention' })]);
    expect(await itemsOf('reconciliation')).toEqual([]);
    expect(await subjects()).toEqual(['right:stripe:PaymentIntents: write']);
    expect(await world.cancel(String(waiting[0]?.id), { shouldRefund: false })).toMatchObject({
      status: 409,
      body: {
        code: 'PROVIDER_RIGHT_MISSING',
        message: expect.stringContaining('PaymentIntents: write'),
      },
    });
    app.sandbox.faults.clear();
    for (const { id } of waiting) expect((await world.cancel(id, { shouldRefund: false })).status).toBe(200);
    expect(await subjects()).toEqual([]);
  });

  it('raises one review item for the PayPal permission to read disputes, and none for each old event', async () => {
    const { paypal, clock } = app.sandbox;
    const payments = [await world.intent('wallet', 1000), await world.intent('wallet', 1000)];
    for (const { paymentId } of payments) paypal.approve(paymentId);
    await world.deliverAll(Math.random);
    const messages = payments.map(({ paymentId }) => {
      const capture = paypal.captureOf(paymentId).id;
      const dispute = clock.at(new Date(Date.now() - 2 * DAY), () => paypal.openDispute(capture));
      return world.message('CUSTOMER.DISPUTE.CREATED', dispute.dispute_id);
    });
    forbid('paypal', 'disputes.get');
    for (const { id } of messages) expect(await paypal.deliveries.deliver(id)).toEqual([503]);
    const named = (await findings()).filter(({ found }) => found.includes('Customer disputes'));
    expect(named).toEqual([expect.objectContaining({ result: 'needs attention' })]);
    expect(await itemsOf('unsettled_event')).toEqual([]);
    expect(await itemsOf('reconciliation')).toEqual([]);
    expect(await subjects()).toEqual(['right:paypal:Customer disputes']);
    app.sandbox.faults.clear();
    await findings();
    expect(await subjects()).toEqual([]);
  });

  it('a missing permission to read disputes does not hide an event that fails for another reason', async () => {
    const { paypal, faults } = app.sandbox;
    const { paymentId } = await world.intent('wallet', 1000);
    paypal.approve(paymentId);
    await world.deliverAll(Math.random);
    paypal.openDispute(paypal.captureOf(paymentId).id);
    forbid('paypal', 'disputes.get');
    faults.add({ provider: 'paypal', operation: 'captures.get', kind: 'rate_limit', times: 0 });
    paypal.createCapturedOrder({ amount: 700, currency: 'eur', custom_id: `event:${world.event.id}` });
    const found = await findings();
    expect(found).toContainEqual(
      expect.objectContaining({
        what: 'message',
        id: 'paypal',
        found: expect.stringContaining('does not answer'),
      }),
    );
    expect(await itemsOf('reconciliation')).toMatchObject([{ subject: 'message:paypal' }]);
    expect(await subjects()).toEqual(['right:paypal:Customer disputes']);
    faults.clear();
    await findings();
    expect(await itemsOf('reconciliation')).toEqual([]);
    expect(await subjects()).toEqual([]);
  });
});
