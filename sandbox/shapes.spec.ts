import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv, type Schema } from 'ajv';
import type { Stripe } from 'stripe';
import type { Sandbox } from './server.js';
import { PayPalClient, startTestSandbox, stripeClient } from './testing.js';

// The parts of the providers' published schemas that a client can rely on, written down by hand.
const text = { type: 'string', minLength: 1 };
const links = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['href', 'rel', 'method'],
    properties: { href: { ...text, pattern: '^https?://' } },
  },
};
const money = {
  type: 'object',
  required: ['currency_code', 'value'],
  properties: {
    currency_code: { type: 'string', pattern: '^[A-Z]{3}$' },
    value: { type: 'string', maxLength: 32, pattern: '^((-?[0-9]+)|(-?([0-9]+)?[.][0-9]+))$' },
  },
};
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' };
const capture = {
  type: 'object',
  required: [
    'id',
    'status',
    'amount',
    'final_capture',
    'links',
    'create_time',
    'update_time',
    'supplementary_data',
  ],
  properties: {
    status: { enum: ['COMPLETED', 'DECLINED', 'PARTIALLY_REFUNDED', 'PENDING', 'REFUNDED', 'FAILED'] },
    amount: money,
    custom_id: { ...text, maxLength: 127 },
    create_time: time,
    links,
  },
};
const refund = {
  type: 'object',
  required: ['id', 'status', 'amount', 'seller_payable_breakdown', 'links', 'create_time', 'update_time'],
  properties: { status: { enum: ['CANCELLED', 'FAILED', 'PENDING', 'COMPLETED'] }, amount: money, links },
};
const order = {
  type: 'object',
  required: ['id', 'intent', 'status', 'purchase_units', 'create_time', 'links', 'payer'],
  properties: {
    status: { enum: ['CREATED', 'SAVED', 'APPROVED', 'VOIDED', 'COMPLETED', 'PAYER_ACTION_REQUIRED'] },
    payer: { properties: { payer_id: { type: 'string', pattern: '^[2-9A-HJ-NP-Z]{13}$' } } },
    purchase_units: {
      type: 'array',
      items: {
        type: 'object',
        required: ['reference_id', 'amount', 'payee', 'payments'],
        properties: {
          amount: money,
          payments: { properties: { captures: { type: 'array', items: capture } } },
        },
      },
    },
    links,
  },
};
const webhook = {
  type: 'object',
  required: [
    'id',
    'create_time',
    'resource_type',
    'event_version',
    'event_type',
    'summary',
    'resource',
    'links',
  ],
  properties: {
    id: { type: 'string', pattern: '^WH-' },
    create_time: time,
    resource: { type: 'object' },
    links,
  },
};
const refusal = {
  type: 'object',
  required: ['name', 'message', 'debug_id', 'details', 'links'],
  properties: {
    details: { type: 'array', items: { type: 'object', required: ['issue', 'description'] } },
    links,
  },
};

/** Field names of Stripe's example objects. */
const STRIPE_FIELDS = {
  payment_intent:
    'amount amount_capturable amount_details amount_received application application_fee_amount ' +
    'automatic_payment_methods canceled_at cancellation_reason capture_method client_secret confirmation_method ' +
    'created currency customer customer_account description excluded_payment_method_types id last_payment_error ' +
    'latest_charge livemode managed_payments metadata next_action object on_behalf_of payment_method ' +
    'payment_method_configuration_details payment_method_options payment_method_types processing receipt_email ' +
    'review setup_future_usage shipping source statement_descriptor statement_descriptor_suffix status ' +
    'transfer_data transfer_group',
  charge:
    'amount amount_captured amount_refunded application application_fee application_fee_amount balance_transaction ' +
    'billing_details calculated_statement_descriptor captured created currency customer description disputed ' +
    'failure_balance_transaction failure_code failure_message fraud_details id livemode metadata object on_behalf_of ' +
    'outcome paid payment_intent payment_method payment_method_details receipt_email receipt_number receipt_url ' +
    'refunded review shipping source source_transfer statement_descriptor statement_descriptor_suffix status ' +
    'transfer_data transfer_group',
  refund:
    'amount balance_transaction charge created currency customer customer_account destination_details id metadata ' +
    'object payment_intent payment_method reason receipt_number source_transfer_reversal status transfer_reversal',
  dispute:
    'amount balance_transactions charge created currency enhanced_eligibility_types evidence evidence_details id ' +
    'is_charge_refundable livemode metadata object payment_intent payment_method_details reason status',
  event: 'api_version created data id livemode object pending_webhooks request type',
} as const;

describe('the shapes of answers', () => {
  const ajv = new Ajv({ allErrors: true, strict: false });
  let sandbox: Sandbox;
  let paypal: PayPalClient;
  let stripe: Stripe;

  beforeAll(async () => {
    sandbox = await startTestSandbox();
    paypal = new PayPalClient(sandbox.url);
    await paypal.signIn();
    stripe = stripeClient(sandbox);
  });

  afterAll(async () => {
    await sandbox.close();
  });

  const conforms = (value: unknown, schema: Schema) => {
    const check = ajv.compile(schema);
    check(value);
    expect(check.errors ?? []).toEqual([]);
  };

  it('of PayPal agree with its description', async () => {
    const made = sandbox.paypal.createApprovedOrder({
      amount: 2500,
      currency: 'EUR',
      custom_id: 'event:gala',
    });
    const captured = await paypal.post(`/v2/checkout/orders/${made.id}/capture`, {});
    conforms(captured.body, order);
    conforms((await paypal.get(`/v2/checkout/orders/${made.id}`)).body, order);
    const path = `/v2/payments/captures/${sandbox.paypal.captureOf(made.id).id}`;
    const part = { amount: { currency_code: 'EUR', value: '5.00' } };
    const given = await paypal.post(`${path}/refund`, part, { prefer: 'return=representation' });
    conforms(given.body, refund);
    conforms((await paypal.get(`/v2/payments/refunds/${String(given.body.id)}`)).body, refund);
    conforms((await paypal.get(path)).body, capture);
    conforms((await paypal.post(`/v2/checkout/orders/${made.id}/capture`, {})).body, refusal);
    conforms((await paypal.get('/v2/checkout/orders/NONE')).body, refusal);
    const { body } = await paypal.get('/v1/notifications/webhooks-events');
    conforms(body, {
      type: 'object',
      required: ['events', 'count', 'links'],
      properties: { events: { items: webhook } },
    });
    expect((body.events as { event_type: string }[]).map((event) => event.event_type).sort()).toEqual([
      'CHECKOUT.ORDER.APPROVED',
      'CHECKOUT.ORDER.COMPLETED',
      'PAYMENT.CAPTURE.COMPLETED',
      'PAYMENT.CAPTURE.REFUNDED',
    ]);
  });

  it('of Stripe have every field of its example objects', async () => {
    const { id } = sandbox.stripe.createPaid({ amount: 1000, currency: 'eur' });
    const intent = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] });
    const given = await stripe.refunds.create({ payment_intent: id, amount: 100 });
    sandbox.stripe.openDispute(id);
    const [dispute] = (await stripe.disputes.list({ payment_intent: id })).data;
    const [event] = (await stripe.events.list({ limit: 1 })).data;
    const objects = { payment_intent: intent, charge: intent.latest_charge, refund: given, dispute, event };
    for (const [name, fields] of Object.entries(STRIPE_FIELDS)) {
      const object = objects[name as keyof typeof STRIPE_FIELDS] ?? {};
      expect(Object.keys(object)).toEqual(expect.arrayContaining(fields.split(' ')));
      expect(object).toMatchObject({ object: name });
    }
  });
});
