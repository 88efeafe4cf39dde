import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import {
  ON_SCHEDULE,
  ReconciliationService,
} from '../../src/payments/reconciliation/reconciliation.service.js';
import { adminToken, createEvent, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { as } from '../support/bearer.js';
import { withPaymentWorld } from '../money/with-world.js';

/** Tests when the service captures an approved PayPal order and when it must not. */

const US = 'SANDBOXCHARITY';
const DAY = 24 * 3_600_000;

const { app, world, paypal } = withPaymentWorld({
  start: () => startPaymentsApp({}, {}, undefined, { referee: true }),
  check: 'present',
});
afterEach(() => {
  app.sandbox.clock.reset();
  expect(app.sandbox.referee.violations('request')).toEqual([]);
});

const capture = (orderId: string) => world.call('POST', `/donations/wallet/${orderId}/capture`);
const status = async (donationId: string) => (await world.donation(donationId)).status;
const held = (orderId: string) =>
  paypal()
    .payments()
    .find(({ id }) => id === orderId)?.held;

/** Creates a wallet donation that the donor approved and the bank declined. */
async function declined(email: string | null = null) {
  const donation = await world.intent('wallet', 1000, email);
  paypal().approve(donation.paymentId);
  const approval = world.message('CHECKOUT.ORDER.APPROVED', donation.paymentId);
  paypal().onCapture(donation.paymentId, { outcome: 'decline' });
  expect((await capture(donation.paymentId)).body).toMatchObject({ status: 'FAILED' });
  // Another attempt would succeed, so the test would notice it.
  paypal().onCapture(donation.paymentId, { outcome: 'complete' });
  return { ...donation, approval };
}

const orderedBody = (method: 'card' | 'wallet', metadata: object) => ({
  amount: 1000,
  currency: 'eur',
  method,
  metadata: { eventId: world.event.id, ...metadata },
});

describe('declined wallet payments', () => {
  // If PayPal returned its stored refusal, the test could not notice a forbidden attempt.
  beforeEach(() => paypal().keepRefusals(false));
  afterEach(() => paypal().keepRefusals());

  it('reconciliation, manual or scheduled, does not capture a declined payment', async () => {
    const { donationId, paymentId } = await declined();
    await world.reconcile();
    await sql(app, "UPDATE donation SET created_at = now() - interval '10 minutes' WHERE id = $1", [
      donationId,
    ]);
    await app.app.get(ReconciliationService).run(ON_SCHEDULE);
    expect(await status(donationId)).toBe('FAILED');
    expect(paypal().order(paymentId).status).toBe('APPROVED');
    expect(held(paymentId)).toBe(0);
  });

  it('a late event of the earlier approval does not capture a declined payment', async () => {
    const { donationId, paymentId, approval } = await declined();
    await world.deliver(approval, 2);
    expect(await status(donationId)).toBe('FAILED');
    expect(held(paymentId)).toBe(0);
  });

  it('a new approval event captures a declined payment', async () => {
    const { donationId, paymentId, approval } = await declined();
    app.sandbox.clock.advance(2000);
    paypal().approve(paymentId);
    const [, again] = world.messages('CHECKOUT.ORDER.APPROVED', paymentId);
    if (!again) throw new Error('the second approval is missing');
    await world.deliver(again);
    await world.deliver(approval);
    await world.deliverAll(Math.random);
    expect(await world.path(donationId)).toEqual(['PENDING', 'FAILED', 'COMPLETED']);
    expect(held(paymentId)).toBe(1000);
  });

  it('captures a declined payment when the donor returns or the page requests it', async () => {
    const [back, asked] = [await declined(), await declined()];
    const { text } = await app.http
      .get('/donations/wallet/return')
      .query({ token: back.paymentId })
      .expect(200);
    expect(text).toContain('has arrived');
    expect((await capture(asked.paymentId)).body).toMatchObject({ status: 'COMPLETED' });
    await world.deliverAll(Math.random);
    for (const { paymentId } of [back, asked]) expect(held(paymentId)).toBe(1000);
  });

  it('cancels a declined payment after a day, and then no request captures it', async () => {
    const { donationId, paymentId } = await declined();
    await sql(app, "UPDATE donation SET created_at = now() - interval '25 hours' WHERE id = $1", [
      donationId,
    ]);
    await world.reconcile();
    expect(await world.path(donationId)).toEqual(['PENDING', 'FAILED', 'CANCELLED']);
    expect(await capture(paymentId)).toMatchObject({ status: 409, body: { code: 'DONATION_CANCELLED' } });
    app.sandbox.clock.advance(2000);
    paypal().approve(paymentId);
    await world.deliverAll(Math.random);
    expect(held(paymentId)).toBe(0);
  });

  it('a declined payment stays failed although the server stopped before it booked the refusal', async () => {
    const { donationId, paymentId } = await declined();
    await sql(app, "UPDATE donation SET status = 'PENDING' WHERE id = $1", [donationId]);
    await sql(app, "DELETE FROM donation_history WHERE donation_id = $1 AND to_status = 'FAILED'", [
      donationId,
    ]);
    await world.reconcile();
    expect(await status(donationId)).toBe('FAILED');
    expect(held(paymentId)).toBe(0);
  });
});

describe('two payments of one checkout', () => {
  const pay = async (donation: { method: string; paymentId: string }) => {
    if (donation.method === 'card') app.sandbox.stripe.pay(donation.paymentId);
    else {
      paypal().approve(donation.paymentId);
      await capture(donation.paymentId);
    }
    await world.deliverAll(Math.random);
  };

  const opened = async (method: 'card' | 'wallet', metadata: object) => {
    const { body } = await world.call('POST', '/donations/intent', orderedBody(method, metadata));
    const paymentId = String(body.clientSecret ?? body.orderId).replace(/_secret_.*$/, '');
    const donation = { method, donationId: String(body.donationId), paymentId };
    world.online.push(donation);
    return donation;
  };

  it.each([[['card', 'wallet'] as const], [['wallet', 'card'] as const]])(
    'shows two payments (%j) with one checkout id to the admin',
    async (methods) => {
      const checkoutId = newId();
      const [one, other] = [
        await opened(methods[0], { checkoutId }),
        await opened(methods[1], { checkoutId }),
      ];
      const [apart] = [await opened('card', { checkoutId: newId() })];
      await pay(other);
      await pay(apart);
      expect(await world.reviewItems(other.donationId)).toEqual([]);
      await pay(one);
      expect(await world.reviewItems(other.donationId)).toEqual([
        expect.objectContaining({
          kind: 'paid_twice',
          detail: { payments: 2, otherDonation: one.donationId },
          advice: expect.stringContaining('refund this one'),
        }),
      ]);
      expect(await world.reviewItems(apart.donationId)).toEqual([]);
    },
  );

  it('shows two payments of one donor to the admin if the first attempt was declined', async () => {
    const email = `${newId()}@example.org`;
    const wallet = await declined(email);
    const card = await world.intent('card', 1000, email);
    await pay(card);
    expect(await world.reviewItems(card.donationId)).toEqual([]);
    await capture(wallet.paymentId);
    await world.deliverAll(Math.random);
    expect(await world.reviewItems(card.donationId)).toEqual([
      expect.objectContaining({
        kind: 'paid_twice',
        detail: { payments: 2, otherDonation: wallet.donationId },
      }),
    ]);
  });

  it.each(['later', 'earlier'])('a full refund of the %s payment closes the review item', async (which) => {
    const checkoutId = newId();
    const [one, other] = [await opened('card', { checkoutId }), await opened('card', { checkoutId })];
    await pay(one);
    await pay(other);
    expect(await world.reviewItems(other.donationId)).toMatchObject([{ kind: 'paid_twice' }]);
    const { donationId } = which === 'the later' ? other : one;
    // A partial refund does not resolve the item.
    expect((await world.cancel(donationId, { shouldRefund: true, amount: 400 })).status).toBe(200);
    await world.deliverAll(Math.random);
    expect(await world.reviewItems(other.donationId)).toMatchObject([{ kind: 'paid_twice' }]);
    expect((await world.cancel(donationId, { shouldRefund: true })).status).toBe(200);
    await world.deliverAll(Math.random);
    expect(await status(donationId)).toBe('REFUNDED');
    expect(await world.reviewItems(other.donationId)).toEqual([]);
  });

  it('an order that names a paid donation is booked separately and flagged', async () => {
    const card = await world.intent('card', 1000);
    await pay(card);
    const order = paypal().createCapturedOrder({ amount: 1000, currency: 'eur', custom_id: card.donationId });
    world.foreign.push(order.id);
    await world.deliverAll(Math.random);
    expect(await world.donations()).toHaveLength(2);
    expect(await world.reviewItems(order.id)).toEqual([
      expect.objectContaining({
        kind: 'paid_twice',
        detail: { payments: 2, otherDonation: card.donationId },
      }),
    ]);
  });
});

describe('orders without a donation of ours', () => {
  it.each([
    ['an unknown UUID', newId()],
    ['an event that does not exist', 'event:no-such-event'],
  ])('an order is not captured if its custom_id is %s', async (_what, custom_id) => {
    const order = paypal().createApprovedOrder({ amount: 1000, currency: 'eur', custom_id });
    await world.deliverAll(Math.random);
    await world.reconcile();
    expect(paypal().order(order.id).status).toBe('APPROVED');
    expect(held(order.id)).toBe(0);
  });

  it('an order is not captured if its donation has another payment', async () => {
    const { donationId } = await world.intent('wallet', 1000);
    const order = paypal().createApprovedOrder({ amount: 1000, currency: 'eur', custom_id: donationId });
    await world.deliverAll(Math.random);
    expect(paypal().order(order.id).status).toBe('APPROVED');
    expect(await status(donationId)).toBe('PENDING');
  });
});

describe('an order that pays another account', () => {
  it('an order that pays another account is neither captured nor booked, and raises a review item', async () => {
    const merchantId = paypal().createApprovedOrder({ amount: 1, currency: 'eur' }).purchase_units[0]?.payee
      .merchant_id;
    const strict = await startPaymentsApp({ PAYPAL_MERCHANT_ID: merchantId ?? US }, {}, undefined, {
      referee: true,
    });
    try {
      const admin = await adminToken(strict);
      const event = await createEvent(strict, admin);
      const custom_id = `event:${event.slug}`;
      const theirs = { amount: 1000, currency: 'eur', custom_id, merchantId: 'SOMEBODYELSE1' };
      const approved = strict.sandbox.paypal.createApprovedOrder(theirs);
      const captured = strict.sandbox.paypal.createCapturedOrder(theirs);
      const ours = strict.sandbox.paypal.createApprovedOrder({ amount: 700, currency: 'eur', custom_id });
      await strict.sandbox.settled();
      expect(strict.sandbox.paypal.order(approved.id).status).toBe('APPROVED');
      const rows = await sql(strict, 'SELECT payment_id, status FROM donation');
      expect(rows).toEqual([{ payment_id: ours.id, status: 'COMPLETED' }]);
      const { body } = await as(strict, admin).get('/review-items').expect(200);
      const items = body as { kind: string; subject: string; detail: object; advice: string }[];
      expect(items.map(({ subject }) => subject).sort()).toEqual(
        [approved, captured].map(({ id }) => `paypal:${id}`).sort(),
      );
      for (const item of items)
        expect(item).toMatchObject({
          kind: 'other_payee',
          detail: { payee: 'SOMEBODYELSE1', event: event.slug },
          advice: expect.stringContaining('Nothing is booked'),
        });
    } finally {
      await strict.close();
    }
  });
});

describe('PayPal webhook events', () => {
  it.each([403, 404] as const)(
    'get 503 from the service while PayPal answers %i for the payment, and are booked later',
    async (hidden) => {
      const custom_id = `event:${world.event.slug}`;
      const captured = paypal().createCapturedOrder({ amount: 900, currency: 'eur', custom_id });
      const approved = paypal().createApprovedOrder({ amount: 700, currency: 'eur', custom_id });
      const ids = [captured.id, paypal().captureOf(captured.id).id, approved.id];
      for (const id of ids) paypal().hide(id, { status: hidden });
      const messages = [
        world.message('PAYMENT.CAPTURE.COMPLETED', captured.id),
        world.message('CHECKOUT.ORDER.APPROVED', approved.id),
      ];
      for (const { id } of messages) expect(await paypal().deliveries.deliver(id)).toEqual([503]);
      expect(
        await sql(app, 'SELECT 1 FROM webhook_event WHERE webhook_event_id = ANY($1)', [
          messages.map(({ id }) => id),
        ]),
      ).toEqual([]);
      expect(await world.donations()).toEqual([]);
      // The event is new, and its payment may appear soon. So the service creates no review item yet.
      for (const { id } of messages) expect(await world.reviewItems(id)).toEqual([]);
      for (const id of ids) paypal().reveal(id);
      for (const message of messages) await world.deliver(message);
      world.foreign.push(captured.id, approved.id);
      await world.deliverAll(Math.random);
      const amounts = (await world.donations()).map((donation) => [donation.amount, donation.status]);
      expect(amounts.sort()).toEqual([
        [700, 'COMPLETED'],
        [900, 'COMPLETED'],
      ]);
    },
  );

  it('a webhook event answers 503 while its payment can be read but not captured', async () => {
    const custom_id = `event:${world.event.slug}`;
    const order = paypal().createApprovedOrder({ amount: 700, currency: 'eur', custom_id });
    world.foreign.push(order.id);
    const message = world.message('CHECKOUT.ORDER.APPROVED', order.id);
    app.sandbox.faults.add({ provider: 'paypal', operation: 'orders.capture', kind: 'forbidden' });
    expect(await paypal().deliveries.deliver(message.id)).toEqual([503]);
    await world.deliver(message);
    await world.deliverAll(Math.random);
    expect(held(order.id)).toBe(700);
    expect(await world.donations()).toMatchObject([{ amount: 700, status: 'COMPLETED' }]);
  });

  it('an event unsettled for a day is listed until it is settled', async () => {
    const custom_id = `event:${world.event.slug}`;
    const order = app.sandbox.clock.at(new Date(Date.now() - 1.1 * DAY), () =>
      paypal().createCapturedOrder({ amount: 900, currency: 'eur', custom_id }),
    );
    world.foreign.push(order.id);
    const ids = [order.id, paypal().captureOf(order.id).id];
    for (const id of ids) paypal().hide(id, { status: 403 });
    const message = world.message('PAYMENT.CAPTURE.COMPLETED', order.id);
    expect(await paypal().deliveries.deliver(message.id)).toEqual([503]);
    expect(await world.reviewItems(message.id)).toEqual([
      expect.objectContaining({
        kind: 'unsettled_event',
        detail: { event: 'PAYMENT.CAPTURE.COMPLETED', reason: 'PERMISSION_DENIED' },
      }),
    ]);
    for (const id of ids) paypal().reveal(id);
    await world.deliver(message);
    await world.deliverAll(Math.random);
    expect(await world.reviewItems(message.id)).toEqual([]);
    expect(await world.donations()).toMatchObject([{ amount: 900, status: 'COMPLETED' }]);
  });

  it('reconciliation waits for a new unsettled event without a review item', async () => {
    const custom_id = `event:${world.event.slug}`;
    const order = paypal().createApprovedOrder({ amount: 700, currency: 'eur', custom_id });
    world.foreign.push(order.id);
    const message = world.message('CHECKOUT.ORDER.APPROVED', order.id);
    paypal().hide(order.id, { status: 403 });
    const findings = async () =>
      (await app.app.get(ReconciliationService).run({ ...ON_SCHEDULE, byHand: true }))?.findings.filter(
        ({ id }) => id === message.id || id === 'paypal',
      );
    expect(await findings()).toMatchObject([{ what: 'message', id: message.id, result: 'waiting' }]);
    expect(await world.reviewItems('message:paypal')).toEqual([]);
    paypal().reveal(order.id);
    expect(await findings()).toMatchObject([{ id: message.id, result: 'healed' }]);
    await world.deliverAll(Math.random);
  });

  it('books a payment from its readable parts', async () => {
    const custom_id = `event:${world.event.slug}`;
    const captured = paypal().createCapturedOrder({ amount: 900, currency: 'eur', custom_id });
    const back = paypal().createCapturedOrder({ amount: 800, currency: 'eur', custom_id });
    const refund = paypal().refund(back.id, { amount: 100 });
    world.foreign.push(captured.id, back.id);
    for (const id of [captured.id, back.id, refund.id]) paypal().hide(id, { status: 403 });
    await world.deliver(world.message('PAYMENT.CAPTURE.COMPLETED', captured.id));
    await world.deliver(world.message('PAYMENT.CAPTURE.COMPLETED', paypal().captureOf(back.id).id));
    expect((await world.donations()).map(({ amount }) => amount).sort()).toEqual([800, 900]);
    for (const id of [captured.id, back.id, refund.id]) paypal().reveal(id);
    await world.deliverAll(Math.random);
  });
});

describe('captures', () => {
  it('a refused capture succeeds later, because each attempt has its own key', async () => {
    const { donationId, paymentId } = await world.intent('wallet', 1000);
    // Both attempts come before the approval. PayPal stores its refusal for each used key.
    for (let early = 0; early < 2; early += 1)
      expect(await capture(paymentId)).toMatchObject({ status: 409, body: { code: 'PROVIDER_REFUSED' } });
    paypal().approve(paymentId);
    paypal().onCapture(paymentId, { outcome: 'decline' });
    expect((await capture(paymentId)).body).toMatchObject({ status: 'FAILED' });
    paypal().onCapture(paymentId, { outcome: 'complete' });
    expect((await capture(paymentId)).body).toMatchObject({ status: 'COMPLETED' });
    await world.deliverAll(Math.random);
    expect(await world.path(donationId)).toEqual(['PENDING', 'FAILED', 'COMPLETED']);
    expect(await sql(app, 'SELECT refusals FROM capture_refusal WHERE payment_id = $1', [paymentId])).toEqual(
      [{ refusals: 3 }],
    );
  });

  it('many simultaneous captures after a refusal take the money once', async () => {
    const { donationId, paymentId } = await world.intent('wallet', 1000);
    await capture(paymentId);
    paypal().approve(paymentId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => capture(paymentId)));
    for (const { body } of answers) expect(body).toMatchObject({ status: 'COMPLETED' });
    await world.deliverAll(Math.random);
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
    expect(paypal().capturesOf(paymentId)).toHaveLength(1);
  });
});

describe('orders with a lost answer', () => {
  it('the retry finds the order with the bytes of the first attempt, also after the event was renamed', async () => {
    world.mayStumble = true;
    for (const method of ['wallet', 'card'] as const) {
      const headers = { 'idempotency-key': newId() };
      const operation = method === 'wallet' ? 'orders.create' : 'payment_intents.create';
      const provider = method === 'wallet' ? 'paypal' : 'stripe';
      app.sandbox.faults.add({ provider, operation, kind: 'reset', after: true, times: 3 });
      const body = orderedBody(method, { donorName: 'Ada' });
      expect((await world.call('POST', '/donations/intent', body, headers)).status).toBe(503);
      app.sandbox.faults.clear();
      await world.call('PATCH', `/events/${world.event.id}`, { name: `Renamed for ${method}` });
      const again = await world.call('POST', '/donations/intent', body, headers);
      expect(again.status).toBe(201);
      const paymentId = String(again.body.clientSecret ?? again.body.orderId).replace(/_secret_.*$/, '');
      world.online.push({ method, donationId: String(again.body.donationId), paymentId });
      expect(await status(String(again.body.donationId))).toBe('PENDING');
    }
  });

  it('a retry with other bytes does not cancel the donation', async () => {
    world.mayStumble = true;
    const headers = { 'idempotency-key': newId() };
    app.sandbox.faults.add({
      provider: 'paypal',
      operation: 'orders.create',
      kind: 'reset',
      after: true,
      times: 3,
    });
    const body = orderedBody('wallet', {});
    expect((await world.call('POST', '/donations/intent', body, headers)).status).toBe(503);
    app.sandbox.faults.clear();
    await sql(app, "UPDATE provider_request SET body = replace(body, 'PAY_NOW', 'CONTINUE')");
    expect((await world.call('POST', '/donations/intent', body, headers)).status).toBe(503);
    const [row] = await sql<{ id: string; status: string }>(
      app,
      'SELECT id, status FROM donation WHERE event_id = $1',
      [world.event.id],
    );
    expect(row?.status).toBe('PENDING');
    // Hours later, PayPal no longer knows the key and creates a new order.
    app.sandbox.clock.advance(7 * 3_600_000);
    const again = await world.call('POST', '/donations/intent', body, headers);
    world.online.push({ method: 'wallet', donationId: row?.id ?? '', paymentId: String(again.body.orderId) });
    expect(again.status).toBe(201);
  });
});

describe('several captures of one order', () => {
  it('several captures of one order form one donation, and a refund covers each of them', async () => {
    const custom_id = `event:${world.event.slug}`;
    const order = paypal().createApprovedOrder({ amount: 1000, currency: 'eur', custom_id });
    world.foreign.push(order.id);
    paypal().capture(order.id, { amount: 600, final: false });
    await world.deliverAll(Math.random);
    // The second capture comes after the service has booked the first one.
    paypal().captureAgain(order.id, { amount: 400 });
    await world.deliverAll(Math.random);
    const [donation] = await world.donations();
    expect(donation).toMatchObject({ amount: 1000, status: 'COMPLETED' });
    const id = donation?.id ?? '';
    expect((await world.cancel(id, { shouldRefund: true, amount: 500 })).body).toMatchObject({
      refundedAmount: 500,
    });
    expect((await world.cancel(id, { shouldRefund: true })).body).toMatchObject({
      status: 'REFUNDED',
      refundedAmount: 1000,
    });
    await world.deliverAll(Math.random);
    const captures = paypal().capturesOf(order.id);
    expect(captures.map(({ status: now }) => now)).toEqual(['REFUNDED', 'REFUNDED']);
  });
});
