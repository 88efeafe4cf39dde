import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandbox, type Sandbox } from './server.js';
import { PayPalClient, Receiver, startTestSandbox, stripeClient } from './testing.js';

describe('the control API and the pages', () => {
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

  it('turns webhooks, faults and the delivery mode over HTTP', async () => {
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

  it('knows no other controls, and none from other sites', async () => {
    expect((await control('stripe/rob/bank')).status).toBe(404);
    const id = sandbox.stripe.createIntent({ amount: 2500, currency: 'eur' }).id;
    expect((await control(`stripe/pay/${id}`, {}, { origin: 'https://evil.example' })).status).toBe(400);
    expect(sandbox.stripe.intent(id).status).toBe('requires_payment_method');
  });

  it('hands out the authority that signs webhook certificates', async () => {
    const response = await fetch(`${sandbox.url}/sandbox/paypal/ca.pem`);
    expect(await response.text()).toBe(sandbox.paypal.caPem);
  });

  describe('pages', () => {
    const press = (path: string, body = '') =>
      fetch(sandbox.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: sandbox.url },
        body,
        redirect: 'manual',
      });

    it('list what there is, escaped, under a policy without scripts', async () => {
      sandbox.stripe.createPaid({
        amount: 2500,
        currency: 'eur',
        metadata: { note: '<script>alert(1)</script>' },
      });
      const response = await fetch(sandbox.url);
      const text = await response.text();
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(text).toContain('€25.00');
      expect(text).not.toContain('<script>');
    });

    it('act by buttons, with sums as people write them', async () => {
      const { id } = sandbox.stripe.createPaid({ amount: 2500, currency: 'eur' });
      expect((await press(`/act/stripe/refund/${id}`, 'amount=3.50')).headers.get('location')).toBe('/');
      expect((await press(`/act/stripe/refund/${id}`, 'amount=')).status).toBe(303);
      expect(sandbox.stripe.refundsOf(id).map(({ amount }) => amount)).toEqual([350, 2150]);
      const refused = await press(`/act/stripe/refund/${id}`);
      expect(refused.status).toBe(409);
      expect(await refused.text()).toContain('already been refunded');
      expect((await press(`/act/stripe/refund/${id}`, 'amount=lots')).status).toBe(409);
    });

    it('let a donor pay by card or be declined', async () => {
      const { id } = sandbox.stripe.createIntent({ amount: 2500, currency: 'eur' });
      await press(`/pay/${id}/decline`);
      expect(await (await fetch(`${sandbox.url}/pay/${id}`)).text()).toContain('declined. You can try again');
      await press(`/pay/${id}/pay`);
      expect(await (await fetch(`${sandbox.url}/pay/${id}`)).text()).toContain('Thank you');
    });

    it('let a donor agree, and lead back to the shop', async () => {
      const paypal = new PayPalClient(sandbox.url);
      await paypal.signIn();
      const context = {
        return_url: 'https://charity.example/thanks?a=1',
        cancel_url: 'https://charity.example/oh',
      };
      const { status, body } = await paypal.post('/v2/checkout/orders', {
        intent: 'CAPTURE',
        purchase_units: [{ amount: { currency_code: 'EUR', value: '25.00' } }],
        payment_source: { paypal: { experience_context: context } },
      });
      const link = (body.links as { rel: string; href: string }[]).find(({ rel }) => rel === 'payer-action');
      expect([status, body.status]).toEqual([200, 'PAYER_ACTION_REQUIRED']);
      const page = await fetch(link?.href ?? '');
      expect(page.headers.get('content-security-policy')).toContain('https://charity.example');
      const left = await press(`/checkoutnow/${String(body.id)}/leave`);
      expect(left.headers.get('location')).toBe(`https://charity.example/oh?token=${String(body.id)}`);
      const agreed = await press(`/checkoutnow/${String(body.id)}/approve`);
      expect(agreed.headers.get('location')).toContain('https://charity.example/thanks?a=1&token=');
      expect(sandbox.paypal.order(String(body.id)).status).toBe('APPROVED');
    });

    it('say sorry for what is not there', async () => {
      expect((await fetch(`${sandbox.url}/nothing`)).status).toBe(404);
      expect((await fetch(`${sandbox.url}/pay/pi_none`)).status).toBe(404);
      expect((await fetch(`${sandbox.url}/checkoutnow?token=NONE`)).status).toBe(404);
    });
  });

  it('keeps its state in a file, and takes it up again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const options = {
      dataFile: join(folder, 'state', 'sandbox.json'),
      stripe: { secretKey: 'sk_test_1', webhookSecret: 'whsec_1' },
      paypal: { clientId: 'client', clientSecret: 'secret', webhookId: 'W' },
    };
    const first = await startSandbox(options);
    const made = await stripeClient(first).paymentIntents.create(
      { amount: 1000, currency: 'eur' },
      { idempotencyKey: 'k' },
    );
    first.stripe.pay(made.id);
    const order = first.paypal.createCapturedOrder({ amount: 500, currency: 'EUR' });
    await first.close();
    expect(await readFile(options.dataFile, 'utf8')).toContain(made.id);

    const second = await startSandbox(options);
    const again = await stripeClient(second).paymentIntents.create(
      { amount: 1000, currency: 'eur' },
      { idempotencyKey: 'k' },
    );
    expect(again.id).toBe(made.id);
    expect(second.stripe.netHeld('eur')).toBe(1000);
    expect(second.paypal.netHeld('eur')).toBe(500);
    expect(second.paypal.order(order.id).status).toBe('COMPLETED');
    expect(second.stripe.events()).toHaveLength(3);
    await second.close();
    await rm(folder, { recursive: true });
  });
});
