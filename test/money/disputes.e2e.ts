import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import { sql } from '../support/fixtures.js';
import type { ReviewItem } from './world.js';
import { withPaymentWorld } from './with-world.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const { app, world, settledBooks } = withPaymentWorld({ check: 'none' });
afterEach(() => {
  app.sandbox.clock.reset();
});

interface Listed extends ReviewItem {
  readonly id: string;
  readonly dueBy: string | null;
  readonly particulars: Record<string, unknown> | null;
}

const listed = async (about: string) => (await world.reviewItems(about)) as Listed[];
const delivered = () => world.deliverAll(Math.random);
/** Events of the same second have no order. So the clock advances a minute between the steps. */
const later = () => {
  app.sandbox.clock.advance(MINUTE);
};

async function looksAtAll(about: string): Promise<void> {
  for (const { id } of await listed(about))
    expect((await world.call('POST', `/review-items/${id}/resolve`)).status).toBe(200);
}

const kept = async (donationId: string) =>
  await sql<Record<string, unknown>>(
    app,
    `SELECT status, provider_status, reason, amount::int, fee::int, fee_currency, due_by FROM dispute
     WHERE donation_id = $1`,
    [donationId],
  );

describe('disputes of card payments', () => {
  it('keeps the provider’s latest state of a dispute although the server clock runs ahead', async () => {
    // A provider clock that is behind has the same effect as a server clock that runs ahead.
    app.sandbox.clock.advance(-30 * MINUTE);
    const { donationId, paymentId } = await world.paid('card', 2000);
    const { stripe } = app.sandbox;
    stripe.openDispute(paymentId);
    await delivered();
    // Before a refund, the service asks the provider for the state of the payment.
    await world.cancel(donationId, { shouldRefund: true });
    await delivered();
    expect(await kept(donationId)).toMatchObject([{ provider_status: 'needs_response' }]);
    later();
    stripe.submitEvidence(paymentId);
    await delivered();
    expect(await kept(donationId)).toMatchObject([{ status: 'open', provider_status: 'under_review' }]);
    later();
    stripe.loseDispute(paymentId);
    await delivered();
    expect(await kept(donationId)).toMatchObject([{ status: 'lost', provider_status: 'lost' }]);
    await settledBooks();
  });

  it('a reading of all payments dates each dispute by the time at which its page was read', async () => {
    const { stripe } = app.sandbox;
    const one = await world.paid('card', 2000);
    const other = await world.paid('card', 2000);
    for (const { paymentId } of [one, other]) stripe.openDispute(paymentId);
    await delivered();
    const provider = app.app.get(PaymentProviders).ofDonation('stripe');
    const said: (Date | undefined)[] = [];
    for await (const { facts } of provider.walk?.(new Date(Date.now() - DAY)) ?? [])
      for (const fact of facts) {
        if (fact.kind !== 'dispute') continue;
        // Simulates a first dispute whose handling takes a while. The page with all disputes was already read.
        if (said.length === 0) await sleep(1_100);
        said.push(fact.asOf);
      }
    expect(said.length).toBeGreaterThan(1);
    expect(new Set(said.map((time) => time?.getTime())).size).toBe(1);
  });

  it('lists a dispute again at each step that needs an answer, with advice and deadline', async () => {
    const { donationId, paymentId } = await world.paid('card', 2000);
    const { stripe } = app.sandbox;
    const inquiry = stripe.openDispute(paymentId, { inquiry: true, dueInDays: 5 });
    await delivered();
    const due = new Date((inquiry.evidence_details.due_by ?? 0) * 1000).toISOString();
    expect(await listed(donationId)).toMatchObject([
      {
        kind: 'dispute',
        dueBy: due,
        particulars: { status: 'warning_needs_response', reason: 'fraudulent', inquiry: true, fee: null },
        advice: expect.stringMatching(/no money has moved.* until \d{4}-\d\d-\d\d \d\d:\d\d UTC/),
      },
    ]);
    expect((await listed(donationId))[0]?.advice).toContain(due.slice(0, 10));
    await looksAtAll(donationId);
    later();

    // A repeated message does not open the item again.
    await world.deliver(world.message('charge.dispute.created', paymentId), 2);
    expect(await listed(donationId)).toEqual([]);

    stripe.escalateDispute(paymentId, { dueInDays: 9 });
    await delivered();
    expect(await listed(donationId)).toMatchObject([
      {
        dueBy: expect.any(String),
        particulars: { status: 'needs_response', inquiry: false, fee: 2000, feeCurrency: 'eur' },
        advice: expect.stringMatching(/evidence.* until \d{4}-/),
      },
    ]);
    expect((await listed(donationId))[0]?.dueBy).not.toBe(due);
    await looksAtAll(donationId);
    later();

    stripe.updateDispute(paymentId, { dueInDays: 20 });
    await delivered();
    expect(await listed(donationId)).toHaveLength(1);
    later();

    // The charity has sent its evidence. Until the bank decides, the item is not listed.
    stripe.submitEvidence(paymentId);
    await delivered();
    expect(await listed(donationId)).toEqual([]);
    expect(await kept(donationId)).toMatchObject([
      { status: 'open', provider_status: 'under_review', reason: 'fraudulent', amount: 2000, fee: 2000 },
    ]);
    later();

    stripe.loseDispute(paymentId);
    await delivered();
    expect(await listed(donationId)).toMatchObject([
      { dueBy: null, detail: { state: 'lost' }, advice: expect.stringContaining('counts as refunded') },
    ]);
    expect(await world.donation(donationId)).toMatchObject({ status: 'REFUNDED' });
    await settledBooks();
  });

  it('a dispute ends in the same state in every order of its messages', async () => {
    const { donationId, paymentId } = await world.paid('card', 2000);
    const { stripe } = app.sandbox;
    stripe.openDispute(paymentId, { inquiry: true });
    later();
    stripe.escalateDispute(paymentId);
    later();
    stripe.updateDispute(paymentId, { reason: 'duplicate', dueInDays: 30 });
    const waiting = world.waiting();
    for (const message of waiting.reverse()) await world.deliver(message);
    const [dispute] = await kept(donationId);
    expect(dispute).toMatchObject({ provider_status: 'needs_response', reason: 'duplicate', fee: 2000 });
    for (const message of waiting.reverse()) await world.deliver(message);
    expect(await kept(donationId)).toEqual([dispute]);
    expect(await listed(donationId)).toHaveLength(1);
  });
});

describe('disputes of wallet payments', () => {
  it('reads every stage of a dispute from its messages and counts a lost dispute once', async () => {
    const { donationId, paymentId } = await world.paid('wallet', 2000);
    const { paypal } = app.sandbox;
    const { dispute_id: id } = paypal.openDispute(paymentId, { dueInDays: 4 });
    await delivered();
    expect(await listed(donationId)).toMatchObject([
      {
        kind: 'dispute',
        subject: `paypal:${id}`,
        particulars: { status: 'WAITING_FOR_SELLER_RESPONSE', reason: 'UNAUTHORISED', inquiry: true },
        advice: expect.stringMatching(/ until \d{4}-\d\d-\d\d/),
      },
    ]);
    await looksAtAll(donationId);
    later();
    paypal.escalateDispute(id, { dueInDays: 8 });
    await delivered();
    expect(await listed(donationId)).toMatchObject([{ particulars: { inquiry: false, fee: 1600 } }]);
    later();
    paypal.changeDispute(id, { status: 'UNDER_REVIEW' });
    await delivered();
    expect(await listed(donationId)).toEqual([]);
    later();
    // PayPal wants a second answer from the charity.
    paypal.changeDispute(id, { status: 'WAITING_FOR_SELLER_RESPONSE' });
    await delivered();
    expect(await listed(donationId)).toHaveLength(1);
    later();
    paypal.resolveDispute(id, { outcome: 'RESOLVED_BUYER_FAVOUR' });
    await delivered();
    expect(await world.donation(donationId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 2000 });
    expect(await listed(donationId)).toMatchObject([
      { detail: { amount: 2000, state: 'lost' }, particulars: { status: 'RESOLVED_BUYER_FAVOUR' } },
    ]);
    expect(await kept(donationId)).toMatchObject([{ status: 'lost', fee: 1600, fee_currency: 'eur' }]);
    await settledBooks();
  });

  it('a lost dispute about a part of a payment leaves the rest counted', async () => {
    const { donationId, paymentId } = await world.paid('wallet', 2000);
    const { dispute_id: id } = app.sandbox.paypal.openDispute(paymentId, {
      amount: 500,
      stage: 'CHARGEBACK',
    });
    app.sandbox.paypal.resolveDispute(id, { outcome: 'ACCEPTED' });
    await delivered();
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 500 });
    await settledBooks();
  });

  it('a won dispute disappears from the review list', async () => {
    const { donationId, paymentId } = await world.paid('wallet', 2000);
    const { dispute_id: id } = app.sandbox.paypal.openDispute(paymentId, {});
    await delivered();
    expect(await listed(donationId)).toHaveLength(1);
    later();
    app.sandbox.paypal.resolveDispute(id, { outcome: 'RESOLVED_SELLER_FAVOUR' });
    await delivered();
    expect(await listed(donationId)).toEqual([]);
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
  });

  it('a dispute of another system is acknowledged, and a dispute of our unreadable payment answers 503', async () => {
    const { paypal } = app.sandbox;
    const hidden = async (custom_id?: string) => {
      const order = paypal.createCapturedOrder({ amount: 500, currency: 'eur', custom_id });
      const { id: capture } = paypal.captureOf(order.id);
      await delivered();
      for (const id of [order.id, capture]) paypal.hide(id, { status: 404 });
      const { dispute_id: dispute } = paypal.openDispute(capture);
      const show = () => {
        for (const id of [order.id, capture]) paypal.reveal(id);
      };
      return { message: world.message('CUSTOMER.DISPUTE.CREATED', dispute).id, show };
    };
    // A payment without our `custom_id`, for example of another page's PayPal button or of a subscription.
    const other = await hidden();
    expect(await paypal.deliveries.deliver(other.message)).toEqual([200]);
    const ours = await hidden(`event:${world.event.slug}`);
    expect(await paypal.deliveries.deliver(ours.message)).toEqual([503]);
    await world.reconcile();
    expect(await listed('message:paypal')).toEqual([]);
    for (const { show } of [other, ours]) show();
    await delivered();
    const [donation] = await world.donations();
    expect(await listed(String(donation?.id))).toMatchObject([{ kind: 'dispute' }]);
  });

  it('explains a reversal without a dispute to the admin once', async () => {
    const { donationId, paymentId } = await world.paid('wallet', 2000);
    app.sandbox.paypal.reverse(paymentId);
    await delivered();
    expect((await world.donation(donationId)).status).toBe('REFUNDED');
    expect(await listed(donationId)).toMatchObject([
      {
        kind: 'dispute',
        detail: { amount: 2000, currency: 'eur', state: 'lost' },
        advice: expect.stringContaining('took the money of this donation back'),
      },
    ]);
  });
});

describe('refunds of disputed payments', () => {
  const refunds = (donationId: string) =>
    sql<{ status: string }>(app, 'SELECT status FROM refund WHERE donation_id = $1', [donationId]);
  const refusal = {
    status: 409,
    body: { code: 'DONATION_DISPUTED', message: expect.stringContaining('dispute') },
  };

  it('refuses a refund while a chargeback of a card payment is open, and refunds after the charity won', async () => {
    const { donationId, paymentId } = await world.paid('card', 2000);
    const { stripe } = app.sandbox;
    const { evidence_details: evidence } = stripe.openDispute(paymentId, { dueInDays: 6 });
    await delivered();
    const dispute = {
      status: 'open',
      amount: 2000,
      currency: 'eur',
      isInquiry: false,
      needsAnswer: true,
      dueBy: new Date((evidence.due_by ?? 0) * 1000).toISOString(),
      blocksRefund: true,
    };
    expect(await world.donation(donationId)).toMatchObject({ dispute });
    const { body: story } = await world.call('GET', `/donations/${donationId}/story`);
    expect(story).toMatchObject({ donation: { dispute } });
    expect(await world.cancel(donationId, { shouldRefund: true })).toMatchObject(refusal);
    expect(await world.cancel(donationId, { shouldRefund: true, amount: 500 })).toMatchObject(refusal);
    expect(await refunds(donationId)).toEqual([]);
    // A client may send back the whole donation with a correction.
    const whole = (await world.donation(donationId)) as unknown as Record<string, unknown>;
    const corrected = await world.call('PATCH', `/donations/${donationId}`, { ...whole, donorName: 'Grace' });
    expect(corrected).toMatchObject({ status: 200, body: { donorName: 'Grace', dispute } });
    const other = { ...whole, dispute: { ...dispute, blocksRefund: false } };
    expect((await world.call('PATCH', `/donations/${donationId}`, other)).status).toBe(400);
    later();

    // No webhook event about the decision has arrived, so the service asks the provider.
    stripe.winDispute(paymentId);
    expect(await world.cancel(donationId, { shouldRefund: true })).toMatchObject({
      status: 200,
      body: { status: 'REFUNDED', dispute: { status: 'won', blocksRefund: false } },
    });
    await delivered();
    await settledBooks();
  });

  it('refuses a refund while a chargeback of a wallet payment is open', async () => {
    const { donationId, paymentId } = await world.paid('wallet', 2000);
    app.sandbox.paypal.openDispute(paymentId, { stage: 'CHARGEBACK' });
    await delivered();
    expect(await world.cancel(donationId, { shouldRefund: true })).toMatchObject(refusal);
    expect(await refunds(donationId)).toEqual([]);
  });

  it('refunds during an inquiry, because no money has moved', async () => {
    const { donationId, paymentId } = await world.paid('card', 2000);
    app.sandbox.stripe.openDispute(paymentId, { inquiry: true });
    await delivered();
    expect(await world.donation(donationId)).toMatchObject({
      dispute: { status: 'open', isInquiry: true, blocksRefund: false },
    });
    expect(await world.cancel(donationId, { shouldRefund: true })).toMatchObject({ status: 200 });
    await delivered();
    await settledBooks();
  });

  it('a donation with two disputes shows the dispute that blocks a refund', async () => {
    const { donationId, paymentId } = await world.paid('wallet', 2000);
    const { paypal } = app.sandbox;
    const { dispute_id: first } = paypal.openDispute(paymentId, { amount: 500, stage: 'CHARGEBACK' });
    await delivered();
    later();
    paypal.resolveDispute(first, { outcome: 'RESOLVED_SELLER_FAVOUR' });
    paypal.openDispute(paymentId, { amount: 700, stage: 'CHARGEBACK' });
    await delivered();
    expect(await world.donation(donationId)).toMatchObject({ dispute: { amount: 700, blocksRefund: true } });
  });
});

describe('fees of payments', () => {
  it('shows the fee on the donation as soon as the provider reports it', async () => {
    const wallet = await world.paid('wallet', 2000);
    expect(await world.donation(wallet.donationId)).toMatchObject({ fee: 75, feeCurrency: 'eur' });
    const card = await world.paid('card', 2000);
    expect(await world.donation(card.donationId)).not.toHaveProperty('fee');
    await sql(app, 'UPDATE donation SET paid_at = $2 WHERE id = $1', [
      card.donationId,
      new Date(Date.now() - 2 * 60 * MINUTE),
    ]);
    await world.reconcile();
    expect(await world.donation(card.donationId)).toMatchObject({ fee: 55, feeCurrency: 'eur' });
  });
});

describe('settled donations', () => {
  it('reconciliation checks a settled donation less and less often until no refund is possible', async () => {
    const { donationId, paymentId } = await world.paid('card', 2000);
    const paid = (days: number) =>
      sql(app, 'UPDATE donation SET paid_at = $2 WHERE id = $1', [
        donationId,
        new Date(Date.now() - days * DAY - MINUTE),
      ]);
    const next = async () =>
      (
        await sql<{ days: number }>(
          app,
          `SELECT extract(epoch FROM next_check_at - paid_at)::float / 86400 AS days FROM donation WHERE id = $1`,
          [donationId],
        )
      )[0]?.days;
    // No webhook will ever report this refund.
    await paid(1);
    app.sandbox.stripe.refund(paymentId, { amount: 700 });
    for (const message of world.waiting()) world.drop(message);
    app.sandbox.faults.add({ provider: 'stripe', operation: 'events.list', kind: 'error', times: 0 });
    try {
      await world.reconcile();
      expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 700 });
      expect(await next()).toBeCloseTo(3, 3);

      // The next check is not due yet, so the service does not ask the provider.
      app.sandbox.stripe.refund(paymentId, { amount: 300 });
      for (const message of world.waiting()) world.drop(message);
      await world.reconcile();
      expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 700 });
      for (const [age, following] of [
        [3, 7],
        [30, 90],
      ] as const) {
        await paid(age);
        await sql(app, `UPDATE donation SET next_check_at = now() WHERE id = $1`, [donationId]);
        await world.reconcile();
        expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 1000 });
        expect(await next()).toBeCloseTo(following, 3);
      }
      await paid(181);
      await sql(app, `UPDATE donation SET next_check_at = now() WHERE id = $1`, [donationId]);
      await world.reconcile();
      expect(await next()).toBeGreaterThan(100 * 365);
    } finally {
      app.sandbox.faults.clear();
    }
  });
});
