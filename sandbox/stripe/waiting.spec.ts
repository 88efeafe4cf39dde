import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Stripe } from 'stripe';
import type { Sandbox } from '../server/sandbox.js';
import { startTestSandbox, stripeClient } from '../testing/clients.js';

describe('later steps of a payment in the Stripe sandbox', () => {
  let sandbox: Sandbox;
  let stripe: Stripe;

  beforeAll(async () => {
    sandbox = await startTestSandbox();
    stripe = stripeClient(sandbox);
  });
  afterEach(() => {
    sandbox.faults.clear();
  });
  afterAll(async () => {
    await sandbox.close();
  });

  const open = () => sandbox.stripe.createIntent({ amount: 2500, currency: 'eur' }).id;
  const paid = () => sandbox.stripe.createPaid({ amount: 2500, currency: 'eur' });
  const control = async (path: string, options: object = {}) => {
    const response = await fetch(`${sandbox.url}/sandbox/${path}`, {
      method: 'POST',
      body: JSON.stringify(options),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it.each([
    ['microdeposits', 'verify_with_microdeposits'],
    ['bank_transfer', 'display_bank_transfer_instructions'],
    ['pix', 'pix_display_qr_code'],
    ['swish', 'swish_handle_redirect_or_display_qr_code'],
  ] as const)('%s payments have the next action %s until they are paid', async (kind, type) => {
    const id = open();
    await control(`stripe/give-instructions/${id}`, { kind });
    const waiting = await stripe.paymentIntents.retrieve(id);
    expect(waiting).toMatchObject({ status: 'requires_action', next_action: { type } });
    expect(waiting.next_action?.[type as keyof Stripe.PaymentIntent.NextAction]).toBeInstanceOf(Object);
    expect(sandbox.stripe.pay(id)).toMatchObject({ status: 'succeeded', next_action: null });
  });

  it.each([
    ['customer_balance', 'display_bank_transfer_instructions'],
    ['pix', 'pix_display_qr_code'],
  ])('a confirmation with %s gets the next action %s', async (method, type) => {
    const id = open();
    const confirmed = await stripe.paymentIntents.confirm(id, {
      payment_method_data: { type: method as 'pix' },
      return_url: 'https://example.org/thanks',
    });
    expect(confirmed).toMatchObject({ status: 'requires_action', next_action: { type } });
  });

  it('an early fraud warning is listed with every field of its type', async () => {
    const { id, latest_charge: charge } = paid();
    const { body } = await control(`stripe/warn-of-fraud/${id}`, { fraudType: 'misc' });
    const warning: Stripe.Radar.EarlyFraudWarning = {
      id: String(body.id),
      object: 'radar.early_fraud_warning',
      actionable: true,
      charge: charge ?? '',
      created: Number(body.created),
      fraud_type: 'misc',
      livemode: false,
      payment_intent: id,
    };
    expect((await stripe.radar.earlyFraudWarnings.list({ payment_intent: id })).data).toEqual([warning]);
    expect(await stripe.radar.earlyFraudWarnings.retrieve(warning.id)).toMatchObject(warning);
    expect(sandbox.stripe.events().at(-1)).toMatchObject({
      type: 'radar.early_fraud_warning.created',
      data: { object: warning },
    });
  });

  it('a refund waits for the donor’s bank details, and is cancelled without them', async () => {
    const [given, kept] = [paid().id, paid().id];
    for (const id of [given, kept]) {
      sandbox.faults.add({ provider: 'stripe', operation: 'refunds.create', kind: 'requires_action' });
      const refund = await stripe.refunds.create({ payment_intent: id });
      expect(refund).toMatchObject({ status: 'requires_action', next_action: { type: 'display_details' } });
    }
    const idOf = (intent: string) => sandbox.stripe.refundsOf(intent)[0]?.id ?? '';
    expect(sandbox.stripe.payments().find(({ id }) => id === given)).toMatchObject({ refundPending: 2500 });
    expect(sandbox.stripe.settleRefund(idOf(given))).toMatchObject({ status: 'succeeded' });
    expect((await control(`stripe/cancel-refund/${idOf(kept)}`)).body).toMatchObject({ status: 'canceled' });
    expect(sandbox.stripe.payments().find(({ id }) => id === kept)).toMatchObject({ held: 2500 });
    // A cancelled refund can be made again.
    expect(sandbox.stripe.refund(kept)).toMatchObject({ status: 'succeeded' });
  });

  it('a failed debit leaves the balance unchanged', () => {
    const before = sandbox.stripe.balance().length;
    const id = open();
    sandbox.stripe.process(id, { method: 'sepa_debit' });
    expect(sandbox.stripe.decline(id).last_payment_error).toMatchObject({
      payment_method: { type: 'sepa_debit' },
    });
    const made = sandbox.stripe.balance().slice(before);
    expect(made.map(({ type, reporting_category }) => [type, reporting_category])).toEqual([
      ['payment', 'charge'],
      ['payment_failure_refund', 'charge_failure'],
    ]);
    expect(made.reduce((sum, { net }) => sum + net, 0)).toBe(0);
  });

  it('a payout can get its items later', async () => {
    paid();
    const { body } = await control('stripe/pay-out', { itemizedLater: true });
    expect(body).toMatchObject({ reconciliation_status: 'in_progress' });
    expect((await control(`stripe/itemize-payout/${String(body.id)}`)).body).toMatchObject({
      reconciliation_status: 'completed',
    });
    expect((await control(`stripe/itemize-payout/${String(body.id)}`)).status).toBe(400);
  });

  it('a call without the right gets an error that names the right', async () => {
    sandbox.faults.add({ provider: 'stripe', operation: '*', kind: 'forbidden', times: 0 });
    await expect(stripe.disputes.list()).rejects.toThrow("Having the 'rak_dispute_read' permission");
    await expect(stripe.refunds.create({ payment_intent: 'pi_1' })).rejects.toThrow("'rak_charge_write'");
  });
});
