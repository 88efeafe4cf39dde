import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Sandbox } from '../server/sandbox.js';
import { PayPalClient, startTestSandbox } from '../testing/clients.js';

describe('the sandbox’s website', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startTestSandbox();
  });
  afterAll(() => sandbox.close());

  const press = (path: string, body = '') =>
    fetch(sandbox.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: sandbox.url },
      body,
      redirect: 'manual',
    });

  it('lists payments with escaped text, under a policy without scripts', async () => {
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

  it('runs controls by buttons and accepts amounts with decimals', async () => {
    const { id } = sandbox.stripe.createPaid({ amount: 2500, currency: 'eur' });
    expect((await press(`/act/stripe/refund/${id}`, 'amount=3.50')).headers.get('location')).toBe('/');
    expect((await press(`/act/stripe/refund/${id}`, 'amount=')).status).toBe(303);
    expect(sandbox.stripe.refundsOf(id).map(({ amount }) => amount)).toEqual([350, 2150]);
    const refused = await press(`/act/stripe/refund/${id}`);
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain('already been refunded');
    expect((await press(`/act/stripe/refund/${id}`, 'amount=lots')).status).toBe(409);
  });

  it('lets a donor pay by card, and shows a declined card', async () => {
    const { id } = sandbox.stripe.createIntent({ amount: 2500, currency: 'eur' });
    await press(`/pay/${id}/decline`);
    expect(await (await fetch(`${sandbox.url}/pay/${id}`)).text()).toContain('declined. You can try again');
    await press(`/pay/${id}/pay`);
    expect(await (await fetch(`${sandbox.url}/pay/${id}`)).text()).toContain('Thank you');
  });

  it('lets a donor approve an order, and redirects back to the shop', async () => {
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

  it('answers 404 for unknown pages and payments', async () => {
    expect((await fetch(`${sandbox.url}/nothing`)).status).toBe(404);
    expect((await fetch(`${sandbox.url}/pay/pi_none`)).status).toBe(404);
    expect((await fetch(`${sandbox.url}/checkoutnow?token=NONE`)).status).toBe(404);
  });
});
