import { beforeEach, describe, expect, it } from '@jest/globals';
import Stripe from 'stripe';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp, STRIPE } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

const stripe = new Stripe('sk_test_unused');

describe('signed Stripe events with missing or invalid fields', () => {
  const { app, event: gala } = withEvent({ start: startPaymentsApp });
  let next = 0;
  beforeEach(() => sql(app, 'DELETE FROM review_item'));

  const send = async (event: object) => {
    const payload = JSON.stringify(event);
    const header = stripe.webhooks.generateTestHeaderString({ payload, secret: STRIPE.webhookSecret });
    return await app.http
      .post('/donations/cardprocessor/webhook')
      .set('content-type', 'application/json')
      .set('cardprocessor-signature', header)
      .send(payload);
  };
  const eventOf = (type: string, object: unknown, more: object = {}) => ({
    id: `evt_odd_${String(++next)}`,
    type,
    created: Math.floor(Date.now() / 1000),
    data: { object },
    ...more,
  });
  const intent = {
    id: 'pi_odd',
    status: 'succeeded',
    amount_received: 500,
    currency: 'eur',
    metadata: {} as Record<string, unknown>,
  };
  const dispute = {
    id: 'dp_odd',
    payment_intent: 'pi_odd',
    amount: 5,
    currency: 'eur',
    status: 'needs_response',
  };
  const items = () =>
    sql<{ kind: string; subject: string; detail: { reason: string } }>(
      app,
      'SELECT kind, subject, detail FROM review_item',
    );

  it.each([
    ['no data', 'payment_intent.succeeded', undefined, { data: undefined }],
    ['no object', 'payment_intent.succeeded', undefined, {}],
    ['a null object', 'charge.refunded', null, {}],
    ['only an id', 'payment_intent.succeeded', { id: 'pi_odd' }, {}],
    ['no metadata', 'payment_intent.succeeded', { ...intent, metadata: undefined }, {}],
    ['metadata that is not text', 'payment_intent.succeeded', { ...intent, metadata: { eventId: 7 } }, {}],
    ['an amount that is not a number', 'payment_intent.succeeded', { ...intent, amount_received: '500' }, {}],
    ['a part of a cent', 'payment_intent.succeeded', { ...intent, amount_received: 0.5 }, {}],
    ['an amount of zero', 'payment_intent.succeeded', { ...intent, amount_received: 0 }, {}],
    ['a huge amount', 'payment_intent.succeeded', { ...intent, amount_received: 1e300 }, {}],
    ['no currency', 'payment_intent.succeeded', { ...intent, currency: null }, {}],
    ['a currency with a NUL', 'payment_intent.succeeded', { ...intent, currency: 'e\u0000r' }, {}],
    ['no time', 'payment_intent.succeeded', intent, { created: undefined }],
    ['a time out of range', 'payment_intent.canceled', intent, { created: 1e20 }],
    ['a failure without an intent', 'payment_intent.payment_failed', 'pi_odd', {}],
    [
      'a refund without an amount',
      'refund.created',
      { id: 're_odd', payment_intent: 'pi_odd', currency: 'eur' },
      {},
    ],
    [
      'a refund of zero',
      'refund.updated',
      { id: 're_odd', payment_intent: 'pi_odd', currency: 'eur', amount: 0 },
      {},
    ],
    [
      'a changed refund of an invalid payment id',
      'charge.refund.updated',
      { id: 're_odd', amount: 5, currency: 'eur', payment_intent: 7 },
      {},
    ],
    [
      'a dispute without a status',
      'charge.dispute.created',
      { id: 'dp_odd', payment_intent: 'pi_odd', amount: 5, currency: 'eur' },
      {},
    ],
    ['an id with a NUL', 'payment_intent.succeeded', { ...intent, id: 'pi_\u0000' }, {}],
    ['a charge with a NUL', 'payment_intent.succeeded', { ...intent, latest_charge: 'ch_\u0000' }, {}],
    ['a refund with a NUL', 'refund.created', { ...dispute, id: 're_\u0000' }, {}],
    ['a reason with a NUL', 'charge.dispute.created', { ...dispute, reason: '\u0000' }, {}],
    ['a status with a NUL', 'charge.dispute.created', { ...dispute, status: '\u0000' }, {}],
    [
      'a deadline out of range',
      'charge.dispute.created',
      { ...dispute, evidence_details: { due_by: 1e300 } },
      {},
    ],
    [
      'balance transactions that are not a list',
      'charge.dispute.created',
      { ...dispute, balance_transactions: 'none' },
      {},
    ],
    [
      'a fee that is not a number',
      'charge.dispute.created',
      { ...dispute, balance_transactions: [{ fee: 'much', currency: 'eur' }] },
      {},
    ],
    [
      'an invalid next action',
      'payment_intent.processing',
      { ...intent, status: 'requires_action', next_action: { type: 7 } },
      {},
    ],
  ])('answers 200 to an event with %s and raises a review item', async (_, type, object, more) => {
    const event = eventOf(type, object, more);
    expect((await send(event)).status).toBe(200);
    expect((await send(event)).status).toBe(200);
    const found = await items();
    expect(found).toMatchObject([{ kind: 'unsettled_event', subject: `stripe:${event.id}` }]);
    expect(found[0]?.detail.reason).toMatch(/\S/);
    expect(await sql(app, `SELECT 1 FROM donation WHERE payment_id = 'pi_odd'`)).toEqual([]);
  });

  it.each([
    ['a NUL', 'gala\u0000'],
    ['half of a character', 'gala\ud83d'],
  ])('lists a payment as unmatched if its event name contains %s', async (_, name) => {
    const paid = { ...intent, id: 'pi_unmatched', metadata: { eventId: name } };
    expect((await send(eventOf('payment_intent.succeeded', paid))).status).toBe(200);
    expect(await items()).toMatchObject([
      { kind: 'unmatched_payment', subject: 'stripe:pi_unmatched', detail: { event: 'gala\ufffd' } },
    ]);
  });

  it.each([
    ['an invalid id', { id: 5, type: 'payment_intent.succeeded' }],
    ['an id with a NUL', { id: 'evt_\u0000', type: 'payment_intent.succeeded' }],
    ['a very long type', { id: 'evt_odd', type: 'x'.repeat(5_000) }],
    ['a list as body', []],
  ])('answers 400 to an event with %s', async (_, event) => {
    const answer = await send(event);
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([400, 'WEBHOOK_BODY_INVALID']);
    expect(await items()).toEqual([]);
  });

  it('ignores the fields of unused event types, and books complete events', async () => {
    expect((await send(eventOf('invoice.created', null))).status).toBe(200);
    expect((await send(eventOf('charge.refunded', { payment_intent: null }))).status).toBe(200);
    expect(
      (await send(eventOf('payment_intent.succeeded', { ...intent, metadata: { eventId: gala.id } }))).status,
    ).toBe(200);
    expect(await items()).toEqual([]);
    expect(await sql(app, `SELECT amount::int, status FROM donation WHERE payment_id = 'pi_odd'`)).toEqual([
      { amount: 500, status: 'COMPLETED' },
    ]);
    await sql(app, `UPDATE donation SET payment_id = 'pi_even' WHERE payment_id = 'pi_odd'`);
  });
});
