import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { BY_HAND, ReconciliationService } from '../../src/payments/reconciliation/reconciliation.service.js';
import { adminToken, createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments.js';
import { as } from '../support/bearer.js';

const SOMEBODY = 'SOMEBODYELSE1';

let app: PaymentsApp;
let admin: string;
let event: EventFixture;

beforeAll(async () => {
  app = await startPaymentsApp({ PAYPAL_MERCHANT_ID: 'TO8BEKNOWN123' });
  const own = app.sandbox.paypal.createApprovedOrder({ amount: 1, currency: 'eur' });
  const merchantId = own.purchase_units[0]?.payee.merchant_id ?? '';
  await app.close();
  app = await startPaymentsApp({ PAYPAL_MERCHANT_ID: merchantId });
  admin = await adminToken(app);
  event = await createEvent(app, admin);
});
afterAll(() => app.close());

const theirs = (custom_id = `event:${event.slug}`) => {
  app.sandbox.setDeliveryMode('manual');
  return app.sandbox.paypal.createCapturedOrder({
    amount: 900,
    currency: 'eur',
    custom_id,
    merchantId: SOMEBODY,
  });
};

const donations = () => sql<{ payment_id: string }>(app, 'SELECT payment_id FROM donation ORDER BY id');

describe('orders that pay another account', () => {
  it('neither a walk through all payments nor a dispute books an order of another account', async () => {
    const foreign = theirs();
    const disputed = theirs();
    const ours = app.sandbox.paypal.createCapturedOrder({
      amount: 700,
      currency: 'eur',
      custom_id: `event:${event.slug}`,
    });
    app.sandbox.paypal.openDispute(app.sandbox.paypal.captureOf(disputed.id).id);
    app.sandbox.paypal.openDispute(app.sandbox.paypal.captureOf(ours.id).id);
    await app.app.get(ReconciliationService).run({ ...BY_HAND, since: new Date(Date.now() - 3_600_000) });
    expect(await donations()).toEqual([{ payment_id: ours.id }]);
    expect(await sql(app, 'SELECT payment_id FROM dispute')).toEqual([{ payment_id: ours.id }]);
    expect(foreign.status).toBe('COMPLETED');
  });

  it('refuses to assign an order of another account', async () => {
    const before = await donations();
    const order = theirs('event:no-such-event');
    const id = newId();
    // The review item is older than the configured merchant id.
    await sql(
      app,
      "INSERT INTO review_item (id, kind, subject, detail) VALUES ($1, 'unmatched_payment', $2, '{}')",
      [id, `paypal:${order.id}`],
    );
    const { body } = await as(app, admin)
      .post(`/review-items/${id}/assign`, { eventId: event.id })
      .expect(409);
    expect(body.code).toBe('PAYMENT_NOT_PAID');
    expect(await donations()).toEqual(before);
  });
});
