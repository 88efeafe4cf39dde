import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import StripeLibrary from 'stripe';
import type { Stripe } from 'stripe';
import type { Sandbox } from '../server/sandbox.js';
import { startTestSandbox, stripeClient } from '../testing/clients.js';
import { Receiver } from '../testing/receiver.js';

describe('the Stripe sandbox with the official library', () => {
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
    await sandbox.settled();
    receiver.reset();
  });

  afterAll(async () => {
    await sandbox.close();
    await receiver.close();
  });

  const newIntent = (amount = 2500, currency = 'eur') =>
    stripe.paymentIntents.create({
      amount,
      currency,
      metadata: { donationId: 'd-1', eventId: 'e-1' },
      automatic_payment_methods: { enabled: true },
    });

  it('creates an intent with a client secret and stores its metadata', async () => {
    const intent = await newIntent();
    expect(intent).toMatchObject({
      object: 'payment_intent',
      amount: 2500,
      amount_received: 0,
      currency: 'eur',
      status: 'requires_payment_method',
      metadata: { donationId: 'd-1', eventId: 'e-1' },
      latest_charge: null,
    });
    expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_`));
    expect(intent.lastResponse.requestId).toMatch(/^req_/);
  });

  it('announces a payment by signed webhooks', async () => {
    const intent = await newIntent();
    sandbox.stripe.pay(intent.client_secret ?? '');
    await sandbox.settled();
    expect(receiver.types()).toEqual(
      expect.arrayContaining(['payment_intent.created', 'charge.succeeded', 'payment_intent.succeeded']),
    );
    const message = receiver.find('payment_intent.succeeded');
    const event = stripe.webhooks.constructEvent(
      message.body,
      message.headers['stripe-signature'] ?? '',
      sandbox.stripe.webhookSecret,
    );
    expect(event.data.object).toMatchObject({ id: intent.id, status: 'succeeded', amount_received: 2500 });
    expect(() =>
      stripe.webhooks.constructEvent(message.body, message.headers['stripe-signature'] ?? '', 'whsec_x'),
    ).toThrow(/signature/);

    const paid = await stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] });
    expect(paid.latest_charge).toMatchObject({ object: 'charge', amount_captured: 2500, paid: true });
  });

  describe('refusals', () => {
    const refusal = async (call: Promise<unknown>): Promise<Stripe.errors.StripeError> => {
      try {
        await call;
      } catch (error) {
        if (error instanceof Error) return error as Stripe.errors.StripeError;
      }
      throw new Error('It was accepted');
    };

    it.each([
      [49, 'eur', 'amount_too_small'],
      [100_000_000, 'eur', 'amount_too_large'],
      [0, 'eur', 'parameter_invalid_integer'],
      [1005, 'kwd', 'invalid_charge_amount'],
    ])('refuses the amount %i %s with %s', async (amount, currency, code) => {
      expect(await refusal(newIntent(amount, currency))).toMatchObject({
        code,
        param: 'amount',
        statusCode: 400,
      });
    });

    it('refuses an unknown currency, parameter or object', async () => {
      expect(await refusal(newIntent(1000, 'xxx'))).toMatchObject({ param: 'currency' });
      const unknown = { amount: 1000, currency: 'eur', payment_method_types: ['card'] };
      expect(
        await refusal(stripe.paymentIntents.create(unknown as Stripe.PaymentIntentCreateParams)),
      ).toMatchObject({
        code: 'parameter_unknown',
        param: 'payment_method_types',
      });
      expect(await refusal(stripe.paymentIntents.retrieve('pi_none'))).toMatchObject({
        code: 'resource_missing',
        statusCode: 404,
      });
    });

    it('refuses a wrong key', async () => {
      const { hostname, port } = new URL(sandbox.url);
      const stranger = new StripeLibrary('sk_test_2', {
        host: hostname,
        port,
        protocol: 'http',
        maxNetworkRetries: 0,
      });
      const error = await refusal(stranger.paymentIntents.list());
      expect(error).toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401 });
    });

    it('refuses the cancellation of a paid, processing or cancelled intent', async () => {
      const paid = sandbox.stripe.createPaid({ amount: 1000, currency: 'eur' });
      const processing = sandbox.stripe.process((await newIntent()).id);
      const cancelled = sandbox.stripe.cancel((await newIntent()).id);
      for (const { id, status } of [paid, processing, cancelled]) {
        const error = await refusal(stripe.paymentIntents.cancel(id));
        expect(error).toMatchObject({
          code: 'payment_intent_unexpected_state',
          payment_intent: { id, status },
        });
      }
    });

    it('refuses refunds that are too large, repeated, or of an unpaid intent', async () => {
      const { id } = sandbox.stripe.createPaid({ amount: 1000, currency: 'eur' });
      const refund = (amount?: number) =>
        stripe.refunds.create({ payment_intent: id, ...(amount && { amount }) });
      expect(await refusal(refund(1001))).toMatchObject({ code: 'amount_too_large', param: 'amount' });
      await refund(400);
      expect(await refusal(refund(601))).toMatchObject({ code: 'amount_too_large' });
      await refund();
      expect(await refusal(refund())).toMatchObject({ code: 'charge_already_refunded' });
      const open = await newIntent();
      expect(await refusal(stripe.refunds.create({ payment_intent: open.id }))).toMatchObject({
        statusCode: 400,
      });
    });

    it('refuses the refund of a disputed charge', async () => {
      const { id } = sandbox.stripe.createPaid({ amount: 1000, currency: 'eur' });
      sandbox.stripe.openDispute(id);
      expect(await refusal(stripe.refunds.create({ payment_intent: id }))).toMatchObject({
        code: 'charge_disputed',
      });
    });

    it('answers 402 for a declined card', async () => {
      const intent = await newIntent();
      const error = await refusal(
        stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_chargeDeclined' }),
      );
      expect(error).toMatchObject({ type: 'StripeCardError', code: 'card_declined', statusCode: 402 });
      const confirmed = await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
      expect(confirmed.status).toBe('succeeded');
    });
  });

  describe('idempotency keys', () => {
    const create = (amount: number, idempotencyKey: string) =>
      stripe.paymentIntents.create({ amount, currency: 'eur' }, { idempotencyKey });

    it('returns the first answer for a repeated key, even after the payment has changed', async () => {
      const first = await create(1000, 'key-1');
      sandbox.stripe.pay(first.id);
      const again = await create(1000, 'key-1');
      expect(again).toMatchObject({ id: first.id, status: 'requires_payment_method' });
      expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    });

    it('refuses a key with other parameters', async () => {
      await create(1000, 'key-2');
      await expect(create(2000, 'key-2')).rejects.toMatchObject({
        type: 'StripeIdempotencyError',
        statusCode: 400,
      });
    });

    it('stores the refusal of a call only if the call was executed', async () => {
      const { id } = sandbox.stripe.createPaid({ amount: 1000, currency: 'eur' });
      const { id: dispute } = sandbox.stripe.openDispute(id);
      const refund = () => stripe.refunds.create({ payment_intent: id }, { idempotencyKey: 'key-3' });
      await expect(refund()).rejects.toMatchObject({ code: 'charge_disputed' });
      sandbox.stripe.winDispute(dispute);
      await expect(refund()).rejects.toMatchObject({ code: 'charge_disputed' });

      await expect(create(1, 'key-4')).rejects.toMatchObject({ code: 'amount_too_small' });
      await expect(create(1000, 'key-4')).resolves.toMatchObject({ amount: 1000 });
    });

    it('refuses a key with 409 while a request with that key is in progress', async () => {
      sandbox.faults.add({ provider: 'stripe', operation: 'payment_intents.create', kind: 'hang', ms: 100 });
      const slow = create(1000, 'key-5');
      await new Promise((resolve) => setTimeout(resolve, 30));
      await expect(create(1000, 'key-5')).rejects.toMatchObject({
        statusCode: 409,
        code: 'idempotency_key_in_use',
      });
      const { id } = await slow;
      expect((await create(1000, 'key-5')).id).toBe(id);
    });
  });

  describe('refunds and disputes', () => {
    it('shows refunds on the charge and removes a failed one', async () => {
      const { id } = sandbox.stripe.createPaid({ amount: 1000, currency: 'eur' });
      const refund = await stripe.refunds.create({
        payment_intent: id,
        amount: 300,
        metadata: { refundId: 'r-1' },
      });
      expect(refund).toMatchObject({ status: 'succeeded', amount: 300, metadata: { refundId: 'r-1' } });
      const chargeOf = async () => {
        const intent = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge.refunds'] });
        return intent.latest_charge;
      };
      expect(await chargeOf()).toMatchObject({
        amount_refunded: 300,
        refunds: { data: [{ id: refund.id }] },
      });
      sandbox.stripe.failRefund(refund.id);
      expect(await chargeOf()).toMatchObject({ amount_refunded: 0, refunded: false });
      expect(await stripe.refunds.retrieve(refund.id)).toMatchObject({ status: 'failed' });
      expect((await stripe.refunds.list({ payment_intent: id })).data).toHaveLength(1);
      await sandbox.settled();
      expect(receiver.types()).toEqual(
        expect.arrayContaining(['refund.created', 'charge.refunded', 'refund.updated', 'refund.failed']),
      );
    });

    it('settles a pending refund', async () => {
      const { id } = sandbox.stripe.createPaid({ amount: 1000, currency: 'eur' });
      sandbox.faults.add({ provider: 'stripe', operation: 'refunds.create', kind: 'pending' });
      const refund = await stripe.refunds.create({ payment_intent: id });
      expect(refund.status).toBe('pending');
      expect(sandbox.stripe.payments().at(-1)).toMatchObject({ paid: 1000, refundPending: 1000, held: 1000 });
      sandbox.stripe.settleRefund(refund.id);
      expect((await stripe.refunds.retrieve(refund.id)).status).toBe('succeeded');
    });

    it('moves the money of a dispute away and back', async () => {
      const before = sandbox.stripe.netHeld('gbp');
      const lost = sandbox.stripe.createPaid({ amount: 1000, currency: 'gbp' });
      const won = sandbox.stripe.createPaid({ amount: 500, currency: 'gbp' });
      sandbox.stripe.openDispute(lost.id);
      sandbox.stripe.openDispute(won.id);
      expect(sandbox.stripe.netHeld('gbp') - before).toBe(1500);
      sandbox.stripe.loseDispute(lost.id);
      sandbox.stripe.winDispute(won.id);
      expect(sandbox.stripe.netHeld('gbp') - before).toBe(500);
      const { data } = await stripe.disputes.list({ payment_intent: lost.id });
      expect(data).toMatchObject([{ status: 'lost', amount: 1000 }]);
      await sandbox.settled();
      const types = receiver.types().filter((type) => type.startsWith('charge.dispute.'));
      expect(types.sort()).toEqual(
        [
          'charge.dispute.closed',
          'charge.dispute.closed',
          'charge.dispute.created',
          'charge.dispute.created',
          'charge.dispute.funds_reinstated',
          'charge.dispute.funds_withdrawn',
          'charge.dispute.funds_withdrawn',
        ].sort(),
      );
    });
  });

  describe('lists', () => {
    it('returns pages with Stripe’s cursors, newest first', async () => {
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) made.push((await newIntent()).id);
      const first = await stripe.paymentIntents.list({ limit: 2 });
      expect(first.data.map(({ id }) => id)).toEqual([made[4], made[3]]);
      expect(first.has_more).toBe(true);
      const second = await stripe.paymentIntents.list({ limit: 2, starting_after: made[3] ?? '' });
      expect(second.data.map(({ id }) => id)).toEqual([made[2], made[1]]);
      const all = await stripe.paymentIntents.list({ limit: 3 }).autoPagingToArray({ limit: 1000 });
      expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(made));
      const future = { created: { gt: Math.floor(Date.now() / 1000) + 60 } };
      expect((await stripe.paymentIntents.list(future)).data).toEqual([]);
    });

    it('lists the events that no receiver accepted', async () => {
      receiver.answers = Array.from({ length: 4 }, () => 500);
      const intent = await newIntent();
      await sandbox.settled();
      const missed = await stripe.events.list({ delivery_success: false, types: ['payment_intent.created'] });
      expect(missed.data).toMatchObject([{ pending_webhooks: 1, data: { object: { id: intent.id } } }]);
      expect(receiver.types()).toHaveLength(4);

      await sandbox.stripe.deliveries.redeliverUndelivered();
      expect((await stripe.events.list({ delivery_success: false })).data).toEqual([]);
      const [event] = missed.data;
      expect((await stripe.events.retrieve(event?.id ?? '')).pending_webhooks).toBe(0);
    });
  });
});
