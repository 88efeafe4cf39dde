import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Sandbox } from '../server/sandbox.js';
import { PayPalClient, startTestSandbox } from '../testing/clients.js';
import { Referee } from './referee.js';
import { readSpecifications } from './specification.js';

const ORDER = {
  intent: 'CAPTURE',
  purchase_units: [{ custom_id: 'd-1', amount: { currency_code: 'EUR', value: '25.00' } }],
  payment_source: {
    paypal: { experience_context: { return_url: 'https://example.org/', user_action: 'PAY_NOW' } },
  },
};

describe("the referee with PayPal's API descriptions", () => {
  let sandbox: Sandbox;
  let paypal: PayPalClient;

  beforeAll(async () => {
    sandbox = await startTestSandbox(undefined, {}, { referee: true });
    paypal = new PayPalClient(sandbox.url);
    await paypal.signIn();
  });
  beforeEach(() => {
    sandbox.referee.clear();
    sandbox.faults.clear();
  });
  afterAll(() => sandbox.close());

  it('accepts every answer of the sandbox', async () => {
    const made = await paypal.post('/v2/checkout/orders', ORDER, { 'paypal-request-id': 'one' });
    const id = String(made.body.id);
    await paypal.get(`/v2/checkout/orders/${id}`);
    await paypal.post(`/v2/checkout/orders/${id}/capture`, {});
    sandbox.paypal.approve(id);
    sandbox.paypal.onCapture(id, { outcome: 'decline' });
    await paypal.post(`/v2/checkout/orders/${id}/capture`, {});
    sandbox.paypal.onCapture(id, { outcome: 'complete' });
    await paypal.post(`/v2/checkout/orders/${id}/capture`, {});
    await paypal.post(`/v2/checkout/orders/${id}/capture`, {});
    const capture = sandbox.paypal.captureOf(id).id;
    await paypal.get(`/v2/payments/captures/${capture}`);
    const part = { amount: { currency_code: 'EUR', value: '5.00' }, custom_id: 'r-1' };
    for (const prefer of ['return=minimal', 'return=representation']) {
      const given = await paypal.post(`/v2/payments/captures/${capture}/refund`, part, { prefer });
      await paypal.get(`/v2/payments/refunds/${String(given.body.id)}`);
    }
    sandbox.paypal.openDispute(capture, { stage: 'CHARGEBACK', amount: 1000 });
    sandbox.paypal.resolveDispute(capture, { outcome: 'RESOLVED_BUYER_FAVOUR' });
    const list = await paypal.get('/v1/customer/disputes');
    const [dispute] = list.body.items as { dispute_id: string }[];
    await paypal.get(`/v1/customer/disputes/${String(dispute?.dispute_id)}`);
    await paypal.get('/v1/customer/disputes?dispute_state=OPEN_INQUIRIES');
    const day = (offset: number) => sandbox.clock.timestamp(offset * 24 * 3600 * 1000);
    for (const [from, to] of [
      [-1, 1],
      [-9, -8],
    ] as const) {
      await paypal.get(`/v1/reporting/transactions?start_date=${day(from)}&end_date=${day(to)}&fields=all`);
    }
    await paypal.get('/v1/notifications/webhooks-events?page_size=2');
    const [event] = sandbox.paypal.events();
    await paypal.get(`/v1/notifications/webhooks-events/${String(event?.id)}`);
    await paypal.post(`/v1/notifications/webhooks-events/${String(event?.id)}/resend`, {});
    await paypal.get('/v2/checkout/orders/NONE');
    sandbox.paypal.hide(capture, { status: 403 });
    await paypal.get(`/v2/payments/captures/${capture}`);
    expect(sandbox.referee.violations()).toEqual([]);
    expect(Object.keys(sandbox.referee.judged())).toHaveLength(12);
  });

  it('accepts the objects in webhook events', () => {
    const order = sandbox.paypal.createCapturedOrder({
      amount: 2500,
      currency: 'EUR',
      custom_id: 'event:gala',
    });
    sandbox.paypal.refund(order.id, { amount: 500 });
    sandbox.paypal.openDispute(order.id);
    const schemas: Record<string, [file: string, name: string]> = {
      'checkout-order': ['checkout_orders_v2', 'order'],
      capture: ['payments_payment_v2', 'capture'],
      refund: ['payments_payment_v2', 'refund'],
      dispute: ['customer_disputes_v1', 'dispute'],
    };
    const events = sandbox.paypal.events();
    for (const { resource_type: type, resource } of events) {
      const [file, name] = schemas[type] ?? ['', type];
      expect(sandbox.referee.check(file, name, resource)).toEqual([]);
    }
    expect(new Set(events.map((event) => event.resource_type)).size).toBe(4);
  });

  it.each([
    ['an unknown field', { ...ORDER, purchase_unit: [] }, '/purchase_unit'],
    ['a misspelled nested field', withUnit({ custom_idd: 'x' }), '/purchase_units/0/custom_idd'],
    [
      'a value that breaks its pattern',
      withUnit({ amount: { currency_code: 'EUR', value: '25,00' } }),
      '/purchase_units/0/amount/value',
    ],
    ['a text that is too long', withUnit({ description: 'x'.repeat(128) }), '/purchase_units/0/description'],
    ['an unknown word', { ...ORDER, intent: 'GIVE' }, '/intent'],
  ])('reports %s in a request', async (_, body, where) => {
    await paypal.post('/v2/checkout/orders', body);
    expect(sandbox.referee.violations('request')).toContainEqual(expect.objectContaining({ where }));
  });

  it('reports wrong parameters', async () => {
    await paypal.post('/v2/checkout/orders', ORDER, { 'paypal-request-id': 'x'.repeat(109) });
    await paypal.get('/v1/notifications/webhooks-events?page=2');
    await paypal.get('/v1/reporting/transactions?start_date=yesterday');
    expect(sandbox.referee.violations('request').map(({ where }) => where)).toEqual(
      expect.arrayContaining(['PayPal-Request-Id', 'page', 'start_date', 'end_date']),
    );
  });

  it('reports a wrong status, field or value in an answer', () => {
    const referee = new Referee();
    const judge = (status: number, answer: unknown) =>
      referee.judge({
        method: 'GET',
        path: '/v2/payments/captures/2GG279541U471931P',
        query: new URLSearchParams(),
        headers: {},
        body: '',
        status,
        answer,
      });
    judge(200, { id: '2GG279541U471931P', status: 'COMPLETED' });
    expect(referee.violations()).toEqual([]);
    judge(200, { id: '2GG279541U471931P', status: 'DONE' });
    judge(200, { id: '2GG279541U471931P', amount: { currency_code: 'EUR', value: 25 } });
    judge(200, { id: '2GG279541U471931P', colour: 'red' });
    judge(202, {});
    expect(referee.violations('answer').map(({ where, problem }) => `${where} ${problem}`)).toEqual(
      expect.arrayContaining([
        '/status must be equal to one of the allowed values',
        '/amount/value must be string',
        '/colour is not described',
        ' the status 202 is not described',
      ]),
    );
  });

  it('checks every pattern, including patterns that are invalid under the u flag', () => {
    const patterns = new Set<string>();
    JSON.stringify(readSpecifications(), (name, value: unknown) => {
      if (name === 'pattern' && typeof value === 'string') patterns.add(value);
      return value;
    });
    expect(patterns.size).toBeGreaterThan(50);
    const isLoose = (pattern: string) => {
      try {
        return !(new RegExp(pattern, 'u') instanceof RegExp);
      } catch {
        return new RegExp(pattern) instanceof RegExp;
      }
    };
    const loose = [...patterns].filter(isLoose);
    expect(loose.length).toBeGreaterThan(0);

    const referee = new Referee();
    const problems = (custom: string) =>
      referee.check('reporting_transactions_v1', 'transaction_info', { custom_field: custom });
    expect(problems('a-b')).toEqual([]);
    expect(problems('a|b')).toEqual([expect.stringContaining('/custom_field must match pattern')]);
    expect(referee.loosePatterns.size).toBeGreaterThan(0);
    expect(loose).toEqual(expect.arrayContaining([...referee.loosePatterns]));
  });

  it('throws if it is off, instead of reporting no violations', async () => {
    const quiet = await startTestSandbox();
    expect(() => quiet.referee).toThrow(/off/);
    await quiet.close();
  });
});

function withUnit(fields: object) {
  return { ...ORDER, purchase_units: [{ ...ORDER.purchase_units[0], ...fields }] };
}
