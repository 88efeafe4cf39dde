import { describe, expect, it } from '@jest/globals';
import { PaymentFacts } from '../../src/payments/booking/facts.service.js';
import type { PaidFact } from '../../src/payments/providers/provider-port.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import { sql } from '../support/fixtures.js';
import { withPaymentWorld } from './with-world.js';

/**
 * Facts about a payment that arrive before the payment or together with it, second payments of a donation,
 * and repeated readings of a payment.
 */

const { app, world, stripe } = withPaymentWorld({ check: 'delivered' });
const delivered = () => world.deliverAll(Math.random);

/** A checkout page creates a payment for the event. The messages of the payment wait. */
function madeByPage(metadata: object = {}): string {
  const { id } = stripe().createPaid({
    amount: 1000,
    currency: 'eur',
    metadata: { eventId: world.event.id, ...metadata },
  });
  world.foreign.push(id);
  return id;
}

describe('a payment whose own message arrives last', () => {
  it('the payment lists an earlier dispute with its deadline', async () => {
    const paymentId = madeByPage();
    stripe().openDispute(paymentId, { dueInDays: 6 });
    await world.deliver(world.message('charge.dispute.created', paymentId));
    expect(await world.donations()).toEqual([]);
    await world.deliver(world.message('payment_intent.succeeded', paymentId));
    const [donation] = await world.donations();
    expect(donation).toMatchObject({ status: 'COMPLETED', amount: 1000 });
    expect(await world.reviewItems(String(donation?.id))).toEqual([
      expect.objectContaining({ kind: 'dispute', dueBy: expect.any(String) }),
    ]);
  });

  it('the payment lists an earlier failed refund and counts in full', async () => {
    const paymentId = madeByPage();
    const refund = stripe().refund(paymentId, { amount: 400 });
    stripe().failRefund(refund.id);
    const success = world.message('payment_intent.succeeded', paymentId);
    for (const message of world.waiting()) if (message.id !== success.id) await world.deliver(message);
    expect(await world.donations()).toEqual([]);
    await world.deliver(success);
    const [donation] = await world.donations();
    expect(donation).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 });
    expect(await world.reviewItems(String(donation?.id))).toEqual([
      expect.objectContaining({ kind: 'refund_failed' }),
    ]);
  });
});

describe('a second payment that names a paid donation', () => {
  it('a second payment becomes a separate donation with a review item about the double payment', async () => {
    const { donationId, paymentId } = await world.paid('card');
    const second = madeByPage({ donationId });
    await delivered();
    const donations = await world.donations();
    expect(donations).toHaveLength(2);
    for (const donation of donations) expect(donation).toMatchObject({ status: 'COMPLETED', amount: 1000 });
    const rows = await sql<{ payment_id: string }>(
      app,
      'SELECT payment_id FROM donation WHERE event_id = $1 ORDER BY id',
      [world.event.id],
    );
    expect(rows).toEqual([{ payment_id: paymentId }, { payment_id: second }]);
    expect(await world.reviewItems(second)).toEqual([
      expect.objectContaining({
        kind: 'paid_twice',
        detail: { payments: 2, otherDonation: donationId },
      }),
    ]);
    const { body } = await world.call('GET', '/events/public');
    expect(body).toContainEqual(expect.objectContaining({ slug: world.event.slug, totalRaised: 2000 }));
  });
});

describe('a repeated reading of a payment', () => {
  it('a reading in another currency does not increase the donation', async () => {
    const { donationId, paymentId } = await world.paid('card');
    const provider = app.app.get(PaymentProviders, { strict: false }).ofDonation('stripe');
    const facts = app.app.get(PaymentFacts, { strict: false });
    const reading = (fields: Partial<PaidFact>): PaidFact => ({
      kind: 'paid',
      paymentId,
      amount: 1000n,
      currency: 'eur',
      paidAt: new Date(),
      isGrowing: true,
      ...fields,
    });
    await facts.book(provider, [reading({ amount: 1_100_000n, currency: 'jpy' })]);
    expect(await world.donation(donationId)).toMatchObject({ amount: 1000, currency: 'eur' });
    // A reading that contains the whole payment does not increase the amount either.
    await facts.book(provider, [reading({ amount: 1500n, isGrowing: false })]);
    expect(await world.donation(donationId)).toMatchObject({ amount: 1000, currency: 'eur' });
  });
});

describe('approved wallet payments', () => {
  it.each(['error', 'reset'] as const)(
    'a capture that ends with %s is not acknowledged and runs again with the next message',
    async (kind) => {
      world.mayStumble = true;
      const { donationId, paymentId } = await world.intent('wallet', 1000);
      app.sandbox.paypal.approve(paymentId);
      const { id } = world.message('CHECKOUT.ORDER.APPROVED', paymentId);
      app.sandbox.faults.add({ provider: 'paypal', operation: 'orders.capture', kind, times: 0 });
      expect(await app.sandbox.paypal.deliveries.deliver(id)).toEqual([503]);
      expect((await world.donation(donationId)).status).toBe('PENDING');
      app.sandbox.faults.clear();
      await world.deliver({ provider: 'paypal', id });
      expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', amount: 1000 });
    },
  );

  it('acknowledges a declined capture, so that the donor may approve again', async () => {
    const { donationId, paymentId } = await world.intent('wallet', 1000);
    app.sandbox.paypal.approve(paymentId);
    const { id } = world.message('CHECKOUT.ORDER.APPROVED', paymentId);
    app.sandbox.faults.add({ provider: 'paypal', operation: 'orders.capture', kind: 'decline' });
    await world.deliver({ provider: 'paypal', id });
    expect((await world.donation(donationId)).status).not.toBe('COMPLETED');
  });
});
