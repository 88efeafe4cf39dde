import { beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/data/database.js';
import { DonationChanges } from '../../src/donations/lifecycle/donation-changes.js';
import { as, type Caller, type DonationBody } from '../support/bearer.js';
import { createStaff } from '../support/fixtures.js';
import { pausedAtOutbox, untilBlocked } from '../support/locks.js';
import { withPaymentWorld } from './with-world.js';

/** The service books a payment at the same moment as a related change. */

const { app, admin, world } = withPaymentWorld({ check: 'delivered' });
async function intent(amount: number, metadata: object) {
  const { status, body } = await world.call('POST', '/donations/intent', {
    amount,
    metadata: { eventId: world.event.id, ...metadata },
  });
  expect(status).toBe(201);
  const paymentId = String(body.clientSecret).replace(/_secret_.*$/, '');
  const donation = { method: 'card', donationId: body.donationId as string, paymentId } as const;
  world.online.push(donation);
  return donation;
}

describe('pending online donations', () => {
  it('staff cannot fulfil a pending online donation like a pledge', async () => {
    const { donationId } = await intent(1000, {});
    const { body } = await admin.post(`/donations/${donationId}/fulfil`, { type: 'cash' }).expect(409);
    expect(body).toMatchObject({ code: 'PLEDGE_NOT_OPEN' });
    expect(await world.donation(donationId)).toMatchObject({ status: 'PENDING', type: 'card' });
  });

  it('a donation keeps its payment when a late answer of the provider names another payment', async () => {
    const { donationId, paymentId } = await intent(1000, {});
    const changes = app.app.get(DonationChanges, { strict: false });
    await changes.attachPayment(app.app.get(Database, { strict: false }), donationId, 'pi_another');
    app.sandbox.stripe.pay(paymentId);
    await deliverSuccess(paymentId);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', amount: 1000 });
    expect((await world.donations()).map(({ id }) => id)).toEqual([donationId]);
  });
});

/** Delivers only the webhook event of the success. */
const deliverSuccess = (paymentId: string) =>
  app.sandbox.stripe.deliveries.deliver(world.message('payment_intent.succeeded', paymentId).id);

describe('two payments of one checkout', () => {
  it('flags the second payment when both are booked at the same moment', async () => {
    const [first, second] = [
      await intent(1000, { checkoutId: 'one-basket' }),
      await intent(1000, { checkoutId: 'one-basket' }),
    ];
    for (const { paymentId } of [first, second]) app.sandbox.stripe.pay(paymentId);
    const paused = await pausedAtOutbox(app, first.donationId);
    const answers = [deliverSuccess(first.paymentId)];
    try {
      await untilBlocked(app);
      answers.push(deliverSuccess(second.paymentId));
      await Promise.race([untilBlocked(app, 2), answers[1]]);
    } finally {
      await paused.release();
    }
    expect(await Promise.all(answers)).toEqual([[200], [200]]);
    expect(await world.reviewItems(second.donationId)).toEqual([
      expect.objectContaining({
        kind: 'paid_twice',
        detail: { payments: 2, otherDonation: first.donationId },
      }),
    ]);
  });
});

describe('pledges paid by their payment link', () => {
  let staff: Caller;

  beforeEach(async () => {
    staff = as(app, (await createStaff(app, admin.token, world.event.id)).token);
  });

  async function pledged() {
    const sent = { type: 'pledge', amount: 5000, eventId: world.event.id };
    const { id } = (await staff.post('/donations', sent).expect(201)).body as DonationBody;
    const { body: link } = await staff.post(`/donations/${id}/payment-link`).expect(201);
    const pledgeToken = new URL((link as { url: string }).url).searchParams.get('pledge');
    return { id, pledgeToken };
  }

  it('flags a pledge payment that succeeds while the till records the money', async () => {
    const { id, pledgeToken } = await pledged();
    const online = await intent(5000, { pledgeToken });
    app.sandbox.stripe.pay(online.paymentId);
    const paused = await pausedAtOutbox(app, id);
    // Supertest sends a request only when a caller waits for it. `Promise.resolve` sends it now.
    const till = Promise.resolve(staff.post(`/donations/${id}/fulfil`, { type: 'cash' }));
    let booked: ReturnType<typeof deliverSuccess>;
    try {
      await untilBlocked(app);
      booked = deliverSuccess(online.paymentId);
      await Promise.race([untilBlocked(app, 2), booked]);
    } finally {
      await paused.release();
    }
    expect((await till).status).toBe(200);
    expect(await booked).toEqual([200]);
    expect(await world.donation(id)).toMatchObject({ status: 'COMPLETED', type: 'cash' });
    expect(await world.donation(online.donationId)).toMatchObject({ status: 'COMPLETED' });
    expect(await world.reviewItems(online.donationId)).toEqual([
      expect.objectContaining({ kind: 'paid_twice', detail: { payments: 2, otherDonation: id } }),
    ]);
  });

  it('a payment link cannot pay a pledge after the till recorded the money', async () => {
    const { id, pledgeToken } = await pledged();
    await staff.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(200);
    const again = await world.call('POST', '/donations/intent', {
      amount: 5000,
      metadata: { eventId: world.event.id, pledgeToken },
    });
    expect(again).toMatchObject({ status: 409, body: { code: 'PLEDGE_NOT_OPEN' } });
  });
});
