import { describe, expect, it } from '@jest/globals';
import type { Fault, FaultKind } from '../../sandbox/calls/faults.js';
import { expectSettledBooks } from '../money/invariants.js';
import { withPaymentWorld } from '../money/with-world.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';

/** Bad answers of a provider: each of the service's calls with each kind of failure. */

const AWAY = {
  statusCode: 503,
  error: 'Service Unavailable',
  code: 'PROVIDER_UNAVAILABLE',
  message: expect.any(String),
};

const { app, admin, world } = withPaymentWorld({
  start: () => startPaymentsApp({}, { providerTimeoutMs: 800 }),
  check: 'none',
});

interface Sent {
  readonly status: number;
  readonly retryAfter: number;
  readonly body: Record<string, unknown>;
}

async function post(path: string, body: object, key?: string): Promise<Sent> {
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${admin.token}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    retryAfter: Number(response.headers.get('retry-after')),
    body: (await response.json()) as Record<string, unknown>,
  };
}

/** Makes one request of each kind that calls a provider. The test can send each request again. */
async function everyCall() {
  const { stripe, paypal } = app.sandbox;
  const donations = {
    refundedCard: await world.intent('card', 1000),
    cancelledCard: await world.intent('card', 1100),
    refundedWallet: await world.intent('wallet', 1200),
    cancelledWallet: await world.intent('wallet', 1300),
    capturedWallet: await world.intent('wallet', 1400),
    deliveredWallet: await world.intent('wallet', 1500),
    approvedWallet: await world.intent('wallet', 1600),
  };
  stripe.pay(donations.refundedCard.paymentId);
  await world.deliver(world.message('payment_intent.succeeded', donations.refundedCard.paymentId));
  for (const { paymentId } of [
    donations.refundedWallet,
    donations.capturedWallet,
    donations.deliveredWallet,
    donations.approvedWallet,
  ])
    paypal.approve(paymentId);
  await post(`/donations/wallet/${donations.refundedWallet.paymentId}/capture`, {});
  paypal.capture(donations.deliveredWallet.paymentId);
  const start = (method: string) => () =>
    post(
      '/donations/intent',
      {
        amount: 900,
        currency: 'eur',
        method,
        metadata: { eventId: world.event.id, donorEmail: `${method}@x.org` },
      },
      `${method}-${world.event.id}`,
    );
  const cancel = (donation: { donationId: string }, shouldRefund: boolean) => () =>
    post(`/donations/${donation.donationId}/cancel`, { shouldRefund });
  const deliver = (kind: string, donation: { paymentId: string }) => async (): Promise<Sent> => {
    const { provider, id } = world.message(kind, donation.paymentId);
    const [status] = await app.sandbox[provider].deliveries.deliver(id);
    return { status: status ?? 0, retryAfter: 1, body: status === 200 ? {} : AWAY };
  };
  const calls = {
    'a card intent': start('card'),
    'a wallet intent': start('wallet'),
    'a card refund': cancel(donations.refundedCard, true),
    'a wallet refund': cancel(donations.refundedWallet, true),
    'a card cancellation': cancel(donations.cancelledCard, false),
    'a wallet cancellation': cancel(donations.cancelledWallet, false),
    'a capture': () => post(`/donations/wallet/${donations.capturedWallet.paymentId}/capture`, {}),
    'a webhook that needs a query': deliver('PAYMENT.CAPTURE.COMPLETED', donations.deliveredWallet),
    'an approval webhook that needs a capture': deliver('CHECKOUT.ORDER.APPROVED', donations.approvedWallet),
  };
  return { donations, calls };
}

const OPERATIONS = [
  ['stripe', 'payment_intents.create'],
  ['stripe', 'payment_intents.cancel'],
  ['stripe', 'refunds.create'],
  ['paypal', 'orders.create'],
  ['paypal', 'orders.capture'],
  ['paypal', 'orders.get'],
  ['paypal', 'captures.get'],
  ['paypal', 'captures.refund'],
] as const;

const strike = (kind: FaultKind, fields: Partial<Fault> = {}) => {
  for (const [provider, operation] of OPERATIONS)
    app.sandbox.faults.add({ provider, operation, kind, times: 0, ...fields });
};

const TROUBLES: readonly [string, FaultKind, Partial<Fault>][] = [
  ['hangs', 'hang', {}],
  ['hangs after the effect', 'hang', { after: true }],
  ['cuts the connection', 'reset', {}],
  ['cuts the connection after the effect', 'reset', { after: true }],
  ['answers 500', 'error', {}],
  ['answers 500 after the effect', 'error', { after: true }],
  ['answers HTML', 'html', {}],
  ['answers HTML with status 200 after the effect', 'html', { after: true, status: 200 }],
  ['answers with a huge body', 'huge', { after: true }],
  ['answers 429', 'rate_limit', {}],
];

const statusesOf = async () =>
  Object.fromEntries((await world.donations()).map(({ id, status }) => [id, status]));

describe('a failing provider', () => {
  it.each(TROUBLES)(
    'if a provider %s, every request answers 503 with Retry-After and books nothing; sent again later, it succeeds once',
    async (_, kind, fields) => {
      const { donations, calls } = await everyCall();
      const before = await statusesOf();
      strike(kind, fields);
      await Promise.all(
        Object.entries(calls).map(async ([name, call]) => {
          const { status, retryAfter, body } = await call();
          expect({ name, status, body }).toEqual({ name, status: 503, body: AWAY });
          expect({ name, later: retryAfter > 0 }).toEqual({ name, later: true });
        }),
      );
      expect(await statusesOf()).toMatchObject(before);
      app.sandbox.faults.clear();

      await Promise.all(
        Object.entries(calls).map(async ([name, call]) => {
          const { status } = await call();
          expect({ name, status }).toEqual({ name, status: name.endsWith('intent') ? 201 : 200 });
        }),
      );
      expect(await statusesOf()).toMatchObject({
        [donations.refundedCard.donationId]: 'REFUNDED',
        [donations.cancelledCard.donationId]: 'CANCELLED',
        [donations.refundedWallet.donationId]: 'REFUNDED',
        [donations.cancelledWallet.donationId]: 'CANCELLED',
        [donations.capturedWallet.donationId]: 'COMPLETED',
        [donations.deliveredWallet.donationId]: 'COMPLETED',
        [donations.approvedWallet.donationId]: 'COMPLETED',
      });
      // Seven donations and the two intents make nine payments, so neither the service nor the provider has a duplicate.
      const rows = await sql<{ id: string }>(
        app,
        'SELECT payment_id AS id FROM donation WHERE event_id = $1',
        [world.event.id],
      );
      expect(rows).toHaveLength(9);
      const refunds = app.sandbox.stripe.refundsOf(donations.refundedCard.paymentId);
      expect(refunds).toHaveLength(1);
      expect(app.sandbox.paypal.refundsOf(donations.refundedWallet.paymentId)).toHaveLength(1);
      await world.deliverAll(Math.random);
      await expectSettledBooks(
        app,
        world.event.id,
        rows.map(({ id }) => id),
      );
    },
    30_000,
  );
});

describe('a provider answer with another amount', () => {
  it('a capture with another amount is booked as received and shown to the admin', async () => {
    const donation = await world.intent('wallet', 2000);
    app.sandbox.paypal.approve(donation.paymentId);
    app.sandbox.faults.add({
      provider: 'paypal',
      operation: 'orders.capture',
      kind: 'wrong_amount',
      amount: 50,
    });
    await post(`/donations/wallet/${donation.paymentId}/capture`, {});
    expect(await world.donation(donation.donationId)).toMatchObject({ status: 'COMPLETED', amount: 50 });
    expect(await world.reviewItems(donation.donationId)).toMatchObject([
      { kind: 'amount_mismatch', detail: { asked: 2000, received: 50 } },
    ]);
  });

  it.each(['card', 'wallet'] as const)(
    'a %s payment with another amount, read by reconciliation, is flagged too',
    async (method) => {
      const donation = await world.intent(method, 2000);
      const { stripe, paypal } = app.sandbox;
      if (method === 'card') stripe.pay(donation.paymentId);
      else {
        paypal.approve(donation.paymentId);
        paypal.capture(donation.paymentId);
      }
      for (const message of world.waiting()) world.drop(message);
      app.sandbox.faults.add(
        method === 'card'
          ? {
              provider: 'stripe',
              operation: 'payment_intents.retrieve',
              kind: 'wrong_amount',
              amount: 2100,
              times: 0,
            }
          : { provider: 'paypal', operation: 'orders.get', kind: 'wrong_amount', amount: 2100, times: 0 },
      );
      // The list of lost webhooks contains the true amount, so this list must fail here.
      app.sandbox.faults.add({ provider: 'stripe', operation: 'events.list', kind: 'error', times: 0 });
      app.sandbox.faults.add({ provider: 'paypal', operation: 'events.list', kind: 'error', times: 0 });
      await world.reconcile();
      expect(await world.donation(donation.donationId)).toMatchObject({ status: 'COMPLETED', amount: 2100 });
      expect(await world.reviewItems(donation.donationId)).toMatchObject([
        { kind: 'amount_mismatch', detail: { asked: 2000, received: 2100 } },
      ]);
    },
  );

  it.each(['card', 'wallet'] as const)(
    'a %s refund with another amount is corrected by its webhook',
    async (method) => {
      const donation = await world.intent(method, 2000);
      const { stripe, paypal } = app.sandbox;
      if (method === 'card') stripe.pay(donation.paymentId);
      else {
        paypal.approve(donation.paymentId);
        await post(`/donations/wallet/${donation.paymentId}/capture`, {});
      }
      await world.deliverAll(Math.random);
      app.sandbox.faults.add(
        method === 'card'
          ? { provider: 'stripe', operation: 'refunds.create', kind: 'wrong_amount', amount: 700 }
          : { provider: 'paypal', operation: 'captures.refund', kind: 'wrong_amount', amount: 700 },
      );
      const answer = await world.cancel(donation.donationId, { shouldRefund: true });
      expect(answer).toMatchObject({ status: 200, body: { status: 'COMPLETED', refundedAmount: 700 } });
      await world.deliverAll(Math.random);
      expect(await world.donation(donation.donationId)).toMatchObject({
        status: 'REFUNDED',
        refundedAmount: 2000,
      });
      await expectSettledBooks(app, world.event.id, [donation.paymentId]);
    },
  );

  it('an intent answer with another amount does not change the amount for the donor', async () => {
    for (const [provider, operation] of OPERATIONS)
      if (operation.endsWith('s.create'))
        app.sandbox.faults.add({ provider, operation, kind: 'wrong_amount', amount: 1 });
    for (const method of ['card', 'wallet'] as const) {
      const { donationId, paymentId } = await world.intent(method, 2000);
      expect(await world.donation(donationId)).toMatchObject({ amount: 2000, status: 'PENDING' });
      const { stripe, paypal } = app.sandbox;
      if (method === 'card') stripe.pay(paymentId);
      else paypal.approve(paymentId);
      await world.deliverAll(Math.random);
      expect(await world.donation(donationId)).toMatchObject({ amount: 2000, status: 'COMPLETED' });
    }
  });
});
