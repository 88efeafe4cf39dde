import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Stripe } from 'stripe';
import { DAY_MS } from '../common/clock.js';
import type { Sandbox } from '../server/sandbox.js';
import { startTestSandbox, stripeClient } from '../testing/clients.js';
import { Receiver } from '../testing/receiver.js';

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

describe('the Stripe sandbox (slow parts)', () => {
  let sandbox: Sandbox;
  let stripe: Stripe;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await Receiver.start();
    sandbox = await startTestSandbox(receiver.url);
    stripe = stripeClient(sandbox);
  });
  afterEach(async () => {
    sandbox.faults.clear();
    sandbox.clock.reset();
    await sandbox.settled();
    receiver.reset();
  });
  afterAll(async () => {
    await sandbox.close();
    await receiver.close();
  });

  const open = () => sandbox.stripe.createIntent({ amount: 2500, currency: 'eur' });
  const paid = () => sandbox.stripe.createPaid({ amount: 2500, currency: 'eur' });

  it('shows a 3-D Secure page that redirects back with the result', async () => {
    for (const [action, status] of [
      ['authorize', 'succeeded'],
      ['fail', 'failed'],
    ] as const) {
      const { id, client_secret: secret } = open();
      const waiting = await stripe.paymentIntents.confirm(id, {
        payment_method: 'pm_card_authenticationRequired',
        return_url: 'https://example.org/thanks?x=1',
      });
      expect(waiting).toMatchObject({ status: 'requires_action', next_action: { type: 'redirect_to_url' } });
      const bank = waiting.next_action?.redirect_to_url?.url ?? '';
      expect(await (await fetch(bank)).text()).toContain('Authorize the payment');
      const answer = await fetch(`${bank}/${action}`, { method: 'POST', redirect: 'manual' });
      const back = new URL(answer.headers.get('location') ?? '');
      expect(Object.fromEntries(back.searchParams)).toEqual({
        x: '1',
        payment_intent: id,
        payment_intent_client_secret: secret,
        redirect_status: status,
      });
    }
    await sandbox.settled();
    expect(receiver.types()).toEqual(
      expect.arrayContaining(['payment_intent.requires_action', 'payment_intent.succeeded']),
    );
    const failed = JSON.parse(receiver.find('payment_intent.payment_failed').body);
    expect(failed.data.object.last_payment_error.code).toBe('payment_intent_authentication_failure');
  });

  it.each(['multibanco', 'oxxo', 'boleto'] as const)(
    'keeps a %s voucher open for days until it is paid or expires',
    async (kind) => {
      const [first, second] = [open().id, open().id];
      for (const id of [first, second]) sandbox.stripe.issueVoucher(id, { kind });
      sandbox.clock.advance(2 * DAY_MS);
      expect(await stripe.paymentIntents.retrieve(first)).toMatchObject({
        status: 'requires_action',
        next_action: { type: `${kind}_display_details` },
      });
      sandbox.stripe.process(first, { method: kind });
      expect(sandbox.stripe.pay(first)).toMatchObject({
        status: 'succeeded',
        amount_received: 2500,
        next_action: null,
      });
      expect(sandbox.stripe.expireVoucher(second)).toMatchObject({
        status: 'requires_payment_method',
        last_payment_error: { code: 'payment_intent_payment_attempt_expired' },
      });
    },
  );

  it('can receive an amount that differs from the intent', () => {
    const intent = sandbox.stripe.pay(open().id, { received: 2000 });
    expect(intent).toMatchObject({ amount: 2500, amount_received: 2000 });
    expect(sandbox.stripe.payments().find(({ id }) => id === intent.id)).toMatchObject({
      paid: 2000,
      held: 2000,
    });
  });

  it('lists refunds over several pages', async () => {
    const { id, latest_charge: charge } = paid();
    for (let round = 0; round < 12; round += 1) sandbox.stripe.refund(id, { amount: 100 });
    const first = await stripe.refunds.list({ payment_intent: id, limit: 5 });
    expect(first).toMatchObject({ has_more: true });
    const all = await stripe.refunds.list({ payment_intent: id, limit: 5 }).autoPagingToArray({ limit: 50 });
    expect(new Set(all.map((refund) => refund.id)).size).toBe(12);
    const shown = await stripe.charges.retrieve(charge ?? '', { expand: ['refunds'] });
    expect(shown.refunds).toMatchObject({ has_more: true });
    expect(shown.refunds?.data).toHaveLength(10);
  });

  it('lists payments, refunds, disputes and events of a time range in any order of creation', async () => {
    const recent = paid().id;
    const old = sandbox.clock.at(daysAgo(5), paid).id;
    const since = {
      gte: Math.floor(daysAgo(6).getTime() / 1000),
      lt: Math.floor(daysAgo(4).getTime() / 1000),
    };
    expect((await stripe.paymentIntents.list({ created: since })).data.map(({ id }) => id)).toEqual([old]);
    const [newest] = (await stripe.paymentIntents.list({ limit: 1 })).data;
    expect(newest?.id).toBe(recent);
    const { data } = await stripe.events.list({ created: since });
    expect(data.map(({ type }) => type)).toContain('payment_intent.succeeded');
  });

  it('deletes events after 30 days, and idempotency keys after one day', async () => {
    sandbox.clock.at(daysAgo(31), paid);
    const before = { lt: Math.floor(daysAgo(30).getTime() / 1000) };
    expect((await stripe.events.list({ created: before })).data).toEqual([]);
    const create = () =>
      stripe.paymentIntents.create({ amount: 900, currency: 'eur' }, { idempotencyKey: 'aged' });
    const first = await create();
    expect((await create()).id).toBe(first.id);
    sandbox.clock.advance(DAY_MS + 1000);
    expect((await create()).id).not.toBe(first.id);
  });

  it('repeats a stored 500 for its key, and refuses the key for other parameters', async () => {
    const { id } = paid();
    const refund = (amount: number, idempotencyKey: string) =>
      stripe.refunds.create({ payment_intent: id, amount }, { idempotencyKey, maxNetworkRetries: 0 });
    sandbox.faults.add({
      provider: 'stripe',
      operation: 'refunds.create',
      kind: 'error',
      sticky: true,
      after: true,
    });
    for (let round = 0; round < 2; round += 1)
      await expect(refund(100, 'stuck')).rejects.toMatchObject({ statusCode: 500 });
    expect(sandbox.stripe.refundsOf(id)).toHaveLength(1);
    await expect(refund(200, 'stuck')).rejects.toMatchObject({
      statusCode: 400,
      rawType: 'idempotency_error',
    });
    expect((await refund(200, 'other')).amount).toBe(200);
  });

  it('hides the objects of an earlier account', async () => {
    const { id } = paid();
    sandbox.stripe.changeAccount();
    await expect(stripe.paymentIntents.retrieve(id)).rejects.toMatchObject({ code: 'resource_missing' });
    await expect(stripe.refunds.create({ payment_intent: id })).rejects.toMatchObject({
      code: 'resource_missing',
    });
    expect((await stripe.events.list()).data).toEqual([]);
    sandbox.stripe.changeAccountBack();
    expect((await stripe.paymentIntents.retrieve(id)).id).toBe(id);
  });

  it('can forbid disputes to a key that reads payments', async () => {
    const { id } = paid();
    sandbox.faults.add({ provider: 'stripe', operation: 'disputes.list', kind: 'forbidden', times: 0 });
    await expect(stripe.disputes.list({ payment_intent: id })).rejects.toMatchObject({
      type: 'StripePermissionError',
      statusCode: 403,
    });
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('succeeded');
  });

  it('shows the fee of a payment, retrieved or expanded', async () => {
    const { id } = paid();
    const intent = await stripe.paymentIntents.retrieve(id, {
      expand: ['latest_charge.balance_transaction'],
    });
    const movement = (intent.latest_charge as Stripe.Charge).balance_transaction as Stripe.BalanceTransaction;
    expect(movement).toMatchObject({ amount: 2500, fee: 63, net: 2437, type: 'charge' });
    expect(await stripe.balanceTransactions.retrieve(movement.id)).toMatchObject({ fee: 63 });
    const { data } = await stripe.balanceTransactions.list({ source: movement.source as string });
    expect(data.map((each) => each.id)).toEqual([movement.id]);
  });

  it('moves a dispute through all its stages', async () => {
    const { id } = paid();
    const asked = sandbox.stripe.openDispute(id, { inquiry: true, dueInDays: 3 });
    expect(asked).toMatchObject({ status: 'warning_needs_response', balance_transactions: [] });
    sandbox.clock.advance(4 * DAY_MS);
    expect(await stripe.disputes.retrieve(asked.id)).toMatchObject({ evidence_details: { past_due: true } });
    expect(sandbox.stripe.submitEvidence(id).status).toBe('warning_under_review');
    const charged = sandbox.stripe.escalateDispute(id);
    expect(charged).toMatchObject({
      status: 'needs_response',
      balance_transactions: [{ amount: -2500, fee: 2000, net: -4500 }],
    });
    expect(charged.evidence_details.due_by).toBeGreaterThan(asked.evidence_details.due_by ?? 0);
    await stripe.disputes.update(asked.id, { evidence: { uncategorized_text: 'A gala evening' } });
    expect(await stripe.disputes.retrieve(asked.id)).toMatchObject({ status: 'under_review' });
    sandbox.stripe.winDispute(id);
    await sandbox.settled();
    const types = receiver.types().filter((type) => type.startsWith('charge.dispute.'));
    expect([...types].sort()).toEqual([
      'charge.dispute.closed',
      'charge.dispute.created',
      'charge.dispute.funds_reinstated',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.updated',
      'charge.dispute.updated',
      'charge.dispute.updated',
    ]);
    const closed = sandbox.stripe.openDispute(paid().id, { inquiry: true });
    expect(sandbox.stripe.loseDispute(closed.id).status).toBe('warning_closed');
  });

  it('lets a browser confirm its own intent with a publishable key, and nothing else', async () => {
    const { id, client_secret: secret } = open();
    const ask = (path: string, fields: Record<string, string>) =>
      fetch(`${sandbox.url}${path}`, {
        method: 'POST',
        body: new URLSearchParams({ key: sandbox.stripe.publishableKey, ...fields }),
      });
    const card = (number: string) => ({
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': number,
    });
    const path = `/v1/payment_intents/${id}/confirm`;
    expect((await ask(path, { client_secret: 'wrong', ...card('4242424242424242') })).status).toBe(404);
    const declined = await ask(path, { client_secret: secret, ...card('4000000000000002') });
    expect(declined.status).toBe(402);
    expect(declined.headers.get('access-control-allow-origin')).toBe('*');
    const done = await (await ask(path, { client_secret: secret, ...card('4000 0000 0000 0259') })).json();
    expect(done).toMatchObject({ status: 'succeeded' });
    expect(done).not.toHaveProperty('metadata');
    expect((await ask('/v1/refunds', { payment_intent: id })).status).toBe(401);
    sandbox.clock.advance(DAY_MS);
    expect(sandbox.stripe.disputesOf(id)).toMatchObject([{ status: 'needs_response' }]);
  });
});
