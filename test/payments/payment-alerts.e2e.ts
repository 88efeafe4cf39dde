import { afterEach, describe, expect, it } from '@jest/globals';
import { withPaymentWorld } from '../money/with-world.js';

/** Problems of a payment that occur after the donor has left. The service must show them to an admin. */

const DAY = 86_400_000;

const { app, world, stripe } = withPaymentWorld({ check: 'answers' });
afterEach(() => {
  app.sandbox.clock.reset();
});

const items = async (kind: string, about: string) =>
  (await world.reviewItems(about)).filter((item) => item.kind === kind);

describe('debits that the bank refuses days later', () => {
  async function debited() {
    const donation = await world.intent('card', 1000);
    stripe().process(donation.paymentId, { method: 'sepa_debit' });
    await world.deliverAll(Math.random);
    return donation;
  }

  it('lists a refused debit, because the donor has left the page', async () => {
    const { donationId, paymentId } = await debited();
    app.sandbox.clock.advance(4 * DAY);
    stripe().decline(paymentId, { declineCode: 'insufficient_funds' });
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('FAILED');
    expect(await items('debit_failed', donationId)).toEqual([
      expect.objectContaining({
        subject: `stripe:${paymentId}`,
        detail: { amount: 1000, currency: 'eur', reason: 'insufficient_funds' },
        advice: expect.stringContaining('Tell the donor'),
      }),
    ]);
  });

  it('lists a refused debit found by reconciliation, also after the donation is cancelled', async () => {
    const { donationId, paymentId } = await debited();
    stripe().decline(paymentId);
    for (const message of world.waiting()) world.drop(message);
    await world.reconcile();
    await world.age(world.online);
    await world.reconcile();
    expect((await world.donation(donationId)).status).toBe('CANCELLED');
    expect(await items('debit_failed', donationId)).toHaveLength(1);
  });

  it('lists a refused debit also after an earlier declined card', async () => {
    const donation = await world.intent('card', 1000);
    stripe().decline(donation.paymentId);
    await world.deliverAll(Math.random);
    expect(await items('debit_failed', donation.donationId)).toEqual([]);
    stripe().process(donation.paymentId, { method: 'us_bank_account' });
    stripe().decline(donation.paymentId);
    await world.deliverAll(Math.random);
    expect(await items('debit_failed', donation.donationId)).toHaveLength(1);
  });

  it('removes a refused debit when the donor pays, and a later message does not list it again', async () => {
    const { donationId, paymentId } = await debited();
    stripe().decline(paymentId);
    const failure = world.message('payment_intent.payment_failed', paymentId);
    await world.deliver(failure);
    expect(await items('debit_failed', donationId)).toHaveLength(1);
    stripe().pay(paymentId);
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    expect(await items('debit_failed', donationId)).toEqual([]);

    const other = await debited();
    stripe().decline(other.paymentId);
    stripe().pay(other.paymentId);
    await world.deliver(world.message('payment_intent.succeeded', other.paymentId));
    await world.deliverAll(Math.random);
    expect(await items('debit_failed', other.donationId)).toEqual([]);
  });

  it('declined cards and unpaid vouchers are not listed as refused debits', async () => {
    const card = await world.intent('card', 1000);
    stripe().decline(card.paymentId);
    const voucher = await world.intent('card', 1000);
    stripe().issueVoucher(voucher.paymentId);
    stripe().expireVoucher(voucher.paymentId);
    await world.deliverAll(Math.random);
    for (const { donationId } of [card, voucher]) {
      expect((await world.donation(donationId)).status).toBe('FAILED');
      expect(await world.reviewItems(donationId)).toEqual([]);
    }
  });

  it('lists a debit whose micro-deposits the donor never confirmed', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().giveInstructions(paymentId, { kind: 'microdeposits' });
    stripe().failVerification(paymentId);
    await world.deliverAll(Math.random);
    expect(await items('debit_failed', donationId)).toMatchObject([
      { detail: { reason: 'payment_method_microdeposit_verification_timeout' } },
    ]);
  });

  it('lists a PayPal capture denied after days, but no capture declined at once', async () => {
    const { paypal } = app.sandbox;
    const donated = async () => {
      const donation = await world.intent('wallet', 1000);
      paypal.approve(donation.paymentId);
      paypal.onCapture(donation.paymentId, { outcome: 'pending', reason: 'ECHECK' });
      await world.deliverAll(Math.random);
      return donation;
    };
    const [late, atOnce] = [await donated(), await donated()];
    paypal.denyCapture(atOnce.paymentId);
    app.sandbox.clock.advance(6 * DAY);
    paypal.denyCapture(late.paymentId);
    app.sandbox.clock.reset();
    await world.deliverAll(Math.random);
    for (const { donationId } of [late, atOnce])
      expect((await world.donation(donationId)).status).toBe('FAILED');
    expect(await items('debit_failed', late.donationId)).toHaveLength(1);
    expect(await items('debit_failed', atOnce.donationId)).toEqual([]);
  });
});

describe('early fraud warnings', () => {
  async function warned() {
    const donation = await world.intent('card', 1000);
    stripe().pay(donation.paymentId);
    await world.deliverAll(Math.random);
    stripe().warnOfFraud(donation.paymentId, { fraudType: 'made_with_stolen_card' });
    return donation;
  }

  it('lists an early fraud warning with the advice to refund, until the refund', async () => {
    const { donationId, paymentId } = await warned();
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    expect(await items('fraud_warning', donationId)).toEqual([
      expect.objectContaining({
        subject: `stripe:${paymentId}`,
        detail: { amount: 1000, currency: 'eur', reason: 'made_with_stolen_card' },
        advice: expect.stringContaining('Refund the donation now'),
        actions: expect.arrayContaining([
          expect.objectContaining({ action: 'refund', path: `/donations/${donationId}/cancel` }),
        ]),
      }),
    ]);
    expect((await world.cancel(donationId, { shouldRefund: true })).status).toBe(200);
    await world.deliverAll(Math.random);
    expect(await items('fraud_warning', donationId)).toEqual([]);
  });

  it('a dispute replaces the early fraud warning', async () => {
    const { donationId, paymentId } = await warned();
    await world.deliverAll(Math.random);
    stripe().openDispute(paymentId);
    await world.deliverAll(Math.random);
    expect((await world.reviewItems(donationId)).map(({ kind }) => kind)).toEqual(['dispute']);
  });

  it.each([
    ['was refunded', (paymentId: string) => stripe().refund(paymentId)],
    ['is disputed', (paymentId: string) => stripe().openDispute(paymentId)],
  ])('ignores an early fraud warning whose payment %s', async (_how, happens) => {
    const { donationId, paymentId } = await warned();
    const warning = world.message('radar.early_fraud_warning.created', paymentId);
    happens(paymentId);
    for (const message of world.waiting()) if (message.id !== warning.id) world.drop(message);
    await world.deliver(warning);
    expect(await items('fraud_warning', donationId)).toEqual([]);
  });

  it('an early fraud warning that arrives before its payment books the payment first', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().pay(paymentId);
    stripe().warnOfFraud(paymentId);
    await world.deliver(world.message('radar.early_fraud_warning.created', paymentId));
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    expect(await items('fraud_warning', donationId)).toHaveLength(1);
    await world.deliverAll(Math.random);
  });

  it('ignores an early fraud warning of another system on the same account', async () => {
    const { id } = stripe().createPaid({ amount: 700, currency: 'eur', metadata: {} });
    stripe().warnOfFraud(id);
    await world.deliverAll(Math.random);
    expect(await world.reviewItems(`stripe:${id}`)).toEqual([]);
  });
});

describe('refunds for which Stripe asks the donor for bank details', () => {
  async function refunding() {
    const donation = await world.intent('card', 1000);
    stripe().pay(donation.paymentId);
    await world.deliverAll(Math.random);
    app.sandbox.faults.add({ provider: 'stripe', operation: 'refunds.create', kind: 'requires_action' });
    expect((await world.cancel(donation.donationId, { shouldRefund: true })).status).toBe(200);
    await world.deliverAll(Math.random);
    const [refund] = stripe().refundsOf(donation.paymentId);
    expect(refund).toMatchObject({ status: 'requires_action' });
    expect(await world.donation(donation.donationId)).toMatchObject({
      status: 'COMPLETED',
      refundedAmount: 0,
    });
    return { ...donation, refundId: String(refund?.id) };
  }

  it('a refund waits, and is booked when the donor sends the bank details', async () => {
    const { donationId, refundId } = await refunding();
    await world.reconcile();
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    expect(await world.reviewItems(donationId)).toEqual([]);
    stripe().settleRefund(refundId);
    await world.deliverAll(Math.random);
    expect(await world.donation(donationId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 1000 });
  });

  it('a refund is listed if the donor sends no bank details, and the donation still counts', async () => {
    const { donationId, refundId } = await refunding();
    stripe().cancelRefund(refundId);
    await world.deliverAll(Math.random);
    expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 });
    expect(await items('refund_failed', donationId)).toMatchObject([{ detail: { state: 'cancelled' } }]);
  });
});
