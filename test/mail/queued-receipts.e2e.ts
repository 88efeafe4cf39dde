import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { Database } from '../../src/data/database.js';
import { Mailer } from '../../src/mail/mailer.service.js';
import { createEvent, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';
import { withPaymentWorld } from '../money/with-world.js';

/** One transaction completes a donation and saves its receipt e-mail, so each donation has one receipt e-mail. */

const mail = withOpened(() => MailServer.start());
const { app, admin, world, stripe } = withPaymentWorld({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
  shared: true,
  check: 'none',
});

const delivered = () => world.deliverAll(Math.random);
const address = () => `ada-${newId()}@example.org`;

const queued = async (donationId: string) =>
  await sql<{ kind: string }>(app, 'SELECT kind FROM email WHERE donation_id = $1', [donationId]);

/** Waits until the service has sent every queued e-mail. Returns all e-mails to the address. */
async function received(to: string) {
  await until(
    async () => (await sql(app, `SELECT 1 FROM email WHERE state = 'queued'`)).length === 0,
    'an empty queue',
  );
  return mail.to(to);
}

describe('queued receipts of online donations', () => {
  it('queues and sends one receipt when the same success arrives twenty times at once', async () => {
    const to = address();
    const { donationId, paymentId } = await world.intent('card', 1000, to);
    stripe().pay(paymentId);
    await world.deliverAtOnce(world.message('payment_intent.succeeded', paymentId), 20);
    expect(await queued(donationId)).toEqual([{ kind: 'receipt' }]);
    expect(await received(to)).toHaveLength(1);
  });

  it('queues and sends one receipt for a payment that failed earlier and whose refund failed later', async () => {
    const to = address();
    const { donationId, paymentId } = await world.intent('card', 1000, to);
    stripe().decline(paymentId);
    await delivered();
    expect(await queued(donationId)).toEqual([]);
    stripe().pay(paymentId);
    await delivered();
    expect(await queued(donationId)).toEqual([{ kind: 'receipt' }]);
    expect(await received(to)).toHaveLength(1);
    const refund = stripe().refund(paymentId);
    await delivered();
    expect((await world.donation(donationId)).status).toBe('REFUNDED');
    stripe().failRefund(refund.id);
    await delivered();
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    await world.call('PATCH', `/donations/${donationId}`, { message: 'Thank you' });
    expect(await queued(donationId)).toEqual([{ kind: 'receipt' }]);
    expect(await received(to)).toHaveLength(1);
  });

  it('queues and sends one receipt when an answer and several messages settle an order at once', async () => {
    const to = address();
    const { donationId, paymentId } = await world.intent('wallet', 1000, to);
    app.sandbox.paypal.approve(paymentId);
    await Promise.all([
      ...Array.from({ length: 4 }, () => world.call('POST', `/donations/wallet/${paymentId}/capture`)),
      world.deliverAtOnce(world.message('CHECKOUT.ORDER.APPROVED', paymentId), 4),
    ]);
    await delivered();
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    expect(await queued(donationId)).toEqual([{ kind: 'receipt' }]);
    expect(await received(to)).toHaveLength(1);
  });

  it('queues one receipt for a payment made by a page', async () => {
    const to = address();
    const { id } = stripe().createPaid({
      amount: 700,
      currency: 'eur',
      metadata: { eventId: world.event.id, donorEmail: to },
    });
    await world.deliverAtOnce(world.message('payment_intent.succeeded', id), 5);
    const [donation] = (await world.donations()).filter(({ donorEmail }) => donorEmail === to);
    expect(await queued(String(donation?.id))).toEqual([{ kind: 'receipt' }]);
    expect(await received(to)).toHaveLength(1);
  });

  it('queues no receipt before payment, without an address, for cash, or if the event forbids it', async () => {
    const open = await world.intent('card', 1000, address());
    const unnamed = await world.intent('card', 1000);
    stripe().pay(unnamed.paymentId);
    const cash = await world.record(1000, 'cash', address());
    // The donor paid this pledge at the till.
    const pledge = await world.record(1000, 'pledge', address());
    const pledgeId = String(pledge?.donationId);
    expect((await world.call('POST', `/donations/${pledgeId}/fulfil`, { type: 'cash' })).status).toBe(200);
    const quiet = await createEvent(app, admin.token);
    await world.call('PATCH', `/events/${quiet.id}/settings`, { receipts: { email: false } });
    const { id: made } = stripe().createPaid({
      amount: 700,
      currency: 'eur',
      metadata: { eventId: quiet.id, donorEmail: address() },
    });
    await delivered();
    for (const id of [open.donationId, unnamed.donationId, String(cash?.donationId), pledgeId])
      expect(await queued(id)).toEqual([]);
    const [donation] = await sql<{ id: string; status: string }>(
      app,
      'SELECT id, status FROM donation WHERE payment_id = $1',
      [made],
    );
    expect(donation?.status).toBe('COMPLETED');
    expect(await queued(String(donation?.id))).toEqual([]);
  });

  it('a second attempt to queue a receipt adds no e-mail and does not fail the transaction', async () => {
    const to = address();
    const { donationId, paymentId } = await world.intent('card', 1000, to);
    stripe().pay(paymentId);
    await delivered();
    const database = app.app.get(Database, { strict: false });
    const mailer = app.app.get(Mailer, { strict: false });
    await database.transaction((tx) => {
      mailer.enqueueReceipt(tx, donationId);
      return Promise.resolve();
    });
    expect(await queued(donationId)).toEqual([{ kind: 'receipt' }]);
    expect(await received(to)).toHaveLength(1);
  });

  it('queues no receipt when the booking of its donation rolls back', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000, address());
    stripe().decline(paymentId);
    await delivered();
    stripe().pay(paymentId);
    await sql(
      app,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
       CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON outbox DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
       EXECUTE FUNCTION refuse()`,
    );
    const { id } = world.message('payment_intent.succeeded', paymentId);
    try {
      expect(await stripe().deliveries.deliver(id)).toEqual([500]);
    } finally {
      await sql(app, 'DROP TRIGGER refuse ON outbox; DROP FUNCTION refuse()');
    }
    expect((await world.donation(donationId)).status).toBe('FAILED');
    expect(await queued(donationId)).toEqual([]);
    await world.deliver({ provider: 'stripe', id });
    expect(await queued(donationId)).toEqual([{ kind: 'receipt' }]);
  });
});
