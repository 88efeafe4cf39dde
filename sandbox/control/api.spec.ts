import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Sandbox } from '../server/sandbox.js';
import { startTestSandbox } from '../testing/clients.js';
import { Receiver } from '../testing/receiver.js';

describe('the control API', () => {
  let sandbox: Sandbox;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await Receiver.start();
    sandbox = await startTestSandbox();
  });

  afterAll(async () => {
    await sandbox.close();
    await receiver.close();
  });

  const control = async (path: string, options?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${sandbox.url}/sandbox/${path}`, {
      method: 'POST',
      headers,
      ...(options !== undefined && { body: JSON.stringify(options) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const see = async (path: string) => (await fetch(`${sandbox.url}/sandbox/${path}`)).json();

  it('pays, refunds and disputes over HTTP', async () => {
    const { client_secret: secret } = sandbox.stripe.createIntent({ amount: 2500, currency: 'eur' });
    const paid = await control(`stripe/pay/${secret}`);
    expect(paid).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    const intent = String(paid.body.id);
    expect(await control(`stripe/pay/${intent}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'payment_intent_unexpected_state' } },
    });
    expect(await control(`stripe/refund/${intent}`, { amount: 500 })).toMatchObject({
      body: { amount: 500 },
    });
    await control(`stripe/open-dispute/${intent}`);
    await control(`stripe/lose-dispute/${intent}`);
    expect(await see('stripe/payments')).toMatchObject([
      { paid: 2500, refunded: 500, disputeLost: 2000, held: 0 },
    ]);
    expect(await see('stripe/net-held/eur')).toEqual({ currency: 'eur', amount: 0 });
  });

  it('pays with a method and a wallet over HTTP, in the currencies of the method', async () => {
    const intent = (currency: string) => sandbox.stripe.createIntent({ amount: 2500, currency }).id;
    const details = (id: unknown) =>
      fetch(`${sandbox.url}/v1/payment_intents/${String(id)}?expand[]=latest_charge`, {
        headers: { authorization: 'Bearer sk_test_1' },
      })
        .then((response) => response.json())
        .then((body) => (body as { latest_charge: { payment_method_details: unknown } }).latest_charge)
        .then((charge) => charge.payment_method_details);
    const swish = await control(`stripe/pay/${intent('sek')}`, { method: 'swish' });
    expect(await details(swish.body.id)).toMatchObject({ type: 'swish', swish: {} });
    const apple = await control(`stripe/pay/${intent('eur')}`, { wallet: 'apple_pay' });
    expect(await details(apple.body.id)).toMatchObject({
      type: 'card',
      card: { wallet: { type: 'apple_pay' } },
    });
    expect(await control(`stripe/pay/${intent('eur')}`, { method: 'twint' })).toMatchObject({
      status: 400,
      body: { error: { code: 'payment_intent_invalid_currency' } },
    });
    expect(await control(`stripe/pay/${intent('eur')}`, { wallet: 'purse' })).toMatchObject({ status: 400 });
  });

  it('approves, captures and reverses over HTTP', async () => {
    const { body } = await control('paypal/create-approved-order', {
      amount: 2500,
      currency: 'eur',
      custom_id: 'event:x',
    });
    const order = String(body.id);
    await control(`paypal/capture/${order}`, { amount: 2400 });
    await control(`paypal/reverse/${order}`, { amount: 400 });
    expect(await see('paypal/payments')).toMatchObject([{ customId: 'event:x', paid: 2400, held: 2000 }]);
    expect(await control('paypal/approve/NONE')).toMatchObject({ status: 404 });
  });

  it('sets webhook addresses, faults and the delivery mode over HTTP', async () => {
    await control('webhook-urls', { stripe: `${receiver.url}/hook` });
    await control('delivery-mode/manual');
    await control('stripe/create-paid', { amount: 1000, currency: 'EUR', metadata: { eventId: 'e-1' } });
    await control('stripe/flush', { order: 'newest-first' });
    await control('delivery-mode/auto');
    expect(receiver.types()[0]).toBe('payment_intent.succeeded');
    expect(receiver.messages[0]?.path).toBe('/hook');
    expect(await see('stripe/deliveries')).toMatchObject([{ state: 'delivered' }, {}, {}]);

    await control('faults', {
      provider: 'stripe',
      operation: 'refunds.create',
      kind: 'hang',
      ms: 5,
      times: 2,
    });
    expect(await see('faults')).toMatchObject([
      { operation: 'refunds.create', kind: 'hang', times: 2, ms: 5 },
    ]);
    await control('faults/clear');
    expect(await see('faults')).toEqual([]);
    expect(await control('settled')).toEqual({ status: 200, body: { ok: true } });
  });

  it.each([
    ['faults', { provider: 'visa', operation: '*', kind: 'hang' }],
    ['faults', { provider: 'stripe', operation: '*', kind: 'boom' }],
    ['faults', { provider: 'stripe', operation: '*', kind: 'hang', times: -1 }],
    ['stripe/create-paid', { amount: '5', currency: 'eur' }],
    ['stripe/refund/pi_x', { amount: 1.5 }],
    ['delivery-mode/sideways', {}],
    ['webhook-urls', { stripe: 'nowhere' }],
    ['settled', []],
  ])('answers 400 to POST %s %j', async (path, options) => {
    expect((await control(path, options)).status).toBe(400);
  });

  it('refuses unknown controls and requests from other sites', async () => {
    expect((await control('stripe/rob/bank')).status).toBe(404);
    const id = sandbox.stripe.createIntent({ amount: 2500, currency: 'eur' }).id;
    expect((await control(`stripe/pay/${id}`, {}, { origin: 'https://evil.example' })).status).toBe(400);
    expect(sandbox.stripe.intent(id).status).toBe('requires_payment_method');
  });

  it('returns the certificate authority of the webhook certificates', async () => {
    const response = await fetch(`${sandbox.url}/sandbox/paypal/ca.pem`);
    expect(await response.text()).toBe(sandbox.paypal.caPem);
  });
});
