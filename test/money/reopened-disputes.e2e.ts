import { afterEach, describe, expect, it } from '@jest/globals';
import { PaymentFacts } from '../../src/payments/booking/facts.service.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import { sql } from '../support/fixtures.js';
import type { ReviewItem } from './world.js';
import { withPaymentWorld } from './with-world.js';

const MINUTE = 60_000;

const { app, world, settledBooks } = withPaymentWorld({ check: 'none' });
afterEach(() => {
  app.sandbox.clock.reset();
});

interface Listed extends ReviewItem {
  readonly dueBy: string | null;
  readonly particulars: Record<string, unknown> | null;
}

const listed = async (about: string) => (await world.reviewItems(about)) as Listed[];
/** Events of the same second have no order. So the clock advances a minute between the steps. */
const delivered = async () => {
  await world.deliverAll(Math.random);
  app.sandbox.clock.advance(MINUTE);
};
async function paid(method: 'card' | 'wallet') {
  const donation = await world.paid(method, 2000);
  app.sandbox.clock.advance(MINUTE);
  return donation;
}
const donation = (id: string) => world.donation(id);
const dueOf = (dispute: { evidence_details: { due_by: number | null } }) =>
  new Date((dispute.evidence_details.due_by ?? 0) * 1000).toISOString();

describe('decided disputes of card payments', () => {
  it('lists a reopened dispute with its deadline and counts it as refunded when it is lost', async () => {
    const { donationId, paymentId } = await paid('card');
    const { stripe } = app.sandbox;
    stripe.openDispute(paymentId);
    await delivered();
    stripe.winDispute(paymentId);
    await delivered();
    expect(await listed(donationId)).toEqual([]);

    const reopened = stripe.reopenDispute(paymentId, { dueInDays: 6 });
    await delivered();
    expect(await listed(donationId)).toMatchObject([
      {
        kind: 'dispute',
        detail: { state: 'open' },
        dueBy: dueOf(reopened),
        particulars: { status: 'needs_response' },
      },
    ]);
    expect(await donation(donationId)).toMatchObject({ status: 'COMPLETED' });

    stripe.loseDispute(paymentId);
    await delivered();
    expect(await donation(donationId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 2000 });
    expect(await listed(donationId)).toMatchObject([{ detail: { state: 'lost' }, dueBy: null }]);
    await settledBooks();
  });

  it('ends a reopened dispute by the latest event, also when the events arrive in the wrong order', async () => {
    const { donationId, paymentId } = await paid('card');
    const { stripe, clock } = app.sandbox;
    stripe.openDispute(paymentId);
    for (const step of [
      () => stripe.winDispute(paymentId),
      () => stripe.reopenDispute(paymentId),
      () => stripe.loseDispute(paymentId),
    ]) {
      clock.advance(MINUTE);
      step();
    }
    for (const message of world.waiting().reverse()) await world.deliver(message);
    expect(await donation(donationId)).toMatchObject({ status: 'REFUNDED' });
    await settledBooks();
  });

  it('lists a lost dispute that may be appealed, and counts it as refunded until the appeal is won', async () => {
    const { donationId, paymentId } = await paid('card');
    const { stripe } = app.sandbox;
    stripe.openDispute(paymentId);
    await delivered();
    stripe.loseDispute(paymentId);
    await delivered();

    const appeal = stripe.appealDispute(paymentId, { dueInDays: 4 });
    await delivered();
    expect(await listed(donationId)).toMatchObject([
      {
        kind: 'dispute',
        dueBy: dueOf(appeal),
        particulars: { status: 'appeal_needs_response', appeal: true },
        advice: expect.stringMatching(/appeal.* until \d{4}-\d\d-\d\d/),
      },
    ]);
    expect(await donation(donationId)).toMatchObject({ status: 'REFUNDED' });
    await settledBooks();

    stripe.submitEvidence(paymentId);
    await delivered();
    expect(await listed(donationId)).toEqual([]);
    expect(await donation(donationId)).toMatchObject({ status: 'REFUNDED' });

    stripe.winDispute(paymentId);
    await delivered();
    expect(await donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 });
    expect(await listed(donationId)).toEqual([]);
    await settledBooks();
  });

  it('counts a dispute prevented by the card network as refunded only if the charity paid', async () => {
    const { stripe } = app.sandbox;
    const [paying, blocked] = [await paid('card'), await paid('card')];
    stripe.preventDispute(paying.paymentId);
    stripe.preventDispute(blocked.paymentId, { block: true });
    await delivered();
    expect(await donation(paying.donationId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 2000 });
    expect(await listed(paying.donationId)).toMatchObject([
      { kind: 'dispute', detail: { state: 'lost' }, particulars: { status: 'prevented' } },
    ]);
    expect(await donation(blocked.donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 });
    expect(await listed(blocked.donationId)).toEqual([]);
    await settledBooks();
  });
});

describe('decided disputes of wallet payments', () => {
  it('lists a reopened dispute with its deadline and counts it once when it is lost', async () => {
    const { donationId, paymentId } = await paid('wallet');
    const { paypal } = app.sandbox;
    const { dispute_id: id } = paypal.openDispute(paymentId, {});
    await delivered();
    paypal.resolveDispute(id, { outcome: 'RESOLVED_SELLER_FAVOUR' });
    await delivered();
    expect(await listed(donationId)).toEqual([]);

    const reopened = paypal.reopenDispute(id, { dueInDays: 3 });
    await delivered();
    expect(await listed(donationId)).toMatchObject([
      {
        kind: 'dispute',
        dueBy: new Date(reopened.seller_response_due_date ?? '').toISOString(),
        particulars: { status: 'WAITING_FOR_SELLER_RESPONSE' },
      },
    ]);
    paypal.resolveDispute(id, { outcome: 'RESOLVED_BUYER_FAVOUR' });
    await delivered();
    expect(await donation(donationId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 2000 });
    paypal.reopenDispute(id, { status: 'UNDER_REVIEW' });
    await delivered();
    paypal.resolveDispute(id, { outcome: 'RESOLVED_BUYER_FAVOUR' });
    await delivered();
    expect(await donation(donationId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 2000 });
    await settledBooks();
  });
});

describe('unknown provider statuses', () => {
  it('shows an unknown dispute status to the admin and moves no money until a known status follows', async () => {
    const { donationId, paymentId } = await paid('card');
    const { stripe } = app.sandbox;
    const { id } = stripe.openDispute(paymentId);
    await delivered();
    stripe.loseDispute(paymentId);
    await delivered();
    stripe.nameStatus(id, 'arbitration');
    await delivered();
    expect(await listed(donationId)).toMatchObject([
      {
        kind: 'dispute',
        particulars: { status: 'arbitration', unknown: true },
        advice: expect.stringContaining('does not know'),
      },
    ]);
    expect(await donation(donationId)).toMatchObject({ status: 'REFUNDED' });
    stripe.nameStatus(id, 'won');
    await delivered();
    expect(await listed(donationId)).toEqual([]);
    expect(await donation(donationId)).toMatchObject({ status: 'COMPLETED' });
  });

  it('shows an unknown PayPal dispute status to the admin', async () => {
    const { donationId, paymentId } = await paid('wallet');
    const { paypal } = app.sandbox;
    const { dispute_id: id } = paypal.openDispute(paymentId, {});
    paypal.changeDispute(id, { status: 'OTHER' });
    await delivered();
    expect(await listed(donationId)).toMatchObject([
      { kind: 'dispute', particulars: { status: 'OTHER', unknown: true } },
    ]);
  });

  it('lists a refund of unknown status until a known status follows', async () => {
    const { donationId, paymentId } = await paid('card');
    const { stripe } = app.sandbox;
    const { id } = stripe.refund(paymentId, { amount: 500, pending: true });
    await delivered();
    stripe.nameStatus(id, 'in_the_post');
    await delivered();
    expect(await listed(donationId)).toMatchObject([
      {
        kind: 'unknown_status',
        subject: `stripe:${id}`,
        detail: { object: 'refund', status: 'in_the_post' },
      },
    ]);
    expect(await donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 });
    stripe.nameStatus(id, 'pending');
    stripe.settleRefund(id);
    await delivered();
    expect(await listed(donationId)).toEqual([]);
    expect(await donation(donationId)).toMatchObject({ refundedAmount: 500 });
  });

  it('shows a payment of unknown status to the admin and never cancels it by age', async () => {
    const open = await world.intent('card', 2000);
    app.sandbox.stripe.nameStatus(open.paymentId, 'asleep');
    await world.age([open]);
    await world.reconcile();
    expect(await donation(open.donationId)).toMatchObject({ status: 'PENDING' });
    expect(app.sandbox.stripe.intent(open.paymentId).status).toBe('asleep');
    expect(await listed(open.donationId)).toMatchObject([
      { kind: 'unknown_status', detail: { object: 'payment', status: 'asleep' } },
    ]);
    app.sandbox.stripe.nameStatus(open.paymentId, 'requires_payment_method');
    app.sandbox.stripe.pay(open.paymentId);
    await delivered();
    await world.reconcile();
    expect(await donation(open.donationId)).toMatchObject({ status: 'COMPLETED' });
    expect(await listed(open.donationId)).toEqual([]);
    expect(await sql(app, "SELECT 1 FROM review_item WHERE kind = 'unknown_status'")).toHaveLength(2);
  });

  it('lists an unknown payment of a cancelled donation until the provider cancels the payment', async () => {
    const { donationId, paymentId } = await world.intent('card', 2000);
    expect((await world.cancel(donationId, { shouldRefund: false })).status).toBe(200);
    await delivered();
    const stripe = app.app.get(PaymentProviders).named('stripe');
    await app.app.get(PaymentFacts).book(stripe, [{ kind: 'unknown', paymentId, status: 'asleep' }]);
    await world.reconcile();
    expect(await listed(donationId)).toMatchObject([{ kind: 'unknown_status' }]);
    await app.app.get(PaymentFacts).book(stripe, [{ kind: 'cancelled', paymentId }]);
    expect(await listed(donationId)).toEqual([]);
  });

  it('removes an unknown wallet payment from the list when an admin cancels the donation', async () => {
    const { donationId, paymentId } = await world.intent('wallet', 2000);
    const paypal = app.app.get(PaymentProviders).named('paypal');
    await app.app.get(PaymentFacts).book(paypal, [{ kind: 'unknown', paymentId, status: 'ASLEEP' }]);
    expect(await listed(donationId)).toMatchObject([{ kind: 'unknown_status' }]);
    expect((await world.cancel(donationId, { shouldRefund: false })).status).toBe(200);
    expect(await listed(donationId)).toEqual([]);
  });
});
