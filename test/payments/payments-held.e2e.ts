import { describe, expect, it } from '@jest/globals';
import { PaymentFacts } from '../../src/payments/booking/facts.service.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import type { PaymentsApp } from '../support/payments.js';
import { withPaymentWorld } from '../money/with-world.js';

/** Payments whose money the provider holds back. */

const { app, world, paypal } = withPaymentWorld({ check: 'answers' });
const heldItems = async (about: string) =>
  (await world.reviewItems(about)).filter(({ kind }) => kind === 'payment_held');

type Reason = Parameters<PaymentsApp['sandbox']['paypal']['holdCapture']>[1]['reason'];

/** Creates a wallet donation whose capture PayPal leaves pending. */
async function pending(reason: Reason) {
  const donation = await world.intent('wallet', 1000);
  paypal().approve(donation.paymentId);
  paypal().onCapture(donation.paymentId, { outcome: 'pending', reason });
  await world.deliverAll(Math.random);
  expect((await world.donation(donation.donationId)).status).toBe('PENDING');
  return donation;
}

describe('pending PayPal captures', () => {
  it.each([
    ['RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION', 'accept this payment'],
    ['INTERNATIONAL_WITHDRAWAL', 'accept this payment'],
    ['VERIFICATION_REQUIRED', 'Finish the verification'],
    ['UNILATERAL', 'open an account'],
    ['OTHER', 'ask the provider'],
  ] as const)('lists a capture pending for %s with advice, until it is complete', async (reason, advice) => {
    const { donationId, paymentId } = await pending(reason);
    expect(await heldItems(donationId)).toEqual([
      expect.objectContaining({
        subject: `paypal:${paymentId}`,
        donationId,
        detail: { reason },
        advice: expect.stringContaining(advice),
        title: 'The provider holds a payment',
      }),
    ]);
    paypal().completeCapture(paymentId);
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    expect(await heldItems(donationId)).toEqual([]);
  });

  it.each(['ECHECK', 'PENDING_REVIEW', 'TRANSACTION_APPROVED_AWAITING_FUNDING'] as const)(
    'does not list a capture pending for %s, because it needs no action',
    async (reason) => {
      const { donationId } = await pending(reason);
      expect(await world.reviewItems(donationId)).toEqual([]);
    },
  );

  it('reconciliation lists a capture whose reason changes, and later removes it', async () => {
    const { donationId, paymentId } = await pending('PENDING_REVIEW');
    paypal().holdCapture(paymentId, { reason: 'VERIFICATION_REQUIRED' });
    await world.reconcile();
    expect(await heldItems(donationId)).toMatchObject([{ detail: { reason: 'VERIFICATION_REQUIRED' } }]);
    paypal().holdCapture(paymentId, { reason: 'PENDING_REVIEW' });
    await world.reconcile();
    expect(await heldItems(donationId)).toEqual([]);
    expect((await world.donation(donationId)).status).toBe('PENDING');
  });

  it('a resolved pending capture is listed again only for another reason', async () => {
    const { donationId, paymentId } = await pending('OTHER');
    const [item] = await heldItems(donationId);
    await world.call('POST', `/review-items/${String(item?.id)}/resolve`);
    await world.reconcile();
    expect(await heldItems(donationId)).toEqual([]);
    paypal().holdCapture(paymentId, { reason: 'UNILATERAL' });
    await world.reconcile();
    expect(await heldItems(donationId)).toMatchObject([{ detail: { reason: 'UNILATERAL' } }]);
  });

  it('a denied capture leaves the list, and the donation fails', async () => {
    const { donationId, paymentId } = await pending('OTHER');
    paypal().denyCapture(paymentId);
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('FAILED');
    expect(await heldItems(donationId)).toEqual([]);
  });

  it('lists a further pending capture of a payment that counts already', async () => {
    const donation = await world.intent('wallet', 1000);
    paypal().approve(donation.paymentId);
    paypal().capture(donation.paymentId, { amount: 600, final: false });
    await world.deliverAll(Math.random);
    expect(await world.donation(donation.donationId)).toMatchObject({ status: 'COMPLETED', amount: 600 });
    const { id } = paypal().captureAgain(donation.paymentId, { amount: 400, pending: true });
    paypal().holdCapture(id, { reason: 'INTERNATIONAL_WITHDRAWAL' });
    await world.deliverAll(Math.random);
    expect(await heldItems(donation.donationId)).toMatchObject([
      { detail: { reason: 'INTERNATIONAL_WITHDRAWAL' } },
    ]);
    paypal().completeCapture(id);
    await world.deliverAll(Math.random);
    expect(await world.donation(donation.donationId)).toMatchObject({ status: 'COMPLETED', amount: 1000 });
    expect(await heldItems(donation.donationId)).toEqual([]);
  });

  it('lists a pending capture of an order made by a page that names our event', async () => {
    const made = (custom_id: string) => {
      const order = paypal().createApprovedOrder({ amount: 900, currency: 'eur', custom_id });
      paypal().onCapture(order.id, { outcome: 'pending', reason: 'OTHER' });
      paypal().capture(order.id, { pending: true });
      return order.id;
    };
    const [ours, other] = [made(`event:${world.event.slug}`), made('event:of-another-system')];
    await world.deliverAll(Math.random);
    expect(await heldItems(`paypal:${ours}`)).toMatchObject([
      { donationId: null, detail: { reason: 'OTHER' } },
    ]);
    expect(await heldItems(`paypal:${other}`)).toEqual([]);
    paypal().completeCapture(ours);
    await world.deliverAll(Math.random);
    expect(await world.donations()).toMatchObject([{ status: 'COMPLETED', amount: 900 }]);
    expect(await heldItems(`paypal:${ours}`)).toEqual([]);
  });

  it('removes a pending capture of an order made by a page when PayPal denies it', async () => {
    const custom_id = `event:${world.event.slug}`;
    const { id } = paypal().createApprovedOrder({ amount: 900, currency: 'eur', custom_id });
    paypal().onCapture(id, { outcome: 'pending', reason: 'OTHER' });
    paypal().capture(id, { pending: true });
    await world.deliverAll(Math.random);
    expect(await heldItems(`paypal:${id}`)).toHaveLength(1);
    paypal().denyCapture(id);
    await world.deliverAll(Math.random);
    expect(await heldItems(`paypal:${id}`)).toEqual([]);
    expect(await world.donations()).toEqual([]);
  });

  it('does not list a pending capture from an answer that arrives after the payment', async () => {
    const { donationId, paymentId } = await pending('OTHER');
    paypal().completeCapture(paymentId);
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    const provider = app.app.get(PaymentProviders).named('paypal');
    await app.app
      .get(PaymentFacts)
      .book(provider, [{ kind: 'processing', paymentId, hold: { action: 'look', reason: 'OTHER' } }]);
    expect(await heldItems(donationId)).toEqual([]);
  });
});
