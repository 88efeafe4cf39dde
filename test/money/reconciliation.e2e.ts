import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { BY_HAND, ReconciliationService } from '../../src/payments/reconciliation/reconciliation.service.js';
import { sql } from '../support/fixtures.js';
import { withPaymentWorld } from './with-world.js';

/** Unpaid donations, messages that never arrive, and answers that are out of date when they arrive. */

const { app, world, stripe, paypal } = withPaymentWorld();

const age = (donationId: string, interval: string) =>
  sql(app, 'UPDATE donation SET created_at = now() - $2::interval WHERE id = $1', [donationId, interval]);

describe('cancellations', () => {
  it('reconciliation asks the provider before it cancels an old donation, because it may be paid', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().pay(paymentId);
    world.drop(world.message('payment_intent.succeeded', paymentId));
    await age(donationId, '3 days');
    // Even if the list of lost messages fails, the server asks for the payment itself.
    app.sandbox.faults.add({ provider: 'stripe', operation: 'events.list', kind: 'error', times: 0 });
    await world.reconcile();
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
  });

  it('reconciliation cancels no old donation while the provider does not answer', async () => {
    const { donationId } = await world.intent('card', 1000);
    await age(donationId, '3 days');
    app.sandbox.faults.add({ provider: 'stripe', operation: '*', kind: 'error', times: 0 });
    await world.reconcile();
    expect((await world.donation(donationId)).status).toBe('PENDING');
  });

  it('an admin who cancels a paid donation gets the answer that the money arrived', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().pay(paymentId);
    const { status, body } = await world.cancel(donationId, { shouldRefund: false });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'DONATION_COMPLETED' });
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
  });

  it('reconciliation finally cancels every unpaid donation', async () => {
    const card = await world.intent('card', 1000);
    const wallet = await world.intent('wallet', 1000);
    const forgotten = await world.intent('wallet', 1000);
    paypal().forget(forgotten.paymentId);
    for (const { donationId } of [card, wallet, forgotten]) await age(donationId, '25 hours');
    await world.reconcile();
    for (const { donationId } of [card, wallet, forgotten])
      expect(await world.path(donationId)).toEqual(['PENDING', 'CANCELLED']);
    expect(stripe().intent(card.paymentId).status).toBe('canceled');
    // Without this donation, the check of the books does not ask for its payment, which the provider has deleted.
    await sql(app, 'DELETE FROM donation_history WHERE donation_id = $1', [forgotten.donationId]);
    await sql(app, 'DELETE FROM donation WHERE id = $1', [forgotten.donationId]);
    world.online.splice(world.online.indexOf(forgotten), 1);
  });
});

describe('reconciliation', () => {
  it('reconciliation continues after a message that cannot be handled', async () => {
    const [poor, stuck] = [await world.paid('card'), await world.paid('card')];
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

  it('reconciliation runs once when many instances start it', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().pay(paymentId);
    world.drop(world.message('payment_intent.succeeded', paymentId));
    app.sandbox.faults.add({ provider: 'stripe', operation: 'events.list', kind: 'hang', ms: 300 });
    const service = app.app.get(ReconciliationService);
    const reports = await Promise.all(Array.from({ length: 5 }, () => service.run(BY_HAND)));
    expect(reports.filter((report) => report !== undefined)).toHaveLength(1);
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED']);
  });

  it('reconciliation ignores an answer that was stale on arrival', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().decline(paymentId);
    await world.deliverAll(Math.random);
    // The provider answers "declined". The donor pays before this answer reaches the server.
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
