import { afterEach, describe, expect, it } from '@jest/globals';
import { as, type Caller, type DonationBody } from '../support/bearer.js';
import { createEvent, createStaff, type EventFixture } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withService, withAdmin, withEvent } from '../support/setup.js';

/** The page offers a payment provider only if the provider supports the currency and the amount. */

function withCharity(environment: NodeJS.ProcessEnv = {}) {
  const app = withService(() => startPaymentsApp(environment));
  const admin = withAdmin(app);
  return {
    app,
    admin,
    eventIn: (currency: string) => createEvent(app, admin.token, { currency }),
    pledged: async (event: EventFixture, amount: number): Promise<{ id: string; staff: Caller }> => {
      const staff = as(app, (await createStaff(app, admin.token, event.id)).token);
      const sent = { type: 'pledge', amount, eventId: event.id };
      return { id: ((await staff.post('/donations', sent).expect(201)).body as DonationBody).id, staff };
    },
    page: async (path: string) => (await app.http.get(path).set('Accept', 'text/html').expect(200)).text,
  };
}

describe('a server with a card processor and PayPal', () => {
  const { app, admin, eventIn, pledged, page } = withCharity();

  it.each(['kwd', 'zar', 'inr', 'aed'])(
    'the donate page of an event in %s offers no PayPal, which does not support the currency',
    async (currency) => {
      const text = await page(`/donate/${(await eventIn(currency)).slug}`);
      expect(text).toContain('id="card"');
      expect(text).not.toContain('PayPal');
    },
  );

  it('the donate page offers both providers for a currency that both support', async () => {
    const text = await page(`/donate/${(await eventIn('eur')).slug}`);
    expect(text).toContain('id="card"');
    expect(text).toContain('PayPal');
  });

  it('GET /settings/payments returns the supported currencies of each provider', async () => {
    const { body } = await app.http.get('/settings/payments').expect(200);
    const { methods } = body as {
      methods: { provider: string; currencies?: string[]; steps: Record<string, number> }[];
    };
    const [card, wallet] = methods;
    expect(card).not.toHaveProperty('currencies');
    expect(card?.steps).toMatchObject({ kwd: 10, mga: 100 });
    expect(card?.steps).not.toHaveProperty('eur');
    expect(wallet?.currencies).toEqual(expect.arrayContaining(['eur', 'usd', 'huf', 'jpy']));
    for (const other of ['kwd', 'zar', 'inr', 'aed']) expect(wallet?.currencies).not.toContain(other);
    // PayPal accepts only whole forints and Taiwan dollars, although both have cents in ISO 4217.
    expect(wallet?.steps).toEqual({ huf: 100, twd: 100 });
  });

  it('refuses a payment link for a pledge whose amount no provider supports, and gives the reason', async () => {
    const { id, staff } = await pledged(await eventIn('kwd'), 1255);
    for (const caller of [staff, admin])
      expect((await caller.post(`/donations/${id}/payment-link`).expect(409)).body).toMatchObject({
        code: 'PLEDGE_NOT_PAYABLE',
        message: 'This amount cannot be paid online: kwd amounts must be a multiple of 10',
      });
  });

  it('a pledge whose amount only one provider supports is paid with that provider', async () => {
    const event = await eventIn('huf');
    const { id, staff } = await pledged(event, 1050);
    const { body } = await staff.post(`/donations/${id}/payment-link`).expect(201);
    const { pathname, search } = new URL((body as { url: string }).url);
    const text = await page(`${pathname}${search}`);
    expect(text).toContain('id="card"');
    expect(text).not.toContain('PayPal');
    // For a new donation of the same event, the page offers both providers.
    expect(await page(`/donate/${event.slug}`)).toContain('PayPal');
  });

  it('an event in a currency of one provider is created without a warning', async () => {
    for (const currency of ['kwd', 'eur']) expect(await eventIn(currency)).not.toHaveProperty('warning');
  });
});

describe('a server with PayPal only', () => {
  const { admin, eventIn, pledged, page } = withCharity({
    STRIPE_SECRET_KEY: '',
    STRIPE_WEBHOOK_SECRET: '',
    STRIPE_PUBLISHABLE_KEY: '',
    STRIPE_API_URL: '',
    STRIPE_JS_URL: '',
  });

  it('an event in a currency that PayPal does not support is created with a warning', async () => {
    const warning = 'Donations in kwd cannot be paid online: PayPal does not accept the currency kwd';
    const event = await eventIn('kwd');
    expect(event).toMatchObject({ currency: 'kwd', warning });
    expect(await page(`/donate/${event.slug}`)).not.toContain('PayPal');
    const inEuro = await eventIn('eur');
    expect(inEuro).not.toHaveProperty('warning');
    const changed = await admin.patch(`/events/${inEuro.id}`, { currency: 'kwd' }).expect(200);
    expect(changed.body).toMatchObject({ currency: 'kwd', warning });
    // A client may send the complete answer as its next request.
    const again = await admin.patch(`/events/${inEuro.id}`, { ...changed.body, name: 'Gala' }).expect(200);
    expect(again.body).toMatchObject({ name: 'Gala' });
  });

  it('refuses a payment link for a pledge whose amount PayPal does not support, and gives the reason', async () => {
    for (const [currency, amount, reason] of [
      ['huf', 1050, 'PayPal accepts only whole amounts in huf'],
      ['kwd', 1250, 'PayPal does not accept the currency kwd'],
    ] as const) {
      const { id, staff } = await pledged(await eventIn(currency), amount);
      expect((await staff.post(`/donations/${id}/payment-link`).expect(409)).body).toMatchObject({
        code: 'PLEDGE_NOT_PAYABLE',
        message: `This amount cannot be paid online: ${reason}`,
      });
    }
  });
});

describe('a card payment that succeeded without money', () => {
  const { app, admin, event } = withEvent({ start: startPaymentsApp });
  afterEach(() => {
    app.sandbox.faults.clear();
  });

  it('the cancellation of a payment without money leaves it open and raises a review item', async () => {
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 1000, metadata: { eventId: event.id } })
      .expect(201);
    const { donationId, clientSecret } = body as { donationId: string; clientSecret: string };
    app.sandbox.setDeliveryMode('manual');
    app.sandbox.stripe.pay(clientSecret);
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'payment_intents.retrieve',
      kind: 'wrong_amount',
      amount: 0,
      times: 0,
    });
    const { body: refused } = await admin
      .post(`/donations/${donationId}/cancel`, { shouldRefund: false })
      .expect(409);
    expect(refused).toMatchObject({ code: 'PAYMENT_UNDER_WAY' });
    const { body: items } = await admin.get('/review-items').expect(200);
    expect(items).toContainEqual(expect.objectContaining({ donationId }));
    expect((await admin.get(`/donations?eventId=${event.id}`).expect(200)).body).toMatchObject({
      data: [{ id: donationId, status: 'PENDING' }],
    });
  });
});
