import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../support/fixtures.js';
import { STRIPE } from '../support/payments.js';
import { withPaymentWorld } from './with-world.js';

/** Refunds whose answers are lost, late or wrong. Each refund moves its money only once. */

const { app, world, stripe, paypal } = withPaymentWorld();

describe('refunds', () => {
  it('makes a refund once when its answer is lost and the request is repeated', async () => {
    world.mayStumble = true;
    const card = await world.paid('card');
    const wallet = await world.paid('wallet');
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

  it('finds an earlier refund at the provider before it sends a request with a forgotten key', async () => {
    world.mayStumble = true;
    const { donationId, paymentId } = await world.paid('card');
    app.sandbox.faults.add({ provider: 'stripe', operation: 'refunds.create', kind: 'error', times: 2 });
    const ask = () => world.cancel(donationId, { shouldRefund: true, amount: 300 }, `part of ${donationId}`);
    expect((await ask()).status).toBe(503);
    const id = await requested(donationId);
    // Makes the same refund as the first attempt, but with another key. So the provider does not recognise the first key, as
    // after a day.
    await refundElsewhere(paymentId, 300, id);
    await sql(app, `UPDATE refund SET created_at = now() - interval '2 days' WHERE id = $1`, [id]);
    expect((await ask()).body).toMatchObject({
      refundedAmount: 300,
      refund: { id, status: 'succeeded' },
    });
    expect(stripe().refundsOf(paymentId)).toHaveLength(1);
  });

  it('books a refund that the provider refuses because it exists already', async () => {
    world.mayStumble = true;
    const { donationId, paymentId } = await world.paid('card');
    app.sandbox.faults.add({ provider: 'stripe', operation: 'refunds.create', kind: 'error', times: 2 });
    expect((await world.cancel(donationId, { shouldRefund: true })).status).toBe(503);
    await refundElsewhere(paymentId, 1000, await requested(donationId));
    // The provider answers "already refunded". The service then reads the provider's list of refunds.
    await world.cancel(donationId, { shouldRefund: true });
    expect(await world.donation(donationId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 1000 });
  });

  it('does not confuse a full refund with a pending partial one', async () => {
    world.mayStumble = true;
    const { donationId, paymentId } = await world.paid('card');
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

  it('refuses an amount that the provider cannot refund before it saves the refund', async () => {
    const { donationId, paymentId } = await world.intent('card', 50_000, null, 'kwd');
    stripe().pay(paymentId);
    await world.deliverAll(Math.random);
    // In a currency with three decimals, the card processor requires 0 as the last one.
    const odd = await world.cancel(donationId, { shouldRefund: true, amount: 1231 });
    expect({ status: odd.status, code: odd.body.code }).toEqual({ status: 400, code: 'AMOUNT_NOT_PAYABLE' });
    expect(await sql(app, 'SELECT 1 FROM refund WHERE donation_id = $1', [donationId])).toEqual([]);
    expect((await world.cancel(donationId, { shouldRefund: true, amount: 1230 })).body).toMatchObject({
      refundedAmount: 1230,
      refund: { amount: 1230, status: 'succeeded' },
    });
  });

  it('a refund that fails after its success no longer counts, and the donation is COMPLETED again', async () => {
    const { donationId, paymentId } = await world.paid('card');
    await world.cancel(donationId, { shouldRefund: true });
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('REFUNDED');
    const [refund] = stripe().refundsOf(paymentId);
    stripe().failRefund(refund?.id ?? '');
    await world.deliverAll(Math.random);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 });
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED', 'REFUNDED', 'COMPLETED']);
    expect(await world.announcements(donationId)).toBe(1);
    expect(await world.reviewItems(donationId)).toEqual([
      expect.objectContaining({
        kind: 'refund_failed',
        advice: expect.stringContaining('contact the donor'),
      }),
    ]);
  });

  it('reads the failure of a refund from a charge event of an older Stripe API version', async () => {
    const { donationId, paymentId } = await world.paid('card');
    await world.cancel(donationId, { shouldRefund: true });
    await world.deliverAll(Math.random);
    const [refund] = stripe().refundsOf(paymentId);
    stripe().failRefund(refund?.id ?? '');
    const event = stripe().events().at(-1);
    const { status } = await sendCard({ ...event, id: 'evt_older_api', type: 'charge.refund.updated' });
    expect(status).toBe(200);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 });
    // The newer API sends another event about the same refund. This event changes nothing.
    await world.deliverAll(Math.random);
    expect(await world.path(donationId)).toEqual(['PENDING', 'COMPLETED', 'REFUNDED', 'COMPLETED']);
  });

  it('books one refund when its messages arrive before the answer to its request', async () => {
    const { donationId, paymentId } = await world.paid('card');
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

  it('a refund of a second payment for a donation leaves the first payment paid', async () => {
    const { donationId, paymentId } = await world.paid('card');
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

async function requested(donationId: string): Promise<string> {
  const [row] = await sql<{ id: string }>(
    app,
    `SELECT id FROM refund WHERE donation_id = $1 AND status = 'requested'`,
    [donationId],
  );
  if (!row) throw new Error('the refund is not saved');
  return row.id;
}

/** Sends a refund to the card processor. It has the id of the service's refund row but another key. */
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
