import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { firstIdAt } from '../../src/common/crypto/ids.js';
import { ConfigError } from '../../src/config/environment.js';
import { loadConfig } from '../../src/server/load-config.js';
import { BY_HAND, ReconciliationService } from '../../src/payments/reconciliation/reconciliation.service.js';
import { startApp } from '../support/app.js';
import { sql } from '../support/fixtures.js';
import { untilBlocked } from '../support/locks.js';
import { providerEnvironment, startPaymentsApp, STRIPE } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';
import { expectSettledBooks } from './invariants.js';
import { World } from './world.js';

/** What went wrong in other systems of this kind, one test each. */

const app = withService(startPaymentsApp);
const admin = withAdmin(app);
let world: World;

beforeEach(async () => {
  world = await World.create(app, admin.token);
});
// Whatever the bug is about, the books have to be right after it.
afterEach(async () => {
  app.sandbox.faults.clear();
  await world.deliverAll(Math.random);
  await world.reconcile();
  const payments = [...world.online.map(({ paymentId }) => paymentId), ...world.foreign];
  await expectSettledBooks(app, world.event.id, payments);
  expect(world.failures).toEqual([]);
});

const { stripe, paypal } = { stripe: () => app.sandbox.stripe, paypal: () => app.sandbox.paypal };

/** A card donation that was paid and booked. */
async function paidByCard(amount = 1000) {
  const donation = await world.intent('card', amount);
  stripe().pay(donation.paymentId);
  await world.deliverAll(Math.random);
  return donation;
}

/** A wallet donation that was paid and booked. */
async function paidByWallet(amount = 1000) {
  const donation = await world.intent('wallet', amount);
  paypal().approve(donation.paymentId);
  await world.call('POST', `/donations/wallet/${donation.paymentId}/capture`);
  await world.deliverAll(Math.random);
  return donation;
}

const age = (donationId: string, interval: string) =>
  sql(app, 'UPDATE donation SET created_at = now() - $2::interval WHERE id = $1', [donationId, interval]);

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

describe('cancelling', () => {
  it('by time never happens without asking the provider: money may have come', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().pay(paymentId);
    world.drop(world.message('payment_intent.succeeded', paymentId));
    await age(donationId, '3 days');
    // Even when the list of lost messages cannot be had, the payment itself is asked for.
    app.sandbox.faults.add({ provider: 'stripe', operation: 'events.list', kind: 'error', times: 0 });
    await world.reconcile();
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
  });

  it('by time waits while the provider gives no answer', async () => {
    const { donationId } = await world.intent('card', 1000);
    await age(donationId, '3 days');
    app.sandbox.faults.add({ provider: 'stripe', operation: '*', kind: 'error', times: 0 });
    await world.reconcile();
    expect((await world.donation(donationId)).status).toBe('PENDING');
  });

  it('by an admin finds the money that came, and says so', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().pay(paymentId);
    const { status, body } = await world.cancel(donationId, { shouldRefund: false });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'DONATION_COMPLETED' });
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
  });

  it('comes at last to every donation that nobody pays: none is pending for ever', async () => {
    const card = await world.intent('card', 1000);
    const wallet = await world.intent('wallet', 1000);
    const forgotten = await world.intent('wallet', 1000);
    paypal().forget(forgotten.paymentId);
    for (const { donationId } of [card, wallet, forgotten]) await age(donationId, '25 hours');
    await world.reconcile();
    for (const { donationId } of [card, wallet, forgotten])
      expect(await world.path(donationId)).toEqual(['PENDING', 'CANCELLED']);
    expect(stripe().intent(card.paymentId).status).toBe('canceled');
    // The check of the books asks the provider for each payment; this one it has forgotten.
    await sql(app, 'DELETE FROM donation_history WHERE donation_id = $1', [forgotten.donationId]);
    await sql(app, 'DELETE FROM donation WHERE id = $1', [forgotten.donationId]);
    world.online.splice(world.online.indexOf(forgotten), 1);
  });
});

describe('a message', () => {
  it('is not answered 200 when its donation could not be changed', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().pay(paymentId);
    const { id } = world.message('payment_intent.succeeded', paymentId);
    await sql(
      app,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    try {
      expect(await stripe().deliveries.deliver(id)).toEqual([500]);
    } finally {
      await sql(app, 'DROP TRIGGER refuse ON outbox; DROP FUNCTION refuse()');
    }
    expect((await world.donation(donationId)).status).toBe('PENDING');
    await world.deliver({ provider: 'stripe', id });
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
  });

  it('about unknown objects is answered 200, or the provider would switch the endpoint off', async () => {
    const foreign = stripe().createPaid({ amount: 500, currency: 'eur', metadata: { order: 'shop-1' } });
    stripe().refund(foreign.id, { amount: 100 });
    stripe().openDispute(foreign.id);
    const gone = stripe().createPaid({
      amount: 500,
      currency: 'eur',
      metadata: { eventId: 'no-such-event' },
    });
    const order = paypal().createCapturedOrder({ amount: 500, currency: 'eur', custom_id: 'shop-2' });
    paypal().refund(order.id);
    await world.deliverAll(Math.random);
    expect(await world.donations()).toEqual([]);
    // Money for an event that is not here is somebody's, and a person has to find out whose.
    expect(await world.reviewItems(gone.id)).toEqual([
      expect.objectContaining({ kind: 'unmatched_payment' }),
    ]);
    expect(await world.reviewItems(foreign.id)).toEqual([]);
  });

  it('with ids and texts of strangers in its metadata is answered 200', async () => {
    const metadata = {
      eventId: world.event.id,
      donorName: 'A\u0000da',
      donorEmail: 'x\u0007',
      message: '\ud800',
    };
    const { id } = stripe().createPaid({ amount: 500, currency: 'eur', metadata });
    world.foreign.push(id);
    await world.deliverAll(Math.random);
    expect(await world.donations()).toEqual([
      expect.objectContaining({
        amount: 500,
        donorName: null,
        donorEmail: null,
        message: null,
        isAnonymous: true,
      }),
    ]);
    const refund = stripe().refund(id, { amount: 100 });
    const [event] = stripe().events().slice(-1);
    const object = { ...refund, metadata: { refundId: 'RMA-77' } };
    const { status } = await sendCard({
      ...event,
      id: `evt_${refund.id}`,
      type: 'refund.updated',
      data: { object },
    });
    expect(status).toBe(200);
  });

  it('signed with a blank secret is never good', async () => {
    expect(() => loadConfig({ ...base, STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: ' ' })).toThrow(
      ConfigError,
    );
    expect(() => loadConfig({ ...base, STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: ' , ' })).toThrow(
      ConfigError,
    );
    const careless = await startApp({
      ...providerEnvironment(app.sandbox),
      STRIPE_WEBHOOK_SECRET: `${STRIPE.webhookSecret}, ,`,
    });
    const send = async (secret: string) => {
      const body = JSON.stringify({ id: 'evt_blank', type: 'charge.succeeded', data: { object: {} } });
      const at = Math.floor(Date.now() / 1000);
      const v1 = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
      const headers = { 'stripe-signature': `t=${at},v1=${v1}` };
      const answer = await fetch(`${careless.url}/donations/cardprocessor/webhook`, {
        method: 'POST',
        headers,
        body,
      });
      return answer.status;
    };
    try {
      expect([await send(''), await send(' '), await send(STRIPE.webhookSecret)]).toEqual([400, 400, 200]);
    } finally {
      await careless.close();
    }
    const without = await startApp();
    try {
      const { body } = await without.http.post('/donations/cardprocessor/webhook').send('{}').expect(503);
      expect(body).toMatchObject({ code: 'PAYMENT_METHOD_OFF' });
      await without.http.post('/donations/wallet/webhook').send('{}').expect(503);
    } finally {
      await without.close();
    }
  });
});

describe('a refund', () => {
  it('whose answer was lost is made once, however often it is asked for', async () => {
    world.mayStumble = true;
    const card = await paidByCard();
    const wallet = await paidByWallet();
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'refunds.create',
      kind: 'reset',
      after: true,
      times: 2,
    });
    app.sandbox.faults.add({
      provider: 'paypal',
      operation: 'captures.refund',
      kind: 'reset',
      after: true,
      times: 3,
    });
    for (const { donationId } of [card, wallet]) {
      const ask = () =>
        world.cancel(donationId, { shouldRefund: true, amount: 300 }, `part of ${donationId}`);
      const first = await ask();
      expect(first.status).toBe(503);
      const again = await ask();
      expect(again).toMatchObject({
        status: 200,
        body: { refundedAmount: 300, refund: { status: 'succeeded' } },
      });
    }
    expect(stripe().refundsOf(card.paymentId)).toHaveLength(1);
    expect(paypal().refundsOf(wallet.paymentId)).toHaveLength(1);
  });

  it('that went through under a key since forgotten is found before it is made again', async () => {
    world.mayStumble = true;
    const { donationId, paymentId } = await paidByCard();
    app.sandbox.faults.add({ provider: 'stripe', operation: 'refunds.create', kind: 'error', times: 2 });
    const ask = () => world.cancel(donationId, { shouldRefund: true, amount: 300 }, `part of ${donationId}`);
    expect((await ask()).status).toBe(503);
    const id = await requested(donationId);
    // What the first try did; its key is as unknown to the next one as if a day had passed.
    await refundElsewhere(paymentId, 300, id);
    await sql(app, `UPDATE refund SET created_at = now() - interval '2 days' WHERE id = $1`, [id]);
    expect((await ask()).body).toMatchObject({
      refundedAmount: 300,
      refund: { id, status: 'succeeded' },
    });
    expect(stripe().refundsOf(paymentId)).toHaveLength(1);
  });

  it('that the provider refuses because it was made already is taken as made', async () => {
    world.mayStumble = true;
    const { donationId, paymentId } = await paidByCard();
    app.sandbox.faults.add({ provider: 'stripe', operation: 'refunds.create', kind: 'error', times: 2 });
    expect((await world.cancel(donationId, { shouldRefund: true })).status).toBe(503);
    await refundElsewhere(paymentId, 1000, await requested(donationId));
    // The provider says "already refunded"; what it then tells about the refund is the truth.
    await world.cancel(donationId, { shouldRefund: true });
    expect(await world.donation(donationId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 1000 });
  });

  it('of all that is left is not mistaken for a part that is under way', async () => {
    world.mayStumble = true;
    const { donationId, paymentId } = await paidByCard();
    app.sandbox.faults.add({ provider: 'stripe', operation: 'refunds.create', kind: 'error', times: 2 });
    expect((await world.cancel(donationId, { shouldRefund: true, amount: 300 })).status).toBe(503);
    const rest = await world.cancel(donationId, { shouldRefund: true });
    expect(rest.body).toMatchObject({ refund: { amount: 700, status: 'succeeded' } });
    await world.reconcile();
    expect(await world.donation(donationId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 1000 });
    expect(
      stripe()
        .refundsOf(paymentId)
        .map(({ amount }) => amount)
        .sort(),
    ).toEqual([300, 700]);
  });

  it('of a sum that the provider cannot give back is refused before anything is written down', async () => {
    const { donationId, paymentId } = await world.intent('card', 50_000, null, 'kwd');
    stripe().pay(paymentId);
    await world.deliverAll(Math.random);
    // The last of three decimals has to be 0 at the card processor.
    const odd = await world.cancel(donationId, { shouldRefund: true, amount: 1231 });
    expect({ status: odd.status, code: odd.body.code }).toEqual({ status: 400, code: 'AMOUNT_NOT_PAYABLE' });
    expect(await sql(app, 'SELECT 1 FROM refund WHERE donation_id = $1', [donationId])).toEqual([]);
    expect((await world.cancel(donationId, { shouldRefund: true, amount: 1230 })).body).toMatchObject({
      refundedAmount: 1230,
      refund: { amount: 1230, status: 'succeeded' },
    });
  });

  it('that succeeded and then failed counts for nothing, and the donation counts again', async () => {
    const { donationId, paymentId } = await paidByCard();
    await world.cancel(donationId, { shouldRefund: true });
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('REFUNDED');
    const [refund] = stripe().refundsOf(paymentId);
    stripe().failRefund(refund?.id ?? '');
    await world.deliverAll(Math.random);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 });
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED', 'REFUNDED', 'COMPLETED']);
    expect(await createdMessages(donationId)).toBe(1);
    expect(await world.reviewItems(donationId)).toEqual([
      expect.objectContaining({
        kind: 'refund_failed',
        advice: expect.stringContaining('contact the donor'),
      }),
    ]);
  });

  it('that failed counts for nothing, also where an account of an older API tells it as a change of the charge', async () => {
    const { donationId, paymentId } = await paidByCard();
    await world.cancel(donationId, { shouldRefund: true });
    await world.deliverAll(Math.random);
    const [refund] = stripe().refundsOf(paymentId);
    stripe().failRefund(refund?.id ?? '');
    const event = stripe().events().at(-1);
    const { status } = await sendCard({ ...event, id: 'evt_older_api', type: 'charge.refund.updated' });
    expect(status).toBe(200);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 });
    // What a newer API says of the same refund besides changes nothing more.
    await world.deliverAll(Math.random);
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED', 'REFUNDED', 'COMPLETED']);
  });

  it('whose messages overtake its own answer is one refund', async () => {
    const { donationId, paymentId } = await paidByCard();
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'refunds.create',
      kind: 'hang',
      ms: 400,
      after: true,
    });
    const answer = world.cancel(donationId, { shouldRefund: true });
    while (stripe().refundsOf(paymentId).length === 0) await sleep(5);
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('REFUNDED');
    expect(await answer).toMatchObject({
      status: 200,
      body: { status: 'REFUNDED', refundedAmount: 1000, refund: { status: 'succeeded' } },
    });
    expect(await sql(app, 'SELECT status FROM refund WHERE donation_id = $1', [donationId])).toHaveLength(1);
  });

  it('of a second payment for the same donation leaves the first one paid', async () => {
    const { donationId, paymentId } = await paidByCard();
    const metadata = { donationId, eventId: world.event.id };
    const duplicate = stripe().createPaid({ amount: 1000, currency: 'eur', metadata });
    world.foreign.push(duplicate.id);
    await world.deliverAll(Math.random);
    expect(await world.donations()).toHaveLength(2);
    stripe().refund(duplicate.id);
    await world.deliverAll(Math.random);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 });
    expect(
      stripe()
        .payments()
        .find(({ id }) => id === paymentId)?.held,
    ).toBe(1000);
  });
});

describe('reconciliation', () => {
  it('gets past a message that cannot be handled', async () => {
    const [poor, stuck] = [await paidByCard(), await paidByCard()];
    for (const { paymentId } of [poor, stuck]) stripe().refund(paymentId);
    for (const message of world.waiting()) world.drop(message);
    await sql(
      app,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.donation_id = '${stuck.donationId}')
       EXECUTE FUNCTION refuse()`,
    );
    try {
      await world.reconcile();
    } finally {
      await sql(app, 'DROP TRIGGER refuse ON outbox; DROP FUNCTION refuse()');
    }
    expect((await world.donation(poor.donationId)).status).toBe('REFUNDED');
    expect((await world.donation(stuck.donationId)).status).toBe('COMPLETED');
    expect(await world.reviewItems('message:stripe')).toEqual([
      expect.objectContaining({ kind: 'reconciliation' }),
    ]);
    await world.reconcile();
    expect((await world.donation(stuck.donationId)).status).toBe('REFUNDED');
    expect(await world.reviewItems('message:stripe')).toEqual([]);
  });

  it('runs once, however many instances start it', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().pay(paymentId);
    world.drop(world.message('payment_intent.succeeded', paymentId));
    app.sandbox.faults.add({ provider: 'stripe', operation: 'events.list', kind: 'hang', ms: 300 });
    const service = app.app.get(ReconciliationService);
    const reports = await Promise.all(Array.from({ length: 5 }, () => service.run(BY_HAND)));
    expect(reports.filter((report) => report !== undefined)).toHaveLength(1);
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
  });

  it('does no harm with an answer that was stale when it arrived', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().decline(paymentId);
    await world.deliverAll(Math.random);
    // Read as declined, and on its way to us while the donor pays.
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'payment_intents.retrieve',
      kind: 'hang',
      ms: 400,
      after: true,
    });
    const running = world.reconcile();
    await sleep(150);
    stripe().pay(paymentId);
    await world.deliver(world.message('payment_intent.succeeded', paymentId));
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    await running;
    expect(await world.path(donationId)).toEqual(['PENDING', 'FAILED', 'COMPLETED']);
  });
});

const base = { NODE_ENV: 'test', DATABASE_URL: 'postgresql://localhost/x' };

async function requested(donationId: string): Promise<string> {
  const [row] = await sql<{ id: string }>(
    app,
    `SELECT id FROM refund WHERE donation_id = $1 AND status = 'requested'`,
    [donationId],
  );
  if (!row) throw new Error('no refund is written down');
  return row.id;
}

/** A refund at the card processor that carries our row's id but not our key. */
async function refundElsewhere(paymentId: string, amount: number, refundId: string): Promise<void> {
  const answer = await fetch(`${app.sandbox.url}/v1/refunds`, {
    method: 'POST',
    headers: { authorization: `Bearer ${STRIPE.secretKey}`, 'idempotency-key': `elsewhere:${refundId}` },
    body: new URLSearchParams({
      payment_intent: paymentId,
      amount: String(amount),
      'metadata[refundId]': refundId,
    }),
  });
  expect(answer.status).toBe(200);
}

async function sendCard(event: object): Promise<Response> {
  const body = JSON.stringify(event);
  return await fetch(`${app.url}/donations/cardprocessor/webhook`, {
    method: 'POST',
    headers: { ...stripe().signatureHeaders(body), 'content-type': 'application/json' },
    body,
  });
}
