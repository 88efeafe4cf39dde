import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Stripe } from 'stripe';
import type { Sandbox } from '../server/sandbox.js';
import { PayPalClient, startTestSandbox, stripeClient } from '../testing/clients.js';
import type { Fault } from './faults.js';

describe('a sandbox fault', () => {
  let sandbox: Sandbox;
  let stripe: Stripe;
  let paypal: PayPalClient;

  beforeAll(async () => {
    sandbox = await startTestSandbox();
    stripe = stripeClient(sandbox, { timeout: 300 });
    paypal = new PayPalClient(sandbox.url);
    await paypal.signIn();
  });

  afterEach(() => {
    sandbox.faults.clear();
  });

  afterAll(async () => {
    await sandbox.close();
  });

  const arm = (fault: Omit<Fault, 'provider' | 'operation'>) =>
    sandbox.faults.add({ provider: 'stripe', operation: 'payment_intents.create', ...fault });

  const create = (idempotencyKey: string) =>
    stripe.paymentIntents.create({ amount: 1000, currency: 'eur' }, { idempotencyKey });

  const intents = () => sandbox.stripe.payments().length;

  it.each<[string, Omit<Fault, 'provider' | 'operation'>, object]>([
    ['a hanging answer', { kind: 'hang' }, { type: 'StripeConnectionError' }],
    ['an error', { kind: 'error' }, { type: 'StripeAPIError', statusCode: 500 }],
    ['an HTML page', { kind: 'html' }, { type: 'StripeAPIError' }],
    ['a rate limit', { kind: 'rate_limit' }, { type: 'StripeRateLimitError', statusCode: 429 }],
  ])('answers with %s before the effect, so that nothing is created', async (name, fault, error) => {
    const before = intents();
    arm(fault);
    await expect(create(`before ${name}`)).rejects.toMatchObject(error);
    expect(intents()).toBe(before);
    await create(`before ${name}`);
    expect(intents()).toBe(before + 1);
  });

  it.each<[string, Omit<Fault, 'provider' | 'operation'>]>([
    ['hanging', { kind: 'hang', after: true }],
    ['a 500', { kind: 'error', after: true }],
    ['an HTML page', { kind: 'html', after: true }],
    ['a cut connection', { kind: 'reset', after: true, times: 2 }],
  ])(
    'loses an answer by %s after the effect; a retry with the same key gets the answer',
    async (name, fault) => {
      const before = intents();
      arm(fault);
      await expect(create(`after ${name}`)).rejects.toThrow();
      expect(intents()).toBe(before + 1);
      const { id } = await create(`after ${name}`);
      expect(intents()).toBe(before + 1);
      expect(sandbox.stripe.payments().at(-1)?.id).toBe(id);
    },
  );

  it('cuts the connection before the effect', async () => {
    const before = intents();
    arm({ kind: 'reset', times: 2 });
    await expect(create('reset')).rejects.toMatchObject({ type: 'StripeConnectionError' });
    expect(intents()).toBe(before);
  });

  it('can store a 500 under its key, as Stripe does', async () => {
    arm({ kind: 'error', sticky: true });
    await expect(create('sticky')).rejects.toMatchObject({ statusCode: 500 });
    await expect(create('sticky')).rejects.toMatchObject({ statusCode: 500 });
    await expect(create('another')).resolves.toMatchObject({ amount: 1000 });
  });

  it('can change the amount in an answer', async () => {
    arm({ kind: 'wrong_amount', amount: 5 });
    expect((await create('wrong')).amount).toBe(5);
    expect(sandbox.stripe.payments().at(-1)).toMatchObject({ paid: 0 });

    const order = sandbox.paypal.createApprovedOrder({ amount: 2500, currency: 'EUR' });
    sandbox.faults.add({ provider: 'paypal', operation: 'orders.get', kind: 'wrong_amount' });
    const { body } = await paypal.get(`/v2/checkout/orders/${order.id}`);
    expect(body).toMatchObject({ purchase_units: [{ amount: { value: '25.01' } }] });
  });

  it('can send a huge answer', async () => {
    arm({ kind: 'huge', bytes: 3_000_000 });
    const response = await fetch(`${sandbox.url}/v1/payment_intents`, { method: 'POST' });
    expect((await response.text()).length).toBeGreaterThan(3_000_000);
  });

  it('hits only the configured number of calls, after the calls to skip', async () => {
    sandbox.faults.add({
      provider: 'paypal',
      operation: 'orders.get',
      kind: 'error',
      status: 503,
      times: 2,
      skip: 1,
    });
    const { id } = sandbox.paypal.createApprovedOrder({ amount: 2500, currency: 'EUR' });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      statuses.push((await paypal.get(`/v2/checkout/orders/${id}`)).status);
    }
    expect(statuses).toEqual([200, 503, 503, 200]);
    expect(sandbox.faults.list()).toEqual([]);
  });

  it('a fault with the option times: 0 affects every call until it is removed', async () => {
    sandbox.faults.add({ provider: 'paypal', operation: '*', kind: 'rate_limit', times: 0 });
    expect((await paypal.get('/v2/checkout/orders/X')).status).toBe(429);
    expect((await paypal.get('/v2/payments/refunds/X')).status).toBe(429);
    sandbox.faults.clear();
    expect((await paypal.get('/v2/checkout/orders/X')).status).toBe(404);
  });
});
