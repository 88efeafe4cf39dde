import { describe, expect, it } from '@jest/globals';
import { adminToken, createEvent, sql } from '../support/fixtures.js';
import { expectSettledBooks } from './invariants.js';
import type { ReviewItem } from './world.js';
import { as } from '../support/bearer.js';
import { withPaymentWorld } from './with-world.js';

const { app, admin, world } = withPaymentWorld({ check: 'none' });

type Item = ReviewItem & { readonly id: string };

/** Makes a payment for an event that does not exist. Returns its review item. */
async function unmatched(method: 'card' | 'wallet') {
  const id =
    method === 'card'
      ? app.sandbox.stripe.createPaid({
          amount: 1500,
          currency: 'eur',
          metadata: { eventId: 'no-such-event' },
        }).id
      : app.sandbox.paypal.createCapturedOrder({
          amount: 1500,
          currency: 'eur',
          custom_id: 'event:no-such-event',
        }).id;
  world.foreign.push(id);
  await world.deliverAll(Math.random);
  const [item] = (await world.reviewItems(id)) as Item[];
  if (!item) throw new Error(`no review item about ${id}`);
  return { paymentId: id, item };
}

const assign = (item: Item, eventId: string) =>
  world.call('POST', `/review-items/${item.id}/assign`, { eventId });

const openMessages = async (paymentId: string) =>
  await sql<{ outcome: string }>(
    app,
    'SELECT outcome FROM webhook_event WHERE payment_id = $1 AND donation_id IS NULL',
    [paymentId],
  );

describe('payments that match no event', () => {
  it.each(['card', 'wallet'] as const)(
    'a payment by %s becomes a donation once an admin assigns it, and its messages stay unhandled before',
    async (method) => {
      const { paymentId, item } = await unmatched(method);
      expect(item).toMatchObject({ kind: 'unmatched_payment', advice: expect.stringContaining('Assign it') });
      expect((await openMessages(paymentId)).length).toBeGreaterThan(0);

      const answer = await assign(item, world.event.id);
      expect(answer).toMatchObject({
        status: 200,
        body: { eventId: world.event.id, donationId: expect.any(String) },
      });
      expect(await world.donations()).toMatchObject([
        { id: answer.body.donationId, status: 'COMPLETED', amount: 1500, type: method },
      ]);
      expect(await world.reviewItems(paymentId)).toEqual([]);
      expect(await openMessages(paymentId)).toEqual([]);
      const audited = await sql<{ detail: Record<string, unknown> }>(
        app,
        `SELECT detail FROM audit_entry WHERE action = 'payment.assign' AND subject_id = $1`,
        [item.id],
      );
      expect(audited.map(({ detail }) => detail)).toEqual([{ payment: item.subject, event: world.event.id }]);
      // A second click and later messages change nothing.
      expect(await assign(item, world.event.slug)).toEqual(answer);
      for (const message of world.handed()) await world.deliver(message);
      await expectSettledBooks(app, world.event.id, [paymentId]);
    },
  );

  it('an assigned payment keeps its earlier refunds', async () => {
    const { paymentId, item } = await unmatched('card');
    app.sandbox.stripe.refund(paymentId, { amount: 400 });
    await world.deliverAll(Math.random);
    expect((await assign(item, world.event.id)).status).toBe(200);
    expect(await world.donations()).toMatchObject([{ status: 'COMPLETED', refundedAmount: 400 }]);
    await expectSettledBooks(app, world.event.id, [paymentId]);
  });

  it('a fully refunded payment leaves the list without an admin', async () => {
    const { paymentId } = await unmatched('card');
    app.sandbox.stripe.refund(paymentId);
    await world.deliverAll(Math.random);
    expect(await world.reviewItems(paymentId)).toEqual([]);
  });

  it('refuses assignment to an unknown or archived event, a second assignment, and assignment by an accountant', async () => {
    const { item } = await unmatched('card');
    expect(await assign(item, 'another-unknown-event')).toMatchObject({
      status: 404,
      body: { code: 'EVENT_NOT_FOUND' },
    });
    const archived = await createEvent(app, admin.token);
    await world.call('PATCH', `/events/${archived.id}`, { status: 'archived' });
    expect(await assign(item, archived.id)).toMatchObject({
      status: 409,
      body: { code: 'EVENT_TAKES_NO_DONATIONS' },
    });
    const accountant = await adminToken(app, 'ACCOUNTANT');
    const refused = await as(app, accountant).post(`/review-items/${item.id}/assign`, {
      eventId: world.event.id,
    });
    expect(refused.status).toBe(403);
    expect((await assign(item, world.event.id)).status).toBe(200);
    const other = await createEvent(app, admin.token);
    expect(await assign(item, other.id)).toMatchObject({ status: 409, body: { code: 'PAYMENT_ASSIGNED' } });
  });

  it('refuses assignment of an item that is no unmatched payment', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.stripe.pay(paymentId, { amount: 900 });
    await world.deliverAll(Math.random);
    const [item] = (await world.reviewItems(donationId)) as Item[];
    expect(item).toMatchObject({ kind: 'amount_mismatch' });
    expect(await assign(item as Item, world.event.id)).toMatchObject({
      status: 409,
      body: { code: 'REVIEW_ITEM_UNASSIGNABLE' },
    });
    // A fully refunded payment needs no action of an admin.
    await world.cancel(donationId, { shouldRefund: true });
    await world.deliverAll(Math.random);
    expect(await world.reviewItems(donationId)).toEqual([]);
  });
});
