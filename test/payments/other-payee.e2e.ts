import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { BY_HAND, ReconciliationService } from '../../src/payments/reconciliation/reconciliation.service.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

const SOMEBODY = 'SOMEBODYELSE1';

const { app, admin, event } = withEvent({
  start: async () => {
    const first = await startPaymentsApp({ PAYPAL_MERCHANT_ID: 'TO8BEKNOWN123' });
    const own = first.sandbox.paypal.createApprovedOrder({ amount: 1, currency: 'eur' });
    await first.close();
    return await startPaymentsApp({ PAYPAL_MERCHANT_ID: own.purchase_units[0]?.payee.merchant_id ?? '' });
  },
});

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
  it('neither a reading of all payments nor a dispute books an order of another account', async () => {
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
    // The review item was created before the operator set the merchant id.
    await sql(
      app,
      "INSERT INTO review_item (id, kind, subject, detail) VALUES ($1, 'unmatched_payment', $2, '{}')",
      [id, `paypal:${order.id}`],
    );
    const { body } = await admin.post(`/review-items/${id}/assign`, { eventId: event.id }).expect(409);
    expect(body.code).toBe('PAYMENT_NOT_PAID');
    expect(await donations()).toEqual(before);
  });
});
