import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { type DonationBody, type ListBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

const { app, admin, event } = withEvent({ start: startPaymentsApp });

const start = async (fields: object = {}) => {
  const metadata = { eventId: event.id, donorName: 'Ada Lovelace', donorEmail: 'ada@example.org' };
  const { body } = await app.http
    .post('/donations/intent')
    .send({ amount: 2500, currency: 'eur', metadata, ...fields })
    .expect(201);
  return body as { clientSecret: string; orderId: string; donationId: string };
};
const donation = async (id: string): Promise<DonationBody | undefined> => {
  const { body } = await admin.get('/donations?limit=200').expect(200);
  return (body as ListBody).data.find((one) => one.id === id);
};

describe('main payment flow', () => {
  it('a card payment reaches the total, the wall and the receipt', async () => {
    const wall = await WallClient.connect(app.url);
    try {
      expect(await wall.join(event.slug)).toMatchObject({ joined: true, eventId: event.id });
      const { clientSecret, donationId } = await start();
      expect(await donation(donationId)).toMatchObject({ status: 'PENDING', amount: 2500, type: 'card' });

      app.sandbox.stripe.pay(clientSecret);
      await app.sandbox.settled();

      expect(await donation(donationId)).toMatchObject({ status: 'COMPLETED', donorName: 'Ada Lovelace' });
      const { body: listed } = await app.http.get('/events/public').expect(200);
      expect(listed).toContainEqual(
        expect.objectContaining({ slug: event.slug, totalRaised: 2500, donorCount: 1 }),
      );
      await wall.until(({ created }) => created.length === 1, 'the donation');
      expect(wall.created[0]?.body).toEqual({
        id: donationId,
        eventId: event.id,
        amount: 2500,
        currency: 'eur',
        donorName: 'Ada Lovelace',
        createdAt: expect.any(String),
        sequence: 1,
      });
      const receipt = await admin.get(`/export/receipts/${donationId}`).buffer(true).expect(200);
      expect(receipt.headers['content-type']).toBe('application/pdf');
      expect((receipt.body as Buffer).subarray(0, 5).toString()).toBe('%PDF-');
      const { body: history } = await admin.get(`/donations/${donationId}/history`).expect(200);
      expect(history).toMatchObject([
        { from: null, to: 'PENDING', actor: 'donor' },
        { from: 'PENDING', to: 'COMPLETED', actor: 'provider' },
      ]);
    } finally {
      wall.close();
    }
  });

  it('refunds a card donation in part, then in full', async () => {
    const { clientSecret, donationId } = await start({ amount: 1000 });
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    const cancel = (fields: object) =>
      admin.post(`/donations/${donationId}/cancel`, fields).set('Idempotency-Key', newId());
    const part = await cancel({ shouldRefund: true, amount: 300 }).expect(200);
    expect(part.body).toMatchObject({
      status: 'COMPLETED',
      refundedAmount: 300,
      refund: { status: 'succeeded', amount: 300 },
    });
    await cancel({ shouldRefund: true, amount: 701 }).expect(409);
    const rest = await cancel({ shouldRefund: true }).expect(200);
    expect(rest.body).toMatchObject({ status: 'REFUNDED', refundedAmount: 1000 });
    await cancel({ shouldRefund: true }).expect(409);
    await app.sandbox.settled();
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('captures a wallet donation once, by the checkout page and the webhook event', async () => {
    const { orderId, donationId } = await start({ method: 'wallet' });
    const capture = () => app.http.post(`/donations/wallet/${orderId}/capture`);
    await capture().expect(409);
    app.sandbox.setDeliveryMode('manual');
    app.sandbox.paypal.approve(orderId);
    expect((await capture().expect(200)).body).toEqual({ donationId, status: 'COMPLETED' });
    app.sandbox.setDeliveryMode('auto');
    await app.sandbox.paypal.deliveries.flush('oldest-first');
    await app.sandbox.settled();
    expect((await capture().expect(200)).body).toEqual({ donationId, status: 'COMPLETED' });
    expect(await donation(donationId)).toMatchObject({ status: 'COMPLETED', type: 'wallet', amount: 2500 });
    expect(await keptTotals(app)).toEqual(await recount(app));
  });
});
