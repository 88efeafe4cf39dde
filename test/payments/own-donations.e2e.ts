import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/server/load-config.js';
import { TEST_SECRETS } from '../support/app.js';
import { errorBody } from '../support/bearer.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

const { app, admin, event } = withEvent({ start: startPaymentsApp });

interface Opened {
  readonly clientSecret: string;
  readonly orderId: string;
  readonly approveUrl: string;
  readonly donationId: string;
  readonly donorToken: string;
}

async function open(fields: Record<string, unknown> = {}, key?: string): Promise<Opened> {
  const request = app.http.post('/donations/intent');
  if (key !== undefined) request.set('Idempotency-Key', key);
  const metadata = { eventId: event.slug, donorName: 'Ada Lovelace', donorEmail: 'ada@example.org' };
  const { body } = await request.send({ amount: 2500, metadata, ...fields }).expect(201);
  return body as Opened;
}

const mine = async (token: string) => {
  const { body } = await app.http.get(`/donations/mine/${token}`).expect(200);
  return body as Record<string, unknown>;
};

const receipts = (allowed: boolean) =>
  admin.patch(`/events/${event.id}/settings`, { donation: { receiptDownload: allowed } }).expect(200);

describe('GET /settings/payments', () => {
  it('lists the payment methods with their public values and no secret', async () => {
    const { body, text } = await app.http.get('/settings/payments').expect(200);
    expect(body).toEqual({
      methods: [
        {
          provider: 'stripe',
          method: 'card',
          flow: 'form',
          label: 'Stripe',
          publishableKey: 'pk_test_sandbox',
          scriptUrl: `${app.sandbox.url}/stripe.js`,
          steps: expect.objectContaining({ kwd: 10 }),
        },
        {
          provider: 'paypal',
          method: 'wallet',
          flow: 'redirect',
          label: 'PayPal',
          currencies: expect.arrayContaining(['eur', 'usd']),
          steps: { huf: 100, twd: 100 },
        },
      ],
    });
    expect(text).not.toMatch(/secret|sk_/);
  });
});

describe('configuration of the card form', () => {
  const read = (variables: NodeJS.ProcessEnv) => () =>
    loadConfig({
      NODE_ENV: 'production',
      DATABASE_URL: 'postgresql://db/x',
      PUBLIC_URL: 'https://give.example.org',
      ...TEST_SECRETS,
      STRIPE_SECRET_KEY: 'sk_live_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      ...variables,
    });

  it('the server refuses another script address in production, because its host could read the cards', () => {
    expect(read({ STRIPE_JS_URL: 'https://cdn.example.org/stripe.js' })).toThrow('STRIPE_JS_URL');
    expect(read({ STRIPE_PUBLISHABLE_KEY: 'pk_live_1' })).not.toThrow();
  });

  it('the server refuses a secret key as publishable key', () => {
    expect(read({ STRIPE_PUBLISHABLE_KEY: 'sk_live_1' })).toThrow('STRIPE_PUBLISHABLE_KEY');
  });
});

describe('donor token of an intent', () => {
  it('a repeat under the same key gets the same donor token, another donation gets another one', async () => {
    const first = await open({}, 'repeat-1');
    expect((await open({}, 'repeat-1')).donorToken).toBe(first.donorToken);
    expect((await open()).donorToken).not.toBe(first.donorToken);
  });

  it('a donor token cannot be derived from the id or from another token', async () => {
    const { donationId, donorToken } = await open();
    const other = (await open()).donorToken;
    const mixed = donorToken.slice(0, 22) + other.slice(22);
    const changed = donorToken.slice(0, -1) + (donorToken.endsWith('A') ? 'B' : 'A');
    for (const token of [donationId, mixed, changed, `${donorToken}A`, 'x'])
      await app.http.get(`/donations/mine/${token}`).expect(404);
    await app.http.get(`/donations/mine/${donorToken}`).expect(200);
  });
});

describe('GET /donations/mine/:token', () => {
  it('the answer contains the amount and the event, and no names', async () => {
    const { donorToken } = await open();
    expect(await mine(donorToken)).toEqual({
      state: 'open',
      status: 'PENDING',
      amount: 2500,
      refundedAmount: 0,
      currency: 'eur',
      eventSlug: event.slug,
      eventName: 'Summer Gala',
      receipt: false,
      emailKnown: true,
      createdAt: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('returns "paid" without any webhook event, and books the payment once', async () => {
    const { clientSecret, donorToken, donationId } = await open();
    app.sandbox.setDeliveryMode('manual');
    try {
      app.sandbox.stripe.pay(clientSecret);
      expect(await mine(donorToken)).toMatchObject({ state: 'paid', status: 'COMPLETED' });
    } finally {
      app.sandbox.setDeliveryMode('auto');
    }
    await app.sandbox.stripe.deliveries.flush('oldest-first');
    await app.sandbox.settled();
    const { body } = await admin.get(`/donations/${donationId}/history`).expect(200);
    expect((body as { to: string }[]).map(({ to }) => to).sort()).toEqual(['COMPLETED', 'PENDING']);
  });

  it('distinguishes processing, failed and refunded donations', async () => {
    const { clientSecret, donorToken, donationId } = await open();
    app.sandbox.stripe.decline(clientSecret);
    await app.sandbox.settled();
    expect(await mine(donorToken)).toMatchObject({ state: 'failed', status: 'FAILED' });
    const slow = await open();
    app.sandbox.stripe.process(slow.clientSecret);
    expect(await mine(slow.donorToken)).toMatchObject({ state: 'processing', status: 'PENDING' });
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    await admin.post(`/donations/${donationId}/cancel`, { shouldRefund: true }).expect(200);
    expect(await mine(donorToken)).toMatchObject({ state: 'refunded', refundedAmount: 2500 });
  });

  it('returns "processing" instead of "unpaid" for an unknown payment status', async () => {
    app.sandbox.setDeliveryMode('manual');
    try {
      const card = await open();
      app.sandbox.stripe.nameStatus(card.clientSecret.split('_secret_')[0] ?? '', 'something_new');
      expect(await mine(card.donorToken)).toMatchObject({ state: 'processing', status: 'PENDING' });
      const wallet = await open({ method: 'wallet' });
      app.sandbox.paypal.approve(wallet.orderId);
      app.sandbox.paypal.onCapture(wallet.orderId, { outcome: 'pending' });
      await app.http.post(`/donations/wallet/${wallet.orderId}/capture`).expect(200);
      app.sandbox.paypal.nameStatus(wallet.orderId, 'SLEEPING');
      expect(await mine(wallet.donorToken)).toMatchObject({ state: 'processing', status: 'PENDING' });
    } finally {
      app.sandbox.setDeliveryMode('auto');
    }
  });

  it('returns "unconfirmed" while the provider does not answer, never "unpaid"', async () => {
    const { donorToken } = await open();
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'payment_intents.retrieve',
      kind: 'error',
      status: 500,
      times: 0,
    });
    try {
      expect(await mine(donorToken)).toMatchObject({ state: 'unconfirmed' });
    } finally {
      app.sandbox.faults.clear();
    }
  });

  it('does not capture an approved order, because only the donor may', async () => {
    const { orderId, donorToken } = await open({ method: 'wallet' });
    app.sandbox.setDeliveryMode('manual');
    try {
      app.sandbox.paypal.approve(orderId);
      expect(await mine(donorToken)).toMatchObject({ state: 'open' });
      expect(app.sandbox.paypal.payments().find(({ id }) => id === orderId)?.paid ?? 0).toBe(0);
    } finally {
      app.sandbox.setDeliveryMode('auto');
    }
  });
});

describe('return from a wallet', () => {
  it('the return from a wallet leads to the page of the event with the donor token', async () => {
    const { orderId, donorToken } = await open({ method: 'wallet' });
    const { returnUrl, cancelUrl } = app.sandbox.paypal.returnUrls(orderId);
    expect(returnUrl).toMatch(`/donate/${event.id}/thanks?donation=${donorToken}`);
    expect(cancelUrl).toMatch(`/donate/${event.id}?cancelled=1`);
  });
});

describe('GET /donations/mine/:token/receipt', () => {
  it('returns the receipt of a paid donation if the event allows it', async () => {
    const { clientSecret, donorToken } = await open();
    const path = `/donations/mine/${donorToken}/receipt`;
    const { body: off } = await app.http.get(path).expect(403);
    expect(off).toMatchObject({ code: 'RECEIPT_DOWNLOAD_OFF' });
    await receipts(true);
    await app.http.get(path).expect(409);
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    expect(await mine(donorToken)).toMatchObject({ receipt: true });
    await app.http.head(path).expect(200);
    const { headers, body } = await app.http.get(path).expect(200);
    expect(headers).toMatchObject({ 'content-type': 'application/pdf', 'cache-control': 'no-store' });
    expect((body as Buffer).subarray(0, 5).toString()).toBe('%PDF-');
    await receipts(false);
    await app.http.get(path).expect(403);
    await app.http.get('/donations/mine/nobody/receipt').expect(404);
  });
});

describe('POST /donations/mine/:token/cancel', () => {
  const cancel = (token: string) => app.http.post(`/donations/mine/${token}/cancel`);
  const paymentOf = ({ clientSecret }: Opened) => clientSecret.split('_secret_')[0] ?? '';

  it('cancels an unpaid payment at the provider, also while the bank waits for the donor, and a repeat changes nothing', async () => {
    const opened = await open();
    app.sandbox.stripe.requireAuthentication(paymentOf(opened));
    const { body } = await cancel(opened.donorToken).expect(200);
    expect(body).toMatchObject({ state: 'cancelled', status: 'CANCELLED' });
    expect(app.sandbox.stripe.intent(paymentOf(opened)).status).toBe('canceled');
    await cancel(opened.donorToken).expect(200);
  });

  it('refuses with 409 to cancel a paid donation or one that the bank is processing', async () => {
    const paid = await open();
    app.sandbox.stripe.pay(paymentOf(paid));
    const { body } = await cancel(paid.donorToken).expect(409);
    expect(body).toMatchObject({ statusCode: 409, code: 'DONATION_COMPLETED' });
    const processing = await open();
    app.sandbox.stripe.process(paymentOf(processing));
    await cancel(processing.donorToken).expect(409);
    expect(await mine(processing.donorToken)).toMatchObject({ state: 'processing' });
  });

  it('answers 404 to an unknown token', async () => {
    await cancel('x'.repeat(54)).expect(404);
  });
});

describe('POST /donations/mine/:token/email', () => {
  const save = (token: string, email: unknown) =>
    app.http.post(`/donations/mine/${token}/email`).send({ email });
  const openUnknown = () => open({ metadata: { eventId: event.slug, donorName: 'Ada Lovelace' } });

  it('saves the address of a paid donation once, as a change by the donor', async () => {
    const { clientSecret, donorToken, donationId } = await openUnknown();
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    expect(await mine(donorToken)).toMatchObject({ state: 'paid', emailKnown: false });
    const { body } = await save(donorToken, ' ada@example.net ').expect(200);
    expect(body).toMatchObject({ state: 'paid', emailKnown: true });
    expect(JSON.stringify(body)).not.toContain('ada@');
    const again = await save(donorToken, 'mallory@example.net').expect(409);
    expect(again.body).toEqual(errorBody(409, 'Conflict', 'EMAIL_KNOWN'));
    const { body: list } = await admin.get('/donations?search=ada@example.net').expect(200);
    expect((list as { data: object[] }).data).toMatchObject([
      { id: donationId, donorEmail: 'ada@example.net' },
    ]);
    const { body: history } = await admin.get(`/donations/${donationId}/history`).expect(200);
    expect(history).toContainEqual(
      expect.objectContaining({ actor: 'donor', actorId: null, fields: ['donorEmail'] }),
    );
  });

  it('refuses an invalid address, an unknown token, an unpaid donation and an event without this question', async () => {
    const { donorToken } = await openUnknown();
    for (const email of ['nobody', '', null, 7]) await save(donorToken, email).expect(400);
    await save('x'.repeat(54), 'ada@example.net').expect(404);
    await app.http.post(`/donations/mine/${donorToken}/cancel`).expect(200);
    const cancelled = await save(donorToken, 'ada@example.net').expect(409);
    expect(cancelled.body).toEqual(errorBody(409, 'Conflict', 'DONATION_NOT_OPEN'));
    const other = await openUnknown();
    const fields = (donorEmail: string) =>
      admin.patch(`/events/${event.id}/settings`, { donation: { fields: { donorEmail } } }).expect(200);
    await fields('hidden');
    const hidden = await save(other.donorToken, 'ada@example.net').expect(409);
    expect(hidden.body).toEqual(errorBody(409, 'Conflict', 'EMAIL_NOT_ASKED'));
    await fields('optional');
  });
});
