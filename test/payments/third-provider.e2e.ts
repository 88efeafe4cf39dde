import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { apiDescription } from '../../src/server/api-description.js';
import { ConfigError } from '../../src/config/environment.js';
import { loadConfig } from '../../src/server/load-config.js';
import type { ProviderDefinition } from '../../src/payments/providers/provider-definition.js';
import { PROVIDERS } from '../../src/payments/providers/provider-registry.js';
import { BY_HAND, ReconciliationService } from '../../src/payments/reconciliation/reconciliation.service.js';
import { startApp, TEST_SECRETS } from '../support/app.js';
import { type DonationBody, errorBody } from '../support/bearer.js';
import { keptTotals, recount } from '../support/books.js';
import { adminToken, createEvent, sql } from '../support/fixtures.js';
import { type PaymentsApp, providerEnvironment, startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { bank as bankDefinition } from './bank-redirect/bank.definition.js';
import { Bank } from './bank-redirect/bank.js';

/** The provider registry with one more provider. */
const WITH_BANK: readonly ProviderDefinition[] = [...PROVIDERS, bankDefinition];

const bank = withOpened(() => Bank.start('bank-key', 'bank-secret'));
const { app, admin, event } = withEvent({ start: () => startPaymentsApp(bankEnvironment(), {}, WITH_BANK) });

const bankEnvironment = () => ({
  BANK_URL: bank.url,
  BANK_KEY: bank.key,
  BANK_WEBHOOK_SECRET: bank.webhookSecret,
});

afterEach(() => {
  bank.webhookUrl = undefined;
});

interface Intent {
  readonly clientSecret: string;
  readonly orderId: string;
  readonly approveUrl: string;
  readonly donationId: string;
}

const intent = (fields: object, amount = 2500) =>
  app.http.post('/donations/intent').send({ amount, metadata: { eventId: event.id }, ...fields });
const start = async (fields: object) => (await intent(fields).expect(201)).body as Intent;
const viaBank = () => start({ method: 'wallet', provider: 'bank' });
const bankCallsBack = () => {
  bank.webhookUrl = `${app.url}/donations/bank/webhook`;
};
const row = async (id: string) => {
  const [donation] = await sql<{ status: string; type: string; provider: string; refunded_amount: string }>(
    app,
    'SELECT status, type, provider, refunded_amount FROM donation WHERE id = $1',
    [id],
  );
  return donation;
};
/** Runs reconciliation. If the scheduled run is in progress, tries again. */
const reconcile = async () => {
  for (;;) {
    const report = await app.app.get(ReconciliationService).run(BY_HAND);
    if (report) return report;
    await sleep(50);
  }
};

describe('a third provider, added by one line', () => {
  it('the third provider accepts an intent, and its webhook event completes the donation', async () => {
    bankCallsBack();
    const { orderId, approveUrl, donationId } = await viaBank();
    expect(approveUrl).toBe(`${bank.url}/pay/${orderId}`);
    expect(bank.payment(orderId)).toMatchObject({ reference: donationId, amount: 2500, currency: 'eur' });
    expect(await row(donationId)).toMatchObject({ provider: 'bank', type: 'wallet', status: 'PENDING' });
    expect(await bank.pay(orderId)).toBe(200);
    expect(await row(donationId)).toMatchObject({ status: 'COMPLETED' });
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('the third provider accepts only its own signature over the unchanged bytes', async () => {
    const { orderId, donationId } = await viaBank();
    bank.payment(orderId).status = 'paid';
    const body = `{ "id":"event_by_hand",  "kind":"payment.paid", "payment":${JSON.stringify(orderId)} }`;
    const post = async (path: string, signature: string) =>
      (
        await fetch(`${app.url}/donations/${path}/webhook`, {
          method: 'POST',
          headers: { 'content-type': 'text/plain', 'bank-signature': signature },
          body,
        })
      ).status;
    expect(await post('bank', bank.signature(`${body} `))).toBe(400);
    expect(await post('cardprocessor', bank.signature(body))).toBe(400);
    expect(await post('wallet', bank.signature(body))).toBe(400);
    expect(await row(donationId)).toMatchObject({ status: 'PENDING' });
    expect(await post('bank', bank.signature(body))).toBe(200);
    expect(await row(donationId)).toMatchObject({ status: 'COMPLETED' });
  });

  it('the third provider refunds in part and in full, without requests to another provider', async () => {
    bankCallsBack();
    const { orderId, donationId } = await viaBank();
    await bank.pay(orderId);
    const others = JSON.stringify([app.sandbox.stripe.payments(), app.sandbox.paypal.payments()]);
    const cancel = (fields: object) =>
      admin.post(`/donations/${donationId}/cancel`, fields).set('Idempotency-Key', newId());
    expect((await cancel({ shouldRefund: true, amount: 500 }).expect(200)).body).toMatchObject({
      status: 'COMPLETED',
      refundedAmount: 500,
      refund: { status: 'succeeded', amount: 500 },
    });
    expect((await cancel({ shouldRefund: true }).expect(200)).body).toMatchObject({
      status: 'REFUNDED',
      refundedAmount: 2500,
    });
    expect(bank.payment(orderId).refunds.map(({ amount }) => amount)).toEqual([500, 2000]);
    expect(JSON.stringify([app.sandbox.stripe.payments(), app.sandbox.paypal.payments()])).toBe(others);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('the server cancels at the third provider before it cancels the donation', async () => {
    const { orderId, donationId } = await viaBank();
    await admin.post(`/donations/${donationId}/cancel`, { shouldRefund: false }).expect(200);
    expect(bank.payment(orderId).status).toBe('cancelled');
    const paid = await viaBank();
    bank.payment(paid.orderId).status = 'paid';
    await admin.post(`/donations/${paid.donationId}/cancel`, { shouldRefund: false }).expect(409);
    expect(await row(paid.donationId)).toMatchObject({ status: 'COMPLETED' });
  });

  it('reconciliation reads undelivered webhook events and unannounced payments of the third provider', async () => {
    const listed = await viaBank();
    const silent = await viaBank();
    await bank.pay(listed.orderId);
    bank.payment(silent.orderId).status = 'paid';
    await reconcile();
    for (const { donationId } of [listed, silent])
      expect(await row(donationId)).toMatchObject({ status: 'COMPLETED' });
    const handled = "SELECT kind, outcome FROM webhook_event WHERE provider = 'bank' AND donation_id = $1";
    expect(await sql(app, handled, [listed.donationId])).toEqual([
      { kind: 'payment.paid', outcome: 'booked' },
    ]);
    expect(await sql(app, handled, [silent.donationId])).toEqual([]);
    expect((await reconcile()).findings).toEqual([]);
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it("the server reads the state of a payment on the donor's return, without a capture step", async () => {
    const { orderId, donationId } = await viaBank();
    const back = async () =>
      (await app.http.get('/donations/wallet/return').query({ token: orderId }).expect(200)).text;
    expect(await back()).toContain('on its way');
    bank.payment(orderId).status = 'paid';
    expect(await back()).toContain('has arrived');
    expect(await row(donationId)).toMatchObject({ status: 'COMPLETED' });
    const capture = await app.http.post(`/donations/wallet/${orderId}/capture`).expect(200);
    expect(capture.body).toEqual({ donationId, status: 'COMPLETED' });
  });

  it('the third provider appears in the API description with its path and header', () => {
    const { post } = apiDescription(app.app).paths['/donations/bank/webhook'] ?? {};
    expect(post).toMatchObject({
      operationId: 'Payments_bankWebhook',
      parameters: [{ name: 'Bank-Signature', in: 'header', required: true }],
    });
  });

  it('only the webhook path of the third provider has no rate limit', async () => {
    const { limits } = loadConfig({ DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' });
    const small = await startApp(
      bankEnvironment(),
      { limits: { ...limits, perMinute: 3 } },
      undefined,
      WITH_BANK,
    );
    try {
      const statuses = async (path: string) => {
        const all = [];
        for (let sent = 0; sent < 6; sent++) all.push((await small.http.post(path).send({})).status);
        return all;
      };
      expect(await statuses('/donations/bank/webhook')).toEqual([400, 400, 400, 400, 400, 400]);
      expect(await statuses('/donations/bank/webhook/x')).toEqual([404, 404, 404, 429, 429, 429]);
    } finally {
      await small.close();
    }
  });
});

describe('several providers together', () => {
  it('each provider keeps its own donations, and refunds go to the original provider', async () => {
    bankCallsBack();
    const card = await start({});
    const wallet = await start({ method: 'wallet' });
    const bankTransfer = await viaBank();
    app.sandbox.stripe.pay(card.clientSecret);
    app.sandbox.paypal.approve(wallet.orderId);
    await bank.pay(bankTransfer.orderId);
    await app.sandbox.settled();
    const all = [card, wallet, bankTransfer];
    const rows = await Promise.all(all.map(({ donationId }) => row(donationId)));
    expect(rows).toMatchObject([
      { provider: 'stripe', type: 'card', status: 'COMPLETED' },
      { provider: 'paypal', type: 'wallet', status: 'COMPLETED' },
      { provider: 'bank', type: 'wallet', status: 'COMPLETED' },
    ]);
    for (const { donationId } of all) {
      const { body } = await admin
        .post(`/donations/${donationId}/cancel`, { shouldRefund: true })
        .expect(200);
      expect(body as DonationBody).toMatchObject({ status: 'REFUNDED' });
    }
    expect(bank.payment(bankTransfer.orderId).refunds).toHaveLength(1);
    expect(app.sandbox.paypal.refundsOf(wallet.orderId)).toHaveLength(1);
    expect(app.sandbox.stripe.refundsOf(card.clientSecret.split('_secret_')[0] ?? '')).toHaveLength(1);
    await app.sandbox.settled();
    expect(await keptTotals(app)).toEqual(await recount(app));
  });

  it('two providers of one method with the same payment id stay separate', async () => {
    bankCallsBack();
    const wallet = await start({ method: 'wallet' });
    bank.nextId = wallet.orderId;
    const other = await viaBank();
    expect(other.orderId).toBe(wallet.orderId);
    expect(await bank.pay(other.orderId)).toBe(200);
    expect(await row(other.donationId)).toMatchObject({ status: 'COMPLETED' });
    expect(await row(wallet.donationId)).toMatchObject({ status: 'PENDING' });
    app.sandbox.setDeliveryMode('manual');
    app.sandbox.paypal.approve(wallet.orderId);
    const { body } = await app.http.post(`/donations/wallet/${wallet.orderId}/capture`).expect(200);
    expect(body).toEqual({ donationId: wallet.donationId, status: 'COMPLETED' });
    app.sandbox.setDeliveryMode('auto');
    await app.sandbox.paypal.deliveries.flush();
    await app.sandbox.settled();
  });

  it('an intent uses the provider that it names, otherwise the first one of its method', async () => {
    expect(await row((await start({ method: 'wallet' })).donationId)).toMatchObject({ provider: 'paypal' });
    expect(await row((await start({ provider: 'bank' })).donationId)).toMatchObject({ provider: 'bank' });
    const named = await start({ method: 'card', provider: 'stripe' });
    expect(await row(named.donationId)).toMatchObject({ provider: 'stripe' });
    const code = async (fields: object) => ((await intent(fields).expect(400)).body as { code: string }).code;
    expect(await code({ provider: 'unheard_of' })).toBe('PROVIDER_UNKNOWN');
    expect(await code({ method: 'card', provider: 'bank' })).toBe('PROVIDER_OF_OTHER_METHOD');
    expect(await code({ provider: 7 })).toBe('VALIDATION_FAILED');
    // The service treats blank text as a missing value.
    await intent({ provider: '' }).expect(201);
    expect(await code({ provider: 'bank', currency: 'usd' })).toBe('AMOUNT_NOT_PAYABLE');
  });

  it('a repeated intent stays with its first provider, also when the default has changed', async () => {
    const key = 'default-changes-meanwhile';
    const body = { amount: 700, method: 'wallet', metadata: { eventId: event.id } };
    const send = (to: Pick<PaymentsApp, 'http'>) =>
      to.http.post('/donations/intent').set('Idempotency-Key', key).send(body);
    app.sandbox.faults.add({ provider: 'paypal', operation: 'orders.create', kind: 'error', times: 0 });
    await send(app).expect(503);
    app.sandbox.faults.clear();
    const bankFirst = await startApp(
      { ...bankEnvironment(), ...providerEnvironment(app.sandbox) },
      {},
      app.databaseUrl,
      [bankDefinition, ...PROVIDERS],
    );
    try {
      const { donationId, orderId } = (await send(bankFirst).expect(201)).body as Intent;
      expect(await row(donationId)).toMatchObject({ provider: 'paypal' });
      expect(app.sandbox.paypal.order(orderId)).toMatchObject({ id: orderId });
    } finally {
      await bankFirst.close();
    }
  });
});

describe('provider configuration', () => {
  const base = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none', ...TEST_SECRETS };
  const load = (environment: NodeJS.ProcessEnv) => loadConfig({ ...base, ...environment }, {}, WITH_BANK);

  it('the server start reports all configuration problems together and names each variable', () => {
    const wrong = () =>
      load({ BANK_KEY: 'k', STRIPE_SECRET_KEY: 'sk', PAYPAL_API_URL: 'ftp://x', PORT: 'x' });
    expect(wrong).toThrow(ConfigError);
    for (const problem of [
      'BANK_URL, BANK_WEBHOOK_SECRET must be set together with BANK_KEY',
      'STRIPE_WEBHOOK_SECRET must be set together with STRIPE_SECRET_KEY',
      'PAYPAL_API_URL must be an http(s) URL',
      'PORT',
    ])
      expect(wrong).toThrow(problem);
  });

  it('the server start warns in production about provider settings for tests', () => {
    const own = 'the bank of these tests moves no money';
    expect(load({ NODE_ENV: 'production' }).warnings).toContain(own);
    expect(load({}).warnings).not.toContain(own);
  });

  it('an incomplete provider is absent: its intents and webhooks answer 503', async () => {
    const plain = await startApp({}, {}, undefined, WITH_BANK);
    try {
      const { id } = await createEvent(plain, await adminToken(plain));
      const off = errorBody(503, 'Service Unavailable', 'PAYMENT_METHOD_OFF');
      const asked = { amount: 100, provider: 'bank', metadata: { eventId: id } };
      expect((await plain.http.post('/donations/intent').send(asked).expect(503)).body).toEqual(off);
      expect((await plain.http.post('/donations/bank/webhook').send({}).expect(503)).body).toEqual(off);
    } finally {
      await plain.close();
    }
  });

  it('the next provider of a method replaces an absent default provider', async () => {
    const only = await startApp(bankEnvironment(), {}, undefined, WITH_BANK);
    try {
      const { id } = await createEvent(only, await adminToken(only));
      const asked = { amount: 100, method: 'wallet', metadata: { eventId: id } };
      const { orderId } = (await only.http.post('/donations/intent').send(asked).expect(201)).body as Intent;
      expect(bank.payment(orderId)).toMatchObject({ amount: 100 });
    } finally {
      await only.close();
    }
  });
});
