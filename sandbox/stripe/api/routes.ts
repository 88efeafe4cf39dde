import type { Deliveries } from '../../webhooks/deliveries.js';
import type { StripeAccount } from '../account.js';
import { invalidParameter } from '../errors.js';
import { cancelIntent, createIntent } from '../intents.js';
import { addAccountBalanceRoute, addBalanceRoutes, addPayoutRoutes } from './balance-routes.js';
import { type Add, metadata, oneOf, onlyKnown, optionalText, requiredAmount } from './call.js';
import { confirmIntent } from './confirmation.js';
import { addCardRoutes, chargeSavedCard, savedCardOf } from './card-routes.js';
import { addDisputeRoutes, addFraudWarningRoutes } from './dispute-routes.js';
import { addEndpointRoutes, addEventRoutes } from './event-routes.js';
import { expand, page, PAGING } from './lists.js';
import { addRefundRoutes } from './refund-routes.js';

const CONFIRM_PARAMETERS = [
  'client_secret',
  'confirmation_token',
  'expected_payment_method_type',
  'payment_method',
  'payment_method_data',
  'receipt_email',
  'return_url',
  'use_stripe_sdk',
];

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

export function addStripeRoutes(account: StripeAccount, deliveries: Deliveries, add: Add): void {
  add('POST', '/v1/payment_intents', 'payment_intents.create', ({ form, cause, fault }) => {
    onlyKnown(form, INTENT_PARAMETERS);
    const saved = savedCardOf(account, form);
    const intent = createIntent(
      account,
      {
        ...requiredAmount(form),
        metadata: metadata(form),
        description: optionalText(form, 'description') ?? null,
        receipt_email: email(optionalText(form, 'receipt_email')),
        ...saved,
      },
      cause,
    );
    if (saved) chargeSavedCard(account, intent, fault?.kind === 'decline');
    else if (form.confirm === 'true') confirmIntent(account, intent, form, fault?.kind === 'decline');
    return expand(account, intent, form);
  });

  add('GET', '/v1/payment_intents/:id', 'payment_intents.retrieve', ({ params, form }) => {
    onlyKnown(form, ['client_secret']);
    return expand(account, account.intent(params.id ?? ''), form);
  });

  add('GET', '/v1/payment_intents', 'payment_intents.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'customer']);
    const customer = optionalText(form, 'customer');
    const rows = [...account.intents.values()].filter(
      (row) => customer === undefined || row.customer === customer,
    );
    return expand(account, page(rows, form, '/v1/payment_intents'), form);
  });

  add('POST', '/v1/payment_intents/:id/cancel', 'payment_intents.cancel', ({ params, form, cause }) => {
    onlyKnown(form, ['cancellation_reason']);
    const reasons = ['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned'];
    const reason = oneOf(form, 'cancellation_reason', reasons) ?? null;
    return expand(account, cancelIntent(account, account.intent(params.id ?? ''), reason, cause), form);
  });

  add('POST', '/v1/payment_intents/:id/confirm', 'payment_intents.confirm', ({ params, form, fault }) => {
    onlyKnown(form, CONFIRM_PARAMETERS);
    const intent = account.intent(params.id ?? '');
    confirmIntent(account, intent, form, fault?.kind === 'decline');
    return expand(account, intent, form);
  });

  add('GET', '/v1/charges/:id', 'charges.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, account.charge(params.id ?? '', 'id'), form);
  });

  add('GET', '/v1/charges', 'charges.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'customer', 'payment_intent']);
    const intent = optionalText(form, 'payment_intent');
    const rows = [...account.charges.values()].filter(
      (row) => (intent ?? row.payment_intent) === row.payment_intent,
    );
    return expand(account, page(rows, form, '/v1/charges'), form);
  });

  addCardRoutes(account, add);
  addRefundRoutes(account, add);
  addDisputeRoutes(account, add);
  addFraudWarningRoutes(account, add);
  addBalanceRoutes(account, add);
  addAccountBalanceRoute(account, add);
  addPayoutRoutes(account, add);
  addEventRoutes(account, (id) => deliveries.pendingWebhooks(id), add);
  addEndpointRoutes(account, deliveries, add);
}

function email(value: string | undefined): string | null {
  if (value === undefined) return null;
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) {
    throw invalidParameter('receipt_email', `Invalid email address: ${value}`, 'email_invalid');
  }
  return value;
}
