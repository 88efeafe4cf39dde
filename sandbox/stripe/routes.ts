import type { StripeAccount } from './account.js';
import type { StripeCall } from './api.js';
import { StripeError, invalidParameter, noSuch } from './errors.js';
import { cancelIntent, createIntent, declineIntent, payIntent } from './intents.js';
import { expand, page } from './lists.js';
import type { PaymentIntent, StripeEvent } from './objects.js';
import {
  metadata,
  onlyKnown,
  oneOf,
  optionalInteger,
  optionalText,
  requiredAmount,
  textList,
} from './params.js';
import { createRefund } from './refunds.js';

type Add = (method: string, path: string, operation: string, run: (call: StripeCall) => object) => void;

const PAGING = ['limit', 'starting_after', 'ending_before', 'created'];

const INTENT_PARAMETERS = [
  'amount',
  'application_fee_amount',
  'automatic_payment_methods',
  'capture_method',
  'confirm',
  'currency',
  'customer',
  'description',
  'metadata',
  'off_session',
  'on_behalf_of',
  'payment_method',
  'payment_method_options',
  'receipt_email',
  'return_url',
  'setup_future_usage',
  'shipping',
  'statement_descriptor',
  'statement_descriptor_suffix',
  'transfer_data',
  'transfer_group',
];

export function addStripeRoutes(
  account: StripeAccount,
  pendingWebhooks: (id: string) => number,
  add: Add,
): void {
  add('POST', '/v1/payment_intents', 'payment_intents.create', ({ form, cause, fault }) => {
    onlyKnown(form, INTENT_PARAMETERS);
    const intent = createIntent(
      account,
      {
        ...requiredAmount(form),
        metadata: metadata(form),
        description: optionalText(form, 'description') ?? null,
        receipt_email: email(optionalText(form, 'receipt_email')),
      },
      cause,
    );
    if (form.confirm === 'true') confirm(account, intent, form.payment_method, fault?.kind === 'decline');
    return expand(account, intent, form);
  });

  add('GET', '/v1/payment_intents/:id', 'payment_intents.retrieve', ({ params, form }) => {
    onlyKnown(form, ['client_secret']);
    return expand(account, account.intent(params.id ?? ''), form);
  });

  add('GET', '/v1/payment_intents', 'payment_intents.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'customer']);
    return expand(account, page(account.intents.values(), form, '/v1/payment_intents'), form);
  });

  add('POST', '/v1/payment_intents/:id/cancel', 'payment_intents.cancel', ({ params, form, cause }) => {
    onlyKnown(form, ['cancellation_reason']);
    const reasons = ['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned'];
    const reason = oneOf(form, 'cancellation_reason', reasons) ?? null;
    return expand(account, cancelIntent(account, account.intent(params.id ?? ''), reason, cause), form);
  });

  add('POST', '/v1/payment_intents/:id/confirm', 'payment_intents.confirm', ({ params, form, fault }) => {
    onlyKnown(form, [
      'payment_method',
      'payment_method_data',
      'return_url',
      'client_secret',
      'receipt_email',
    ]);
    const intent = account.intent(params.id ?? '');
    confirm(account, intent, form.payment_method, fault?.kind === 'decline');
    return expand(account, intent, form);
  });

  add('GET', '/v1/charges/:id', 'charges.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, account.charge(params.id ?? '', 'id'), form);
  });

  addRefundRoutes(account, add);
  addDisputeRoutes(account, add);
  addEventRoutes(account, pendingWebhooks, add);
}

function addRefundRoutes(account: StripeAccount, add: Add): void {
  add('POST', '/v1/refunds', 'refunds.create', ({ form, cause, fault }) => {
    onlyKnown(form, ['amount', 'charge', 'instructions_email', 'metadata', 'payment_intent', 'reason']);
    const chargeId = optionalText(form, 'charge');
    const intentId = optionalText(form, 'payment_intent');
    if (chargeId === undefined && intentId === undefined) {
      const message =
        'One of the following params should be provided for this request: payment_intent or charge.';
      throw new StripeError(400, { type: 'invalid_request_error', message }, false);
    }
    const amount = optionalInteger(form, 'amount');
    if (amount !== undefined && amount < 1) {
      throw invalidParameter('amount', 'Invalid positive integer', 'parameter_invalid_integer');
    }
    const charge =
      chargeId === undefined
        ? account.paidCharge(account.intent(intentId ?? '', 'payment_intent'))
        : account.charge(chargeId);
    const reason = oneOf(form, 'reason', ['duplicate', 'fraudulent', 'requested_by_customer']) ?? null;
    const status = fault?.kind === 'pending' ? 'pending' : fault?.kind === 'decline' ? 'failed' : 'succeeded';
    return expand(
      account,
      createRefund(account, charge, { amount, reason, metadata: metadata(form), status }, cause),
      form,
    );
  });

  add('GET', '/v1/refunds/:id', 'refunds.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, account.refund(params.id ?? ''), form);
  });

  add('GET', '/v1/refunds', 'refunds.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'charge', 'payment_intent']);
    const rows = filtered(account.refunds.values(), form);
    return expand(account, page(rows, form, '/v1/refunds'), form);
  });
}

function addDisputeRoutes(account: StripeAccount, add: Add): void {
  add('GET', '/v1/disputes/:id', 'disputes.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, account.dispute(params.id ?? ''), form);
  });

  add('GET', '/v1/disputes', 'disputes.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'charge', 'payment_intent']);
    return expand(account, page(filtered(account.disputes.values(), form), form, '/v1/disputes'), form);
  });
}

function addEventRoutes(account: StripeAccount, pendingWebhooks: (id: string) => number, add: Add): void {
  const asOfNow = (event: StripeEvent) => ({ ...event, pending_webhooks: pendingWebhooks(event.id) });

  add('GET', '/v1/events/:id', 'events.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    const event = account.events.get(params.id ?? '');
    if (!event) throw noSuch('event', params.id ?? '');
    return asOfNow(event);
  });

  add('GET', '/v1/events', 'events.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'delivery_success', 'type', 'types']);
    const types = textList(form, 'types');
    const type = optionalText(form, 'type');
    if (type !== undefined && types.length > 0) {
      throw invalidParameter('types', 'You may not specify both type and types.');
    }
    const wanted = type === undefined ? types : [type];
    const delivered = oneOf(form, 'delivery_success', ['true', 'false']);
    const rows = [...account.events.values()]
      .filter((event) => wanted.length === 0 || wanted.some((pattern) => isOfType(event.type, pattern)))
      .map(asOfNow)
      .filter(
        (event) => delivered === undefined || (event.pending_webhooks === 0) === (delivered === 'true'),
      );
    return page(rows, form, '/v1/events');
  });
}

/** `charge.*` matches every event of charges. */
function isOfType(type: string, pattern: string): boolean {
  return (
    pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))
  );
}

function filtered<T extends { charge: string; payment_intent: string }>(
  rows: Iterable<T>,
  form: StripeCall['form'],
): T[] {
  const charge = optionalText(form, 'charge');
  const intent = optionalText(form, 'payment_intent');
  return [...rows].filter(
    (row) => (charge ?? row.charge) === row.charge && (intent ?? row.payment_intent) === row.payment_intent,
  );
}

/** `pm_card_visa` pays; a test method with `Declined` in its name is declined, as Stripe's own are. */
function confirm(account: StripeAccount, intent: PaymentIntent, method: unknown, decline: boolean): void {
  if (!decline && !(typeof method === 'string' && /declined/i.test(method))) {
    payIntent(account, intent);
    return;
  }
  declineIntent(account, intent);
  throw new StripeError(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
    charge: intent.latest_charge ?? '',
    payment_intent: structuredClone(intent),
  });
}

function email(value: string | undefined): string | null {
  if (value === undefined) return null;
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) {
    throw invalidParameter('receipt_email', `Invalid email address: ${value}`, 'email_invalid');
  }
  return value;
}
