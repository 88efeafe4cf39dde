import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { firstIdAt } from '../../src/common/crypto/ids.js';
import { sql } from '../support/fixtures.js';
import { untilBlocked } from '../support/locks.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';
import { withWorld } from './with-world.js';

/** What is booked of a payment, whatever its messages say, in whatever order and however often. */

const app = withService(startPaymentsApp);
const admin = withAdmin(app);
const world = withWorld(app, admin);

const { stripe, paypal } = { stripe: () => app.sandbox.stripe, paypal: () => app.sandbox.paypal };

/** A wallet donation that was paid and booked. */
async function paidByWallet(amount = 1000) {
  const donation = await world.intent('wallet', amount);
  paypal().approve(donation.paymentId);
  await world.call('POST', `/donations/wallet/${donation.paymentId}/capture`);
  await world.deliverAll(Math.random);
  return donation;
}

const createdMessages = async (donationId: string) => {
  const rows = await sql(app, `SELECT 1 FROM outbox WHERE donation_id = $1 AND topic = 'donation.created'`, [
    donationId,
  ]);
  return rows.length;
};

describe('a payment', () => {
  it('that was paid is not undone by a replayed failure', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().decline(paymentId);
    stripe().pay(paymentId);
    const failure = world.message('payment_intent.payment_failed', paymentId);
    await world.deliver(world.message('payment_intent.succeeded', paymentId));
    await world.deliver(failure, 3);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', amount: 1000 });
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
  });

  it('that succeeds after a failure is booked', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().decline(paymentId);
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('FAILED');
    stripe().pay(paymentId);
    await world.deliverAll(Math.random);
    expect(await world.path(donationId)).toEqual(['PENDING', 'FAILED', 'COMPLETED']);
  });

  it('that comes after the cancellation is booked, and shown to the admin with what to do', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    expect(await world.cancel(donationId, { shouldRefund: false })).toMatchObject({
      status: 200,
      body: { status: 'CANCELLED' },
    });
    stripe().pay(paymentId, { force: true });
    await world.deliverAll(Math.random);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', amount: 1000 });
    expect(await world.reviewItems(donationId)).toEqual([
      expect.objectContaining({
        kind: 'late_success',
        subject: `stripe:${paymentId}`,
        detail: { received: 1000, receivedCurrency: 'eur' },
        advice: expect.stringContaining('refund it'),
      }),
    ]);
  });

  it('settled by several messages and answers at once is booked once', async () => {
    const { donationId, paymentId } = await world.intent('wallet', 1000);
    paypal().approve(paymentId);
    paypal().capture(paymentId);
    const messages = ['CHECKOUT.ORDER.APPROVED', 'CHECKOUT.ORDER.COMPLETED', 'PAYMENT.CAPTURE.COMPLETED'];
    await Promise.all([
      ...messages.map((kind) => world.deliverAtOnce(world.message(kind, paymentId), 5)),
      ...Array.from({ length: 5 }, () => world.call('POST', `/donations/wallet/${paymentId}/capture`)),
      world.reconcile(),
    ]);
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
    expect(await createdMessages(donationId)).toBe(1);
  });

  it('whose capture is reported by an answer and by messages is counted once', async () => {
    const { donationId } = await paidByWallet(1000);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', amount: 1000 });
    const { body } = await world.call('GET', '/events/public');
    expect(body).toContainEqual(
      expect.objectContaining({ slug: world.event.slug, totalRaised: 1000, donorCount: 1 }),
    );
  });

  it('that is settled is not downgraded to pending', async () => {
    const card = await world.intent('card', 1000);
    stripe().process(card.paymentId);
    stripe().pay(card.paymentId);
    await world.deliver(world.message('payment_intent.succeeded', card.paymentId));
    await world.deliver(world.message('payment_intent.processing', card.paymentId), 2);
    expect(await world.path(card.donationId)).toEqual(['PENDING', 'COMPLETED']);

    const wallet = await world.intent('wallet', 1000);
    paypal().onCapture(wallet.paymentId, { outcome: 'pending' });
    paypal().approve(wallet.paymentId);
    await world.call('POST', `/donations/wallet/${wallet.paymentId}/capture`);
    expect((await world.donation(wallet.donationId)).status).toBe('PENDING');
    paypal().completeCapture(wallet.paymentId);
    await world.deliver(world.message('PAYMENT.CAPTURE.COMPLETED', wallet.paymentId));
    await world.deliver(world.message('PAYMENT.CAPTURE.PENDING', wallet.paymentId), 2);
    expect(await world.path(wallet.donationId)).toEqual(['PENDING', 'COMPLETED']);
  });

  it('that a page made by itself is one donation, however many messages race to insert it', async () => {
    const metadata = { eventId: world.event.id, donorName: 'Page' };
    const { id } = stripe().createPaid({ amount: 700, currency: 'eur', metadata });
    world.foreign.push(id);
    await world.deliverAtOnce(world.message('payment_intent.succeeded', id), 20);
    const made = await world.donations();
    expect(made).toEqual([expect.objectContaining({ amount: 700, status: 'COMPLETED', donorName: 'Page' })]);
    // Nothing refers to a row that was not kept.
    const [event] = await sql(app, 'SELECT donation_id FROM webhook_event WHERE webhook_event_id = $1', [
      world.message('payment_intent.succeeded', id).id,
    ]);
    expect(event).toEqual({ donation_id: made[0]?.id });
  });

  it('that a page made by itself is one donation, whichever of its messages race to insert it', async () => {
    const custom_id = `event:${world.event.slug}`;
    for (let round = 0; round < 5; round += 1) {
      const order = paypal().createCapturedOrder({ amount: 700, currency: 'eur', custom_id });
      const metadata = { eventId: world.event.id };
      const intent = stripe().createPaid({ amount: 700, currency: 'eur', metadata });
      stripe().refund(intent.id);
      world.foreign.push(order.id, intent.id);
    }
    await Promise.all(world.waiting().map((message) => world.deliverAtOnce(message, 2)));
    const donations = await world.donations();
    expect(donations).toHaveLength(10);
    for (const { type, status } of donations)
      expect(status).toBe(type === 'wallet' ? 'COMPLETED' : 'REFUNDED');
  });

  it.each(['payment_intent.succeeded', 'payment_intent.payment_failed'])(
    'whose %s comes while it is written on its donation is about that donation',
    async (kind) => {
      const { donationId, paymentId } = await world.intent('card', 1000);
      if (kind === 'payment_intent.succeeded') stripe().pay(paymentId);
      else stripe().decline(paymentId);
      await sql(app, 'UPDATE donation SET payment_id = NULL WHERE id = $1', [donationId]);
      const intent = new Client({ connectionString: app.databaseUrl });
      await intent.connect();
      try {
        await intent.query('BEGIN');
        await intent.query('UPDATE donation SET payment_id = $2 WHERE id = $1', [donationId, paymentId]);
        const delivered = stripe().deliveries.deliver(world.message(kind, paymentId).id);
        await untilBlocked(app);
        await intent.query('COMMIT');
        expect(await delivered).toEqual([200]);
      } finally {
        await intent.end();
      }
      expect((await world.donation(donationId)).status).toBe(
        kind === 'payment_intent.succeeded' ? 'COMPLETED' : 'FAILED',
      );
      expect(await world.donations()).toHaveLength(1);
    },
  );

  it('of a small sum that is genuine does not settle a large donation', async () => {
    const large = await world.intent('card', 50_000);
    const metadata = { donationId: large.donationId, eventId: world.event.id };
    // The donation's own payment is known, so one that only names it is another donation.
    world.foreign.push(stripe().createPaid({ amount: 100, currency: 'eur', metadata }).id);
    await world.deliverAll(Math.random);
    expect(await world.donation(large.donationId)).toMatchObject({ status: 'PENDING', amount: 50_000 });
    // Paid with another sum, it is worth that sum, and a review item says so.
    stripe().pay(large.paymentId, { amount: 100 });
    await world.deliverAll(Math.random);
    expect(await world.donation(large.donationId)).toMatchObject({ status: 'COMPLETED', amount: 100 });
    expect(await world.reviewItems(large.donationId)).toEqual([
      expect.objectContaining({
        kind: 'amount_mismatch',
        detail: { asked: 50_000, askedCurrency: 'eur', received: 100, receivedCurrency: 'eur' },
        advice: expect.stringContaining('booked as received'),
      }),
    ]);
  });

  it('in yen is not multiplied by a hundred on its way', async () => {
    const card = await world.intent('card', 5000, null, 'jpy');
    const wallet = await world.intent('wallet', 5000, null, 'jpy');
    expect(stripe().intent(card.paymentId)).toMatchObject({ amount: 5000, currency: 'jpy' });
    expect(paypal().order(wallet.paymentId)).toMatchObject({
      purchase_units: [{ amount: { currency_code: 'JPY', value: '5000' } }],
    });
    stripe().pay(card.paymentId);
    paypal().approve(wallet.paymentId);
    await world.deliverAll(Math.random);
    for (const { donationId } of [card, wallet]) {
      expect(await world.donation(donationId)).toMatchObject({
        status: 'COMPLETED',
        amount: 5000,
        currency: 'jpy',
      });
      await world.cancel(donationId, { shouldRefund: true, amount: 1 });
      expect(await world.donation(donationId)).toMatchObject({ refundedAmount: 1 });
      expect(await world.reviewItems(donationId)).toEqual([]);
    }
  });
});

describe('the history', () => {
  it('is in order although one instance has a clock that runs ahead', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    const ahead = firstIdAt(new Date(Date.now() + 60_000));
    await sql(app, 'UPDATE donation_history SET id = $1 WHERE donation_id = $2', [ahead, donationId]);
    stripe().pay(paymentId);
    await world.deliverAll(Math.random);
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
  });
});
