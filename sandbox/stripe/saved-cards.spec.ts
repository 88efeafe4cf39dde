import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Stripe } from 'stripe';
import type { Sandbox } from '../server/sandbox.js';
import { startTestSandbox, stripeClient } from '../testing/clients.js';

describe('saved cards of the Stripe sandbox with the official library', () => {
  let sandbox: Sandbox;
  let stripe: Stripe;

  beforeAll(async () => {
    sandbox = await startTestSandbox();
    stripe = stripeClient(sandbox);
  });
  afterEach(() => {
    sandbox.faults.clear();
  });
  afterAll(() => sandbox.close());

  const newSetup = async () => {
    const customer = await stripe.customers.create({ metadata: { card: 'c-1' } });
    return await stripe.setupIntents.create({
      customer: customer.id,
      usage: 'off_session',
      allowed_payment_method_types: ['card'],
    });
  };
  /** Saves a card, and passes the authentication of the bank if it asks for one. */
  const save = async (number: string) => {
    const { id } = await newSetup();
    const setup = sandbox.stripe.confirmSetup(id, { number });
    if (setup.status === 'requires_action') sandbox.stripe.authenticateSetup(id);
    const { customer, payment_method: method } = sandbox.stripe.setup(id);
    return { customer: customer ?? '', payment_method: method ?? '' };
  };
  const charge = (
    card: { customer: string; payment_method: string },
    more: Partial<Stripe.PaymentIntentCreateParams> = {},
    idempotencyKey?: string,
  ) =>
    stripe.paymentIntents.create(
      {
        amount: 2500,
        currency: 'eur',
        ...card,
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        off_session: true,
        confirm: true,
        ...more,
      },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    );
  const refusal = async (call: Promise<unknown>): Promise<Stripe.errors.StripeError> => {
    try {
      await call;
    } catch (error) {
      if (error instanceof Error) return error as Stripe.errors.StripeError;
    }
    throw new Error('It was accepted');
  };

  it('saves a card for later, and charges it while the donor is away', async () => {
    const card = await save('4242 4242 4242 4242');
    expect(await stripe.paymentMethods.retrieve(card.payment_method)).toMatchObject({
      customer: card.customer,
      card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034 },
    });
    expect(await charge(card)).toMatchObject({
      status: 'succeeded',
      amount_received: 2500,
      customer: card.customer,
      payment_method: card.payment_method,
    });
    expect((await stripe.paymentIntents.list({ customer: card.customer })).data).toHaveLength(1);
  });

  it('declines a charge with authentication_required if the bank asks for the donor, and sends this answer to repeats', async () => {
    const card = await save('4000 0027 6000 3184');
    for (const _ of [1, 2])
      expect(await refusal(charge(card, {}, 'ready:1'))).toMatchObject({
        type: 'StripeCardError',
        statusCode: 402,
        code: 'authentication_required',
        decline_code: 'authentication_required',
        payment_intent: {
          status: 'requires_payment_method',
          last_payment_error: { code: 'authentication_required' },
        },
        payment_method: { id: card.payment_method },
      });
    const { data } = await stripe.paymentIntents.list({ customer: card.customer });
    expect(data).toHaveLength(1);
  });

  it('asks for 3-D Secure only once for a card that is authenticated when it is saved', async () => {
    const { id } = await newSetup();
    expect(sandbox.stripe.confirmSetup(id, { number: '4000002500003155' }).status).toBe('requires_action');
    const setup = sandbox.stripe.authenticateSetup(id);
    const card = { customer: setup.customer ?? '', payment_method: setup.payment_method ?? '' };
    expect((await charge(card)).status).toBe('succeeded');
  });

  it('declines every charge of the card that can only be saved', async () => {
    expect(await refusal(charge(await save('4000000000000341')))).toMatchObject({
      code: 'card_declined',
      payment_intent: { status: 'requires_payment_method' },
    });
  });

  it('saves no declined card, and lets the donor try another one', async () => {
    const { id } = await newSetup();
    expect(sandbox.stripe.confirmSetup(id, { number: '4000000000009995' })).toMatchObject({
      status: 'requires_payment_method',
      payment_method: null,
      last_setup_error: { code: 'card_declined', decline_code: 'insufficient_funds' },
    });
    expect(sandbox.stripe.confirmSetup(id, { number: '4242424242424242' }).status).toBe('succeeded');
  });

  it('refuses a card of another customer, and a card whose customer was deleted', async () => {
    const [one, other] = [await save('4242424242424242'), await save('4242424242424242')];
    expect(await refusal(charge({ ...one, customer: other.customer }))).toMatchObject({
      code: 'resource_missing',
    });
    expect(await stripe.customers.del(one.customer)).toMatchObject({ id: one.customer, deleted: true });
    expect(await refusal(stripe.customers.del(one.customer))).toMatchObject({ code: 'resource_missing' });
    expect(await refusal(charge(one))).toMatchObject({ code: 'resource_missing' });
    const method = await stripe.paymentMethods.retrieve(one.payment_method);
    expect(method.customer).toBeNull();
  });

  it('refuses off_session without confirm, and a confirmation that could redirect without a return_url', async () => {
    const card = await save('4242424242424242');
    expect(await refusal(charge(card, { confirm: false }))).toMatchObject({ param: 'off_session' });
    const redirects = { automatic_payment_methods: { enabled: true } };
    expect(await refusal(charge(card, redirects))).toMatchObject({ param: 'return_url' });
  });

  it('shows a SetupIntent to the browser only with its client secret', async () => {
    const { id, client_secret: secret } = await newSetup();
    const ask = async (given: string) =>
      await fetch(
        `${sandbox.url}/v1/setup_intents/${id}?key=${sandbox.stripe.publishableKey}&client_secret=${given}`,
      );
    expect((await ask(secret ?? '')).status).toBe(200);
    expect((await ask('wrong')).status).toBe(404);
  });
});
