import { afterEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { BY_HAND, ReconciliationService } from '../../src/payments/reconciliation/reconciliation.service.js';
import { keptTotals, recount } from '../support/books.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

const { app, admin, event } = withEvent({
  start: () => startPaymentsApp({}, {}, undefined, { referee: true }),
});

afterEach(() => {
  app.sandbox.faults.clear();
  app.sandbox.setDeliveryMode('auto');
  expect(app.sandbox.referee.violations('request')).toEqual([]);
});

interface Donation {
  id: string;
  status: string;
  amount: number;
  refundedAmount: number;
}

const donation = async (paymentId: string): Promise<Donation | undefined> => {
  const { body } = await admin.get(`/donations?eventId=${event.id}&limit=200`).expect(200);
  const [row] = await sql<{ id: string }>(app, 'SELECT id FROM donation WHERE payment_id = $1', [paymentId]);
  return (body as { data: Donation[] }).data.find(({ id }) => id === row?.id);
};

const ordered = async (amount = 2500) => {
  const { body } = await app.http
    .post('/donations/intent')
    .send({
      amount,
      currency: 'eur',
      method: 'wallet',
      metadata: { eventId: event.id, donorEmail: 'ada@example.org' },
    })
    .expect(201);
  return body as { orderId: string; approveUrl: string; donationId: string };
};

const paid = async (amount = 2500) => {
  const order = await ordered(amount);
  app.sandbox.paypal.approve(order.orderId);
  await app.sandbox.settled();
  expect((await donation(order.orderId))?.status).toBe('COMPLETED');
  return order;
};

const comeBack = (orderId: string) =>
  app.http.get('/donations/wallet/return').query({ token: orderId, PayerID: 'X' });

const reconcile = () => app.app.get(ReconciliationService).run(BY_HAND);

/** Checks that the totals equal the sum of the rows, and that the rows equal PayPal's amounts. */
const expectTrueBooks = async () => {
  await app.sandbox.settled();
  expect(await keptTotals(app)).toEqual(await recount(app));
  const [row] = await sql<{ held: string }>(
    app,
    `SELECT coalesce(sum(amount - refunded_amount), 0)::text AS held FROM donation WHERE status = 'COMPLETED' AND type = 'wallet'`,
  );
  expect(Number(row?.held)).toBe(app.sandbox.paypal.netHeld('eur'));
};

describe('wallet donations', () => {
  it('the approval event alone captures the payment', async () => {
    await paid();
    await expectTrueBooks();
  });

  it('the return of the donor captures the payment without any event', async () => {
    app.sandbox.setDeliveryMode('manual');
    const { orderId } = await ordered();
    const early = await comeBack(orderId).expect(200);
    expect(early.text).toContain('Not paid');
    app.sandbox.paypal.approve(orderId);
    const { text, headers } = await comeBack(orderId).expect(200);
    expect(text).toContain('Your donation has arrived');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect((await donation(orderId))?.status).toBe('COMPLETED');
    expect((await comeBack(orderId)).text).toContain('has arrived');
    await app.sandbox.paypal.deliveries.flush('newest-first');
    await expectTrueBooks();
  });

  it('the return page explains every problem to the donor', async () => {
    const answers = { unknown: '5O190127TN364715T', injected: '"><script>' };
    expect((await comeBack(answers.unknown).expect(200)).text).toContain('belongs to no donation');
    expect((await comeBack(answers.injected).expect(200)).text).not.toContain('script');
    expect((await app.http.get('/donations/wallet/return?token=a&token=b').expect(200)).text).toContain(
      'no donation',
    );
    expect((await app.http.get('/donations/wallet/return').expect(200)).text).toContain('no donation');
    expect((await app.http.get('/donations/wallet/cancelled?token=X').expect(200)).text).toContain(
      'Not paid',
    );
    app.sandbox.setDeliveryMode('manual');
    const { orderId } = await ordered();
    app.sandbox.paypal.approve(orderId);
    app.sandbox.faults.add({ provider: 'paypal', operation: 'orders.capture', kind: 'rate_limit' });
    expect((await comeBack(orderId).expect(200)).text).toContain('confirmed shortly');
    app.sandbox.paypal.onCapture(orderId, { outcome: 'decline' });
    expect((await comeBack(orderId).expect(200)).text).toContain('Not paid');
    app.sandbox.paypal.onCapture(orderId, { outcome: 'pending' });
    expect((await comeBack(orderId).expect(200)).text).toMatch(/Not paid|confirmed shortly/);
    app.sandbox.paypal.completeCapture(orderId);
    await app.sandbox.paypal.deliveries.flush('shuffled');
    expect((await donation(orderId))?.status).toBe('COMPLETED');
    await expectTrueBooks();
  });

  it('reconciliation finds a payment whose events were all lost', async () => {
    app.sandbox.setDeliveryMode('manual');
    const { orderId } = await ordered();
    app.sandbox.paypal.approve(orderId);
    const made = app.sandbox.paypal.createCapturedOrder({
      amount: 700,
      currency: 'eur',
      custom_id: `event:${event.slug}`,
    });
    await reconcile();
    expect((await donation(orderId))?.status).toBe('COMPLETED');
    expect(await donation(made.id)).toMatchObject({ status: 'COMPLETED', amount: 700 });
    await app.sandbox.paypal.deliveries.flush('shuffled');
    await expectTrueBooks();
  });

  it('books a payment made by a checkout page once when many messages arrive at once', async () => {
    app.sandbox.setDeliveryMode('manual');
    const made = app.sandbox.paypal.createApprovedOrder({
      amount: 900,
      currency: 'eur',
      custom_id: event.id,
    });
    const [approval] = app.sandbox.paypal.deliveries.undelivered();
    await app.sandbox.paypal.deliveries.deliverAtOnce(approval ?? '', 20);
    await app.sandbox.paypal.deliveries.flush('shuffled');
    expect(await donation(made.id)).toMatchObject({ status: 'COMPLETED', amount: 900 });
    await expectTrueBooks();
  });

  it('counts a payment with a reversal, a partial refund and repeated queries correctly', async () => {
    const { orderId, donationId } = await paid(5000);
    app.sandbox.paypal.reverse(orderId, { amount: 1000 });
    app.sandbox.paypal.refund(orderId, { amount: 500 });
    await app.sandbox.settled();
    await admin
      .post(`/donations/${donationId}/cancel`)
      .set('Idempotency-Key', newId())
      .send({ shouldRefund: true, amount: 700 })
      .expect(200);
    await reconcile();
    expect(await donation(orderId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 2200 });
    await expectTrueBooks();
    app.sandbox.paypal.reverse(orderId);
    await app.sandbox.settled();
    expect(await donation(orderId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 5000 });
    await expectTrueBooks();
  });
});
