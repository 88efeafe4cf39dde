import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  adminToken,
  createEvent,
  createStaff,
  type EventFixture,
  sql,
  type StaffFixture,
} from '../support/fixtures.js';
import { keptTotals, recount } from '../support/books.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments.js';

let app: PaymentsApp;
let token: string;
let event: EventFixture;
let staff: StaffFixture;

beforeAll(async () => {
  app = await startPaymentsApp();
  token = await adminToken(app);
  event = await createEvent(app, token);
  staff = await createStaff(app, token, event.id);
});
afterAll(() => app.close());

interface Donation {
  id: string;
  status: string;
  amount: number;
  [field: string]: unknown;
}

const list = async (query = '') => {
  const { body } = await app.http
    .get(`/donations?eventId=${event.id}${query}`)
    .auth(token, { type: 'bearer' })
    .expect(200);
  return body as { data: Donation[]; total: number; nextCursor: string | null };
};

const donation = async (id: string) => (await list('&limit=200')).data.find((one) => one.id === id);

describe('a card gift', () => {
  it('goes from intent to COMPLETED by a signed webhook', async () => {
    const { body } = await app.http
      .post('/donations/intent')
      .send({
        amount: 2500,
        currency: 'eur',
        metadata: { eventId: event.id, donorName: 'Ada', donorEmail: 'ada@example.org', foo: 'dropped' },
      })
      .expect(201);
    expect(body).toEqual({
      clientSecret: expect.stringMatching(/^pi_.*_secret_/),
      donationId: expect.any(String),
    });
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    expect((await donation(donationId))?.status).toBe('PENDING');
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    expect(await donation(donationId)).toMatchObject({
      status: 'COMPLETED',
      amount: 2500,
      type: 'card',
      donorName: 'Ada',
    });
    const { body: listed } = await app.http.get('/events/public').expect(200);
    expect(listed).toContainEqual(
      expect.objectContaining({ slug: event.slug, totalRaised: 2500, donorCount: 1 }),
    );
    const { body: history } = await app.http
      .get(`/donations/${donationId}/history`)
      .auth(token, { type: 'bearer' })
      .expect(200);
    expect(history).toMatchObject([
      { from: null, to: 'PENDING', actor: 'donor' },
      { from: 'PENDING', to: 'COMPLETED', actor: 'provider' },
    ]);
  });

  it('is refunded in part, then in full', async () => {
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 1000, currency: 'eur', metadata: { eventId: event.slug } })
      .expect(201);
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    const cancel = (fields: object) =>
      app.http.post(`/donations/${donationId}/cancel`).auth(token, { type: 'bearer' }).send(fields);
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
});

describe('a wallet gift', () => {
  it('is captured by the checkout page and confirmed by webhook, once', async () => {
    const { body } = await app.http
      .post('/donations/intent')
      .send({
        amount: 4200,
        currency: 'eur',
        method: 'wallet',
        metadata: { eventId: event.id, donorEmail: 'ADA@example.org' },
      })
      .expect(201);
    const { orderId, donationId } = body as { orderId: string; donationId: string };
    expect(body).toEqual({ orderId, donationId, approveUrl: expect.stringMatching(/^http/) });
    await app.http.post(`/donations/wallet/${orderId}/capture`).expect(409);
    app.sandbox.setDeliveryMode('manual');
    app.sandbox.paypal.approve(orderId);
    const captured = await app.http.post(`/donations/wallet/${orderId}/capture`).expect(200);
    expect(captured.body).toEqual({ donationId, status: 'COMPLETED' });
    app.sandbox.setDeliveryMode('auto');
    await app.sandbox.paypal.deliveries.flush('oldest-first');
    await app.sandbox.settled();
    expect(await donation(donationId)).toMatchObject({ status: 'COMPLETED', type: 'wallet' });
    expect(await keptTotals(app)).toEqual(await recount(app));
  });
});

describe('an offline gift', () => {
  it('is recorded by staff, once for each idempotency key', async () => {
    const record = (fields: object, key?: string) => {
      const request = app.http.post('/donations').auth(staff.token, { type: 'bearer' });
      return (key ? request.set('Idempotency-Key', key) : request).send(fields);
    };
    const first = await record(
      { amount: 500, type: 'cash', donorName: ' Grace ', donorEmail: '' },
      'k1',
    ).expect(201);
    expect(first.body).toMatchObject({
      eventId: event.id, amount: 500, currency: 'eur', status: 'COMPLETED', donorName: 'Grace', donorEmail: null,
      isAnonymous: false, staffId: staff.id, staffName: staff.name, refundedAmount: 0, receiptNumber: null,
    }); // prettier-ignore
    const again = await record(
      { type: 'cash', amount: 500, donorName: ' Grace ', donorEmail: '' },
      'k1',
    ).expect(201);
    expect(again.body).toEqual(first.body);
    await record({ amount: 501, type: 'cash' }, 'k1').expect(409);
    expect(await donation((first.body as Donation).id)).toEqual(first.body);
    const many = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        record({ amount: 100, type: 'cash', donorEmail: `d${(i % 20) % 7}@x.org` }, `b${i % 20}`),
      ),
    );
    expect(many.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 201));
    expect(new Set(many.map(({ body }) => (body as Donation).id)).size).toBe(20);
    expect(await keptTotals(app)).toEqual(await recount(app));
    const [count] = await sql<{ n: number }>(
      app,
      `SELECT count(*)::int AS n FROM outbox WHERE topic = 'donation.created' AND event_id = $1`,
      [event.id],
    );
    const completed = await sql<{ n: number }>(
      app,
      'SELECT count(*)::int AS n FROM donation WHERE completed_at IS NOT NULL AND event_id = $1',
      [event.id],
    );
    expect(count).toEqual(completed[0]);
  });

  it('as a pledge counts only when it is fulfilled', async () => {
    const pledge = await app.http
      .post('/donations')
      .auth(staff.token, { type: 'bearer' })
      .send({ amount: 900, type: 'pledge', donorName: 'P' })
      .expect(201);
    expect(pledge.body).toMatchObject({ status: 'PENDING', completedAt: null });
    const { id } = pledge.body as Donation;
    const done = await app.http
      .post(`/donations/${id}/fulfil`)
      .auth(staff.token, { type: 'bearer' })
      .send({ type: 'bank_transfer' })
      .expect(200);
    expect(done.body).toMatchObject({ status: 'COMPLETED', type: 'bank_transfer' });
    await app.http
      .post(`/donations/${id}/fulfil`)
      .auth(staff.token, { type: 'bearer' })
      .send({ type: 'cash' })
      .expect(409);
    const echoed = await app.http
      .patch(`/donations/${id}`)
      .auth(staff.token, { type: 'bearer' })
      .send({ ...(done.body as object), donorName: 'Q', donorEmail: 'q@x.org' })
      .expect(200);
    expect(echoed.body).toMatchObject({ donorName: 'Q', donorEmail: 'q@x.org' });
    await app.http
      .patch(`/donations/${id}`)
      .auth(staff.token, { type: 'bearer' })
      .send({ amount: 1 })
      .expect(400);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('pages by cursor without a gap', async () => {
    const all = (await list('&limit=200')).data.map(({ id }) => id);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof list>> = await list(
        `&limit=7${cursor ? `&cursor=${cursor}` : ''}`,
      );
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(all);
    expect((await list('&search=GRAC')).total).toBe(1);
    await app.http.get('/donations?limit=0').auth(token, { type: 'bearer' }).expect(400);
    await app.http.get('/donations?limit=1&limit=2').auth(token, { type: 'bearer' }).expect(400);
  });
});
