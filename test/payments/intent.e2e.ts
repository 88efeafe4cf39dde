import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { coveringFee } from '../../src/payments/intents/covered-fee.js';
import { startApp } from '../support/app.js';
import { type DonationBody, errorBody, type ListBody } from '../support/bearer.js';
import { adminToken, createEvent, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

const { app, admin, event } = withEvent({ start: startPaymentsApp });

const wanted = (fields: object = {}, metadata: object = {}) => ({
  amount: 2500,
  currency: 'eur',
  metadata: { eventId: event.id, donorName: 'Ada', donorEmail: `${newId()}@example.org`, ...metadata },
  ...fields,
});
const intent = (body: object, key?: string) => {
  const request = app.http.post('/donations/intent');
  return (key === undefined ? request : request.set('Idempotency-Key', key)).send(body);
};
const donation = async (id: string) => {
  const { body } = await admin.get('/donations?limit=200').expect(200);
  return (body as ListBody).data.find((one) => one.id === id) as DonationBody;
};

describe('POST /donations/intent', () => {
  it('returns the client secret of a PaymentIntent over the amount, and saves a PENDING donation', async () => {
    const { body } = await intent(wanted({}, { message: 'Hi', isAnonymous: true })).expect(201);
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    expect(await donation(donationId)).toMatchObject({
      eventId: event.id,
      amount: 2500,
      currency: 'eur',
      type: 'card',
      status: 'PENDING',
      donorName: 'Ada',
      isAnonymous: true,
      message: 'Hi',
      completedAt: null,
    });
    const paymentId = clientSecret.split('_secret_')[0] ?? '';
    expect(app.sandbox.stripe.intent(paymentId)).toMatchObject({
      amount: 2500,
      currency: 'eur',
      metadata: { donationId, eventId: event.id },
    });
  });

  it('sends no personal data and no unknown metadata to the provider', async () => {
    const { body } = await intent(
      wanted({}, { message: 'secret words', cardNumber: '4242', donorName: 'Hidden Name' }),
    ).expect(201);
    const paymentId = (body as { clientSecret: string }).clientSecret.split('_secret_')[0] ?? '';
    const sent = JSON.stringify(app.sandbox.stripe.intent(paymentId));
    for (const text of ['secret words', '4242', 'Hidden Name', '@example.org'])
      expect(sent).not.toContain(text);
  });

  it('returns a PayPal order with its approval page', async () => {
    const { body } = await intent(wanted({ method: 'wallet' })).expect(201);
    expect(body).toEqual({
      orderId: expect.any(String),
      approveUrl: expect.stringContaining('token='),
      donationId: expect.any(String),
      donorToken: expect.any(String),
    });
    expect(await donation((body as { donationId: string }).donationId)).toMatchObject({
      type: 'wallet',
      status: 'PENDING',
    });
  });

  it('finds the event by slug and uses its currency by default', async () => {
    const { body } = await intent(wanted({ currency: undefined }, { eventId: event.slug })).expect(201);
    expect(await donation((body as { donationId: string }).donationId)).toMatchObject({
      eventId: event.id,
      currency: 'eur',
    });
  });

  it('accepts other currencies in their own minor units, with codes in any case', async () => {
    const { body } = await intent(wanted({ amount: 5000, currency: 'JPY' })).expect(201);
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    expect(await donation(donationId)).toMatchObject({ amount: 5000, currency: 'jpy' });
    expect(app.sandbox.stripe.intent(clientSecret.split('_secret_')[0] ?? '')).toMatchObject({
      amount: 5000,
      currency: 'jpy',
    });
  });

  it.each([
    ['no amount', { amount: undefined }],
    ['an amount with decimals', { amount: 10.5 }],
    ['an amount of zero', { amount: 0 }],
    ['an unknown currency', { currency: 'xyz' }],
    ['a number as currency', { currency: 978 }],
    ['an unknown method', { method: 'cash' }],
    ['no metadata', { metadata: undefined }],
    ['metadata that is a list', { metadata: [] }],
    ['metadata in text', { metadata: 'x' }],
    ['no event id', { metadata: { donorName: 'Ada' } }],
    ['a bad e-mail address', { metadata: { eventId: 'x', donorEmail: 'nope' } }],
    ['an unknown field', { customer: 'cus_1' }],
  ])('refuses %s with a clear 400', async (_, fields) => {
    expect((await intent({ ...wanted(), ...fields }).expect(400)).body).toEqual(
      errorBody(400, 'Bad Request', 'VALIDATION_FAILED'),
    );
  });

  it.each([
    ['more than eight digits', { amount: 100_000_000 }],
    ['three decimals that do not end in 0', { amount: 1001, currency: 'kwd' }],
  ])('refuses an amount that the card processor cannot charge: %s', async (_, fields) => {
    expect((await intent(wanted(fields)).expect(400)).body).toEqual(
      errorBody(400, 'Bad Request', 'AMOUNT_NOT_PAYABLE'),
    );
  });

  it('accepts a Gift Aid declaration only with the name and address of the donor', async () => {
    await admin
      .patch(`/events/${event.id}/settings`, { donation: { fields: { giftAid: true, address: 'optional' } } })
      .expect(200);
    const declared = (fields: object) =>
      intent(
        wanted({}, { donorName: 'Ada', donorAddress: '1 High Street, Leeds', giftAid: true, ...fields }),
      );
    for (const missing of ['donorName', 'donorAddress'])
      expect((await declared({ [missing]: undefined }).expect(400)).body).toEqual(
        errorBody(400, 'Bad Request', 'GIFT_AID_INCOMPLETE'),
      );
    await declared({}).expect(201);
  });

  it('turns a refusal of the provider into a 400 and leaves no pending donation', async () => {
    const { body } = await intent(wanted({ amount: 10, currency: 'jpy' })).expect(400);
    expect(body).toEqual(errorBody(400, 'Bad Request', 'PAYMENT_REFUSED'));
    const { data } = (await admin.get('/donations?limit=1').expect(200)).body as ListBody;
    expect(data[0]).toMatchObject({ amount: 10, status: 'CANCELLED' });
  });

  it('answers 404 for unknown, draft and archived events, and 409 for paused and closed ones', async () => {
    await intent(wanted({}, { eventId: newId() })).expect(404);
    for (const [status, expected] of [
      ['draft', 404],
      ['paused', 409],
      ['closed', 409],
      ['archived', 404],
    ] as const) {
      const { id } = await createEvent(app, admin.token, status === 'draft' ? { status } : {});
      if (status !== 'draft') await admin.patch(`/events/${id}`, { status }).expect(200);
      await intent(wanted({}, { eventId: id })).expect(expected);
    }
  });

  it('enforces the accepted currencies and amount bounds of the event', async () => {
    const { id } = await createEvent(app, admin.token);
    await admin
      .patch(`/events/${id}/settings`, {
        payment: { acceptedCurrencies: ['eur', 'usd'] },
        donation: { minAmount: 500, maxAmount: 10_000 },
      })
      .expect(200);
    const code = async (fields: object) =>
      ((await intent(wanted(fields, { eventId: id })).expect(400)).body as { code: string }).code;
    expect(await code({ currency: 'gbp' })).toBe('CURRENCY_NOT_ACCEPTED');
    expect(await code({ amount: 499 })).toBe('AMOUNT_TOO_SMALL');
    expect(await code({ amount: 10_001 })).toBe('AMOUNT_TOO_LARGE');
    await intent(wanted({ currency: 'usd' }, { eventId: id })).expect(201);
    await intent(wanted({ amount: 500 }, { eventId: id })).expect(201);
  });

  it('applies the amount bounds to the donation without the added fee', async () => {
    const { id } = await createEvent(app, admin.token);
    const coverFee = { offer: true, basisPoints: 150, fixed: 25 };
    await admin
      .patch(`/events/${id}/settings`, { donation: { minAmount: 500, maxAmount: 10_000, coverFee } })
      .expect(200);
    const covering = (given: number) => {
      const coveredFee = coveringFee(given, coverFee);
      return intent(wanted({ amount: given + coveredFee }, { eventId: id, coveredFee }));
    };
    await covering(500).expect(201);
    await covering(10_000).expect(201);
    for (const [given, code] of [
      [499, 'AMOUNT_TOO_SMALL'],
      [10_001, 'AMOUNT_TOO_LARGE'],
    ] as const)
      expect((await covering(given).expect(400)).body).toMatchObject({ code });
    const pretended = wanted({ amount: 10_500 }, { eventId: id, coveredFee: 500 });
    expect((await intent(pretended).expect(400)).body).toMatchObject({ code: 'COVERED_FEE_WRONG' });
  });

  it('returns the same payment under the same Idempotency-Key, and 409 for another body', async () => {
    const key = newId();
    const body = wanted();
    const first = await intent(body, key).expect(201);
    expect((await intent(body, key).expect(201)).body).toEqual(first.body);
    await intent({ ...body, amount: 1 }, key).expect(409);
    const [kept] = await sql<{ answer: string }>(app, 'SELECT answer FROM idempotency_key WHERE key = $1', [
      key,
    ]);
    expect(kept?.answer).not.toContain('secret');
  });

  it('a repeated intent uses the same row and provider key when the provider gave no answer', async () => {
    const key = newId();
    const body = wanted();
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'payment_intents.create',
      kind: 'reset',
      after: true,
      times: 4,
    });
    const failed = await intent(body, key).expect(503);
    expect(failed.body).toEqual(errorBody(503, 'Service Unavailable', 'PROVIDER_UNAVAILABLE'));
    expect(Number(failed.headers['retry-after'])).toBeGreaterThan(0);
    app.sandbox.faults.clear();
    const { donationId } = (await intent(body, key).expect(201)).body as { donationId: string };
    const rows = await sql(app, 'SELECT id FROM donation WHERE donor_email = $1', [body.metadata.donorEmail]);
    expect(rows).toEqual([{ id: donationId }]);
    expect(
      app.sandbox.stripe
        .payments()
        .filter(({ id: one }) => app.sandbox.stripe.intent(one).metadata.donationId === donationId),
    ).toHaveLength(1);
  });
});

describe('a server without provider keys', () => {
  it('payment routes without provider keys answer 503', async () => {
    const plain = await startApp();
    try {
      const access = await adminToken(plain);
      const { id } = await createEvent(plain, access);
      const off = errorBody(503, 'Service Unavailable', 'PAYMENT_METHOD_OFF');
      for (const method of ['card', 'wallet'])
        expect(
          (
            await plain.http
              .post('/donations/intent')
              .send({ amount: 100, method, metadata: { eventId: id } })
              .expect(503)
          ).body,
        ).toEqual(off);
      expect((await plain.http.post('/donations/wallet/ORDER/capture').expect(503)).body).toEqual(off);
      for (const path of ['cardprocessor', 'wallet'])
        expect(
          (await plain.http.post(`/donations/${path}/webhook`).send({ id: 'evt_1' }).expect(503)).body,
        ).toEqual(off);
    } finally {
      await plain.close();
    }
  });
});

describe('rate limits against card testing', () => {
  it.each([
    ['address', { intentsPerAddress: 2 }, () => ({})],
    ['event', { intentsPerEvent: 2 }, () => ({})],
    ['e-mail', { intentsPerEmail: 2 }, () => ({ donorEmail: 'Same@example.org' })],
  ])('one %s may start only a limited number of payments', async (_, limit, metadata) => {
    const plenty = 1_000_000;
    const limits = {
      perMinute: plenty,
      authPerMinute: plenty,
      trustedFactor: 1,
      intentsPerAddress: plenty,
      intentsPerEvent: plenty,
      intentsPerEmail: plenty,
    };
    const small = await startPaymentsApp({}, { limits: { ...limits, ...limit } });
    try {
      const gala = await createEvent(small, await adminToken(small));
      const start = () =>
        small.http.post('/donations/intent').send({
          amount: 500,
          metadata: { eventId: gala.id, donorEmail: `${newId()}@example.org`, ...metadata() },
        });
      await start().expect(201);
      await start().expect(201);
      const refused = await start().expect(429);
      expect(refused.body).toEqual(errorBody(429, 'Too Many Requests', 'TOO_MANY_INTENTS'));
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    } finally {
      await small.close();
    }
  });
});
