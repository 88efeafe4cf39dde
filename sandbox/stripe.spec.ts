import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver, startTestSandbox, stripeClient } from './testing.js';
import type { Sandbox } from './server.js';
import type Stripe from 'stripe';

describe('the Stripe side, through the official library', () => {
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

  it('makes an intent with a client secret and keeps its metadata', async () => {
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

  it('is paid by the donor, and says so by signed webhooks', async () => {
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
});
