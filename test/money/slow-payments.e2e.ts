import { describe, expect, it } from '@jest/globals';
import { sql } from '../support/fixtures.js';
import { withPaymentWorld } from './with-world.js';

const { app, world } = withPaymentWorld({ check: 'none' });

const old = (donationId: string) =>
  sql(app, `UPDATE donation SET created_at = now() - interval '25 hours' WHERE id = $1`, [donationId]);

describe('payments that take days', () => {
  it.each(['multibanco', 'oxxo', 'boleto', 'konbini'] as const)(
    'neither reconciliation after a day nor an admin cancels a %s slip while it can be paid',
    async (kind) => {
      const { donationId, paymentId } = await world.intent('card', 1000);
      app.sandbox.stripe.issueVoucher(paymentId, { kind, expiresInDays: 3 });
      await old(donationId);
      await world.reconcile();
      expect((await world.donation(donationId)).status).toBe('PENDING');
      expect((await world.cancel(donationId, { shouldRefund: false })).status).toBe(409);
      expect(app.sandbox.stripe.intent(paymentId).status).toBe('requires_action');
      app.sandbox.stripe.pay(paymentId);
      await world.deliverAll(Math.random);
      expect((await world.donation(donationId)).status).toBe('COMPLETED');
    },
  );

  it.each([
    ['micro-deposits', { kind: 'microdeposits' }],
    ['a bank transfer', { kind: 'bank_transfer' }],
    ['a partly received bank transfer', { kind: 'bank_transfer', received: 400 }],
    ['a Pix code', { kind: 'pix', expiresInDays: 3 }],
    ['a Swish code', { kind: 'swish', expiresInDays: 3 }],
  ] as const)(
    'neither reconciliation after a day nor an admin cancels a payment by %s while the donor can complete it',
    async (_name, instructions) => {
      const { donationId, paymentId } = await world.intent('card', 1000);
      app.sandbox.stripe.giveInstructions(paymentId, instructions);
      await old(donationId);
      await world.reconcile();
      expect((await world.donation(donationId)).status).toBe('PENDING');
      expect(await world.cancel(donationId, { shouldRefund: false })).toMatchObject({
        status: 409,
        body: { code: 'PAYMENT_UNDER_WAY' },
      });
      expect(app.sandbox.stripe.intent(paymentId).status).toBe('requires_action');
      app.sandbox.stripe.process(paymentId, { method: 'sepa_debit' });
      app.sandbox.stripe.pay(paymentId);
      await world.deliverAll(Math.random);
      expect((await world.donation(donationId)).status).toBe('COMPLETED');
    },
  );

  it('reconciliation cancels a payment whose code expired four days ago', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.clock.at(new Date(Date.now() - 5 * 86_400_000), () =>
      app.sandbox.stripe.giveInstructions(paymentId, { kind: 'pix', expiresInDays: 1 }),
    );
    await old(donationId);
    await world.reconcile();
    expect((await world.donation(donationId)).status).toBe('CANCELLED');
    expect(app.sandbox.stripe.intent(paymentId).status).toBe('canceled');
  });

  it('reconciliation cancels a bank transfer that does not arrive within thirty-four days', async () => {
    app.sandbox.clock.set(new Date(Date.now() - 34 * 86_400_000));
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.clock.reset();
    app.sandbox.stripe.giveInstructions(paymentId, { kind: 'bank_transfer' });
    await old(donationId);
    await world.reconcile();
    expect((await world.donation(donationId)).status).toBe('CANCELLED');
  });

  it('reconciliation cancels a payment whose slip has expired', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.stripe.issueVoucher(paymentId, { expiresInDays: 1 });
    await old(donationId);
    app.sandbox.stripe.expireVoucher(paymentId);
    await world.reconcile();
    expect((await world.donation(donationId)).status).toBe('CANCELLED');
  });

  it('a direct debit stays while it is processing, and its cancellation is refused', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.stripe.process(paymentId, { method: 'sepa_debit' });
    await world.deliverAll(Math.random);
    await old(donationId);
    await world.reconcile();
    expect((await world.donation(donationId)).status).toBe('PENDING');
    expect((await world.cancel(donationId, { shouldRefund: false })).status).toBe(409);
    app.sandbox.stripe.pay(paymentId);
    await world.deliverAll(Math.random);
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
  });
});
