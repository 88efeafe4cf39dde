import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { firstIdAt } from '../../src/common/crypto/ids.js';
import { sql } from '../support/fixtures.js';
import { untilBlocked } from '../support/locks.js';
import { withPaymentWorld } from './with-world.js';

/** The service books each payment once, in any order and number of its messages. */

const { app, world, stripe, paypal } = withPaymentWorld();

describe('payments', () => {
  it('a replayed failure does not undo a paid donation', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().decline(paymentId);
    stripe().pay(paymentId);
    const failure = world.message('payment_intent.payment_failed', paymentId);
    await world.deliver(world.message('payment_intent.succeeded', paymentId));
    await world.deliver(failure, 3);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', amount: 1000 });
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
  });

  it('books a payment that succeeds after a failure', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().decline(paymentId);
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('FAILED');
    stripe().pay(paymentId);
    await world.deliverAll(Math.random);
    expect(await world.path(donationId)).toEqual(['PENDING', 'FAILED', 'COMPLETED']);
  });

  it('books a payment that succeeds after its cancellation, and advises the admin to refund it', async () => {
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

  it('books a payment once when several messages and answers settle it at once', async () => {
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
    expect(await world.announcements(donationId)).toBe(1);
  });

  it('counts a capture once when an answer and messages report it', async () => {
    const { donationId } = await world.paid('wallet', 1000);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', amount: 1000 });
    const { body } = await world.call('GET', '/events/public');
    expect(body).toContainEqual(
      expect.objectContaining({ slug: world.event.slug, totalRaised: 1000, donorCount: 1 }),
    );
  });

  it('a settled payment never becomes pending again', async () => {
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

  it('books one donation when twenty copies of one message race to insert a payment made by a page', async () => {
    const metadata = { eventId: world.event.id, donorName: 'Page' };
    const { id } = stripe().createPaid({ amount: 700, currency: 'eur', metadata });
    world.foreign.push(id);
    await world.deliverAtOnce(world.message('payment_intent.succeeded', id), 20);
    const made = await world.donations();
    expect(made).toEqual([expect.objectContaining({ amount: 700, status: 'COMPLETED', donorName: 'Page' })]);
    // The webhook event refers to the donation that the service kept.
    const [event] = await sql(app, 'SELECT donation_id FROM webhook_event WHERE webhook_event_id = $1', [
      world.message('payment_intent.succeeded', id).id,
    ]);
    expect(event).toEqual({ donation_id: made[0]?.id });
  });

  it('books one donation when different messages race to insert a payment made by a page', async () => {
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
    'books %s on its donation when it arrives while the payment id is saved',
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

  it('does not complete a large donation with a small payment', async () => {
    const large = await world.intent('card', 50_000);
    const metadata = { donationId: large.donationId, eventId: world.event.id };
    // The donation already has another payment. So a payment whose metadata names this donation becomes a separate donation.
    world.foreign.push(stripe().createPaid({ amount: 100, currency: 'eur', metadata }).id);
    await world.deliverAll(Math.random);
    expect(await world.donation(large.donationId)).toMatchObject({ status: 'PENDING', amount: 50_000 });
    // The service books a payment of another amount as received, and creates a review item.
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

  it('sends amounts in yen to the providers without multiplying them by 100', async () => {
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

describe('history of a donation', () => {
  it('the history of a donation keeps its order when the clock of one instance runs ahead', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    const ahead = firstIdAt(new Date(Date.now() + 60_000));
    await sql(app, 'UPDATE donation_history SET id = $1 WHERE donation_id = $2', [ahead, donationId]);
    stripe().pay(paymentId);
    await world.deliverAll(Math.random);
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
  });
});
