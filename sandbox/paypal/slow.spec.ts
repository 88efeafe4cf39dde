import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '../common/clock.js';
import type { Sandbox } from '../server/sandbox.js';
import { PayPalClient, startTestSandbox } from '../testing/clients.js';
import { Receiver } from '../testing/receiver.js';

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const text = (date: Date) => `${date.toISOString().slice(0, 19)}Z`;

interface Linked {
  links: { rel: string; href: string }[];
}

describe('the PayPal sandbox (slow parts)', () => {
  let sandbox: Sandbox;
  let paypal: PayPalClient;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await Receiver.start();
    sandbox = await startTestSandbox(receiver.url);
    paypal = new PayPalClient(sandbox.url);
    await paypal.signIn();
  });
  afterEach(async () => {
    sandbox.faults.clear();
    sandbox.clock.reset();
    sandbox.paypal.keepRefusals(false);
    await sandbox.settled();
    receiver.reset();
  });
  afterAll(async () => {
    await sandbox.close();
    await receiver.close();
  });

  const approved = () =>
    sandbox.paypal.createApprovedOrder({ amount: 2500, currency: 'EUR', custom_id: 'd-1' });
  const captured = () =>
    sandbox.paypal.createCapturedOrder({ amount: 2500, currency: 'EUR', custom_id: 'd-1' });
  const issue = (body: Record<string, unknown>) => (body.details as { issue: string }[])[0]?.issue;

  it('repeats a stored refusal for its request id, but not for another id', async () => {
    sandbox.paypal.keepRefusals();
    const { id } = approved();
    sandbox.paypal.onCapture(id, { outcome: 'decline' });
    const capture = (key: string, body: object = {}) =>
      paypal.post(`/v2/checkout/orders/${id}/capture`, body, { 'paypal-request-id': key });
    expect(issue((await capture('one')).body)).toBe('INSTRUMENT_DECLINED');
    sandbox.paypal.onCapture(id, { outcome: 'complete' });
    expect(issue((await capture('one')).body)).toBe('INSTRUMENT_DECLINED');
    expect(sandbox.paypal.order(id).status).toBe('APPROVED');
    expect(issue((await capture('one', { note: 'x' })).body)).toBe('DUPLICATE_REQUEST_ID');
    expect((await capture('two')).status).toBe(201);
    expect(issue((await capture('three')).body)).toBe('ORDER_ALREADY_CAPTURED');
    sandbox.clock.advance(7 * 3600 * 1000);
    expect(issue((await capture('one')).body)).toBe('ORDER_ALREADY_CAPTURED');
  });

  it('allows several captures of one order, each refundable', async () => {
    const { id } = approved();
    sandbox.paypal.capture(id, { amount: 1000, final: false });
    sandbox.paypal.capture(id, { amount: 1500 });
    sandbox.paypal.captureAgain(id, { amount: 300 });
    const captures = sandbox.paypal.capturesOf(id);
    expect(captures.map(({ amount }) => amount)).toEqual([1000, 1500, 300]);
    for (const capture of captures) {
      const { status } = await paypal.post(`/v2/payments/captures/${capture.id}/refund`, {});
      expect(status).toBe(201);
    }
    expect(sandbox.paypal.payments().find((payment) => payment.id === id)).toMatchObject({
      paid: 2800,
      held: 0,
    });
  });

  it('shows the fee of a capture', () => {
    const [unit] = captured().purchase_units;
    expect(unit?.payments?.captures[0]).toMatchObject({
      seller_receivable_breakdown: { paypal_fee: { value: '0.85' }, net_amount: { value: '24.15' } },
    });
  });

  it('creates orders that pay another account', async () => {
    const { id } = sandbox.paypal.createCapturedOrder({
      amount: 900,
      currency: 'EUR',
      merchantId: 'SOMEONE2ELSE3',
    });
    const { body } = await paypal.get(`/v2/checkout/orders/${id}`);
    expect(body.purchase_units).toMatchObject([{ payee: { merchant_id: 'SOMEONE2ELSE3' } }]);
  });

  it.each([403, 404] as const)('answers %i for hidden objects until they are revealed', async (status) => {
    const { id } = approved();
    sandbox.paypal.hide(id, { status });
    expect((await paypal.get(`/v2/checkout/orders/${id}`)).status).toBe(status);
    expect((await paypal.post(`/v2/checkout/orders/${id}/capture`, {})).status).toBe(status);
    sandbox.paypal.reveal(id);
    expect((await paypal.post(`/v2/checkout/orders/${id}/capture`, {})).status).toBe(201);
  });

  it('moves a dispute from an inquiry to a lost chargeback', async () => {
    const { id } = captured();
    const opened = sandbox.paypal.openDispute(id, {
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dueInDays: 2,
    });
    expect(opened).toMatchObject({
      dispute_life_cycle_stage: 'INQUIRY',
      status: 'WAITING_FOR_SELLER_RESPONSE',
    });
    sandbox.paypal.changeDispute(id, { status: 'UNDER_REVIEW' });
    sandbox.paypal.escalateDispute(id);
    const shown = await paypal.get(`/v1/customer/disputes/${opened.dispute_id}`);
    expect(shown.body).toMatchObject({
      dispute_life_cycle_stage: 'CHARGEBACK',
      dispute_amount: { value: '25.00' },
      seller_response_due_date: expect.any(String),
      money_movements: [{ reason: 'CHARGEBACK_FEE', amount: { value: '16.00' } }],
    });
    expect(sandbox.paypal.resolveDispute(id, { outcome: 'RESOLVED_BUYER_FAVOUR' })).toMatchObject({
      status: 'RESOLVED',
      dispute_outcome: { outcome_code: 'RESOLVED_BUYER_FAVOUR', amount_refunded: { value: '25.00' } },
      adjudications: [{ type: 'RECOVER_FROM_SELLER', dispute_life_cycle_stage: 'CHARGEBACK' }],
    });
    await sandbox.settled();
    expect(receiver.types()).toEqual(
      expect.arrayContaining([
        'CUSTOMER.DISPUTE.CREATED',
        'CUSTOMER.DISPUTE.UPDATED',
        'PAYMENT.CAPTURE.REVERSED',
        'CUSTOMER.DISPUTE.RESOLVED',
      ]),
    );
    expect(() => sandbox.paypal.escalateDispute(id)).toThrow(/resolved/);
  });

  it('lists disputes page by page', async () => {
    const ids = [1, 2, 3].map(() => sandbox.paypal.openDispute(captured().id).dispute_id);
    const seen: string[] = [];
    let path = '/v1/customer/disputes?page_size=2&dispute_state=OPEN_INQUIRIES';
    while (path !== '') {
      const { body } = await paypal.get(path);
      seen.push(...(body.items as { dispute_id: string }[]).map((item) => item.dispute_id));
      const next = (body as unknown as Linked).links.find(({ rel }) => rel === 'next');
      path = next ? next.href.slice(sandbox.url.length) : '';
    }
    expect(seen).toEqual([...ids].reverse());
  });

  it('searches transactions by date and page, in a range of at most 31 days', async () => {
    const made = sandbox.clock.at(daysAgo(40), () =>
      [1, 2, 3].map(() => sandbox.paypal.captureOf(captured().id).id),
    );
    sandbox.clock.at(daysAgo(39), () => sandbox.paypal.refund(made[0] ?? '', { amount: 500 }));
    const search = (from: number, to: number, more = '') =>
      paypal.get(
        `/v1/reporting/transactions?start_date=${text(daysAgo(from))}&end_date=${text(daysAgo(to))}${more}`,
      );
    expect((await search(41, 5)).status).toBe(400);
    const first = await search(41, 38, '&page_size=3');
    const second = await search(41, 38, '&page_size=3&page=2');
    expect(first.body).toMatchObject({ total_items: 4, total_pages: 2 });
    const infos = [first, second].flatMap(({ body }) =>
      (body.transaction_details as { transaction_info: Record<string, unknown> }[]).map(
        (row) => row.transaction_info,
      ),
    );
    expect(infos.slice(0, 3).map((info) => info.transaction_id)).toEqual(made);
    expect(infos[3]).toMatchObject({
      transaction_event_code: 'T1107',
      paypal_reference_id: made[0],
      transaction_amount: { value: '-5.00' },
    });
  });

  it('lists webhook events page by page, for 30 days', async () => {
    const types = (body: Record<string, unknown>) =>
      (body.events as { event_type: string }[]).map((event) => event.event_type);
    for (const days of [35, 6, 5]) sandbox.clock.at(daysAgo(days), captured);
    const window = `start_time=${text(daysAgo(36))}&end_time=${text(daysAgo(4))}`;
    const seen: string[] = [];
    let path = `/v1/notifications/webhooks-events?page_size=4&${window}`;
    while (path !== '') {
      const { body } = await paypal.get(path);
      seen.push(...types(body));
      const next = (body as unknown as Linked).links.find(({ rel }) => rel === 'next');
      path = next ? next.href.slice(sandbox.url.length) : '';
    }
    expect(seen.filter((type) => type === 'PAYMENT.CAPTURE.COMPLETED')).toHaveLength(2);
    expect(seen).toHaveLength(6);
  });

  it('can forbid the search to an app that may read payments', async () => {
    sandbox.faults.add({ provider: 'paypal', operation: 'transactions.list', kind: 'forbidden', times: 0 });
    expect(await paypal.get('/v1/reporting/transactions')).toMatchObject({
      status: 403,
      body: { name: 'NOT_AUTHORIZED' },
    });
    expect((await paypal.get(`/v2/checkout/orders/${captured().id}`)).status).toBe(200);
  });
});
