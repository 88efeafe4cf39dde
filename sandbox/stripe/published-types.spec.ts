import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Stripe } from 'stripe';
import type { Sandbox } from '../server/sandbox.js';
import { startTestSandbox, stripeClient } from '../testing/clients.js';
import { PublishedTypes } from './published-types.js';

const NAMES = [
  'PaymentIntent',
  'Charge',
  'Refund',
  'Dispute',
  'BalanceTransaction',
  'Payout',
  'WebhookEndpoint',
  'Customer',
  'PaymentMethod',
  'SetupIntent',
  'Event',
];

/** Methods of payment, each in one of their currencies. */
const METHODS = [
  ['bacs_debit', 'gbp'],
  ['bancontact', 'eur'],
  ['ideal', 'eur'],
  ['link', 'eur'],
  ['sepa_debit', 'eur'],
  ['swish', 'sek'],
  ['twint', 'chf'],
] as const;

describe('the Stripe sandbox and the published types', () => {
  let sandbox: Sandbox;
  let stripe: Stripe;
  let types: PublishedTypes;

  beforeAll(async () => {
    sandbox = await startTestSandbox();
    stripe = stripeClient(sandbox);
    types = new PublishedTypes(NAMES);
  });
  afterAll(() => sandbox.close());

  const paid = () =>
    sandbox.stripe.createPaid({ amount: 2000, currency: 'eur', metadata: { eventId: 'gala' } }).id;
  /** Creates objects and events of every kind. */
  function happenings(): void {
    const { stripe: at } = sandbox;
    at.decline(at.createIntent({ amount: 500, currency: 'eur' }).id);
    at.cancel(at.createIntent({ amount: 500, currency: 'eur' }).id);
    at.process(at.createIntent({ amount: 500, currency: 'eur' }).id);
    for (const [method, currency] of METHODS)
      at.pay(at.createIntent({ amount: 500, currency }).id, { method });
    for (const wallet of ['apple_pay', 'google_pay', 'link'] as const)
      at.pay(at.createIntent({ amount: 500, currency: 'eur' }).id, { wallet });
    at.process(at.createIntent({ amount: 500, currency: 'eur' }).id, { method: 'sepa_debit' });
    at.requireAuthentication(at.createIntent({ amount: 500, currency: 'eur' }).id);
    const refund = at.refund(paid(), { amount: 500, pending: true });
    at.settleRefund(refund.id);
    at.failRefund(refund.id);
    const inquiry = at.openDispute(paid(), { inquiry: true });
    at.submitEvidence(inquiry.id);
    at.escalateDispute(inquiry.id);
    at.winDispute(inquiry.id);
    at.reopenDispute(inquiry.id);
    at.loseDispute(inquiry.id);
    at.appealDispute(inquiry.id);
    at.submitEvidence(inquiry.id);
    at.preventDispute(paid());
    at.preventDispute(paid(), { block: true });
    at.payOut();
  }

  const told = (name: string, objects: readonly unknown[]) => {
    expect(objects.length).toBeGreaterThan(0);
    return [...new Set(objects.flatMap((object) => types.differences(name, withoutResponse(object))))];
  };
  /** Removes the fields that the client adds to an answer. */
  const withoutResponse = (object: unknown): unknown => JSON.parse(JSON.stringify(object));

  /** Saves a card, lets the bank ask for 3-D Secure, and charges saved cards. */
  async function savedCards(): Promise<{ customers: object[]; methods: object[]; setups: object[] }> {
    const { stripe: at } = sandbox;
    const customer = await stripe.customers.create({ metadata: { card: '1' } });
    const found = { customers: [customer] as object[], methods: [] as object[], setups: [] as object[] };
    for (const number of ['4242424242424242', '4000002760003184', '4000000000000341']) {
      const setup = await stripe.setupIntents.create({ customer: customer.id, usage: 'off_session' });
      at.confirmSetup(setup.id, { number });
      found.setups.push(setup, await stripe.setupIntents.retrieve(setup.id));
      if (at.setup(setup.id).status === 'requires_action') at.authenticateSetup(setup.id);
      const saved = at.setup(setup.id).payment_method ?? '';
      found.methods.push(await stripe.paymentMethods.retrieve(saved));
      const charge = stripe.paymentIntents.create({
        amount: 500,
        currency: 'eur',
        customer: customer.id,
        payment_method: saved,
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        off_session: true,
        confirm: true,
      });
      await charge.catch(() => undefined);
    }
    const declined = await stripe.setupIntents.create({ customer: customer.id });
    at.confirmSetup(declined.id, { number: '4000000000009995' });
    found.setups.push(await stripe.setupIntents.retrieve(declined.id));
    await stripe.setupIntents.cancel(declined.id);
    found.setups.push(await stripe.setupIntents.retrieve(declined.id));
    await stripe.customers.del(customer.id);
    return found;
  }

  it('every object has the fields and values of the pinned Stripe library', async () => {
    happenings();
    const cards = await savedCards();
    sandbox.setWebhookUrls({ stripe: 'http://127.0.0.1:9/donations/cardprocessor/webhook' });
    const all = { limit: 100 };
    expect({
      PaymentIntent: told('PaymentIntent', (await stripe.paymentIntents.list(all)).data),
      Charge: told('Charge', (await stripe.charges.list(all)).data),
      Refund: told('Refund', (await stripe.refunds.list(all)).data),
      Dispute: told('Dispute', (await stripe.disputes.list(all)).data),
      BalanceTransaction: told('BalanceTransaction', (await stripe.balanceTransactions.list(all)).data),
      Payout: told('Payout', (await stripe.payouts.list(all)).data),
      WebhookEndpoint: told('WebhookEndpoint', (await stripe.webhookEndpoints.list(all)).data),
      Customer: told('Customer', cards.customers),
      PaymentMethod: told('PaymentMethod', cards.methods),
      SetupIntent: told('SetupIntent', cards.setups),
    }).toEqual(Object.fromEntries(NAMES.filter((name) => name !== 'Event').map((name) => [name, []])));
  });

  it('every event has the published type', async () => {
    const { data } = await stripe.events.list({ limit: 100 });
    expect(new Set(data.map(({ type }) => type)).size).toBeGreaterThan(12);
    expect(told('Event', data)).toEqual([]);
  });

  it('the check finds wrong, missing and unknown fields', async () => {
    const [dispute] = (await stripe.disputes.list({ limit: 1 })).data;
    const wrong = { ...dispute, status: 'asleep', colour: 'red', amount: '20' } as Record<string, unknown>;
    delete wrong['reason'];
    expect(types.differences('Dispute', withoutResponse(wrong)).sort()).toEqual([
      'Dispute.amount is "20"',
      'Dispute.colour is not described',
      'Dispute.reason is missing',
      'Dispute.status is "asleep"',
    ]);
  });
});
