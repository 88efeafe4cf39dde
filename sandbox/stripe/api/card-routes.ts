import type { StripeAccount } from '../account.js';
import { invalidParameter, noSuch, StripeError } from '../errors.js';
import { declineIntent, payIntent } from '../intents.js';
import type { PaymentIntent } from '../objects.js';
import { cancelSetup, confirmSetup, createCustomer, createSetup, deleteCustomer } from '../saved-cards.js';
import { type CardOutcome, bySavedCard } from '../test-cards.js';
import { type Add, metadata, oneOf, onlyKnown, optionalText } from './call.js';
import { fieldOf, type Form, textOf } from './form.js';
import { expand } from './lists.js';

const CUSTOMER_PARAMETERS = ['description', 'email', 'metadata', 'name'];
const SETUP_PARAMETERS = [
  'allowed_payment_method_types',
  'automatic_payment_methods',
  'customer',
  'description',
  'metadata',
  'usage',
];
const CONFIRM_PARAMETERS = ['client_secret', 'payment_method_data', 'return_url', 'use_stripe_sdk'];

export function addCardRoutes(account: StripeAccount, add: Add): void {
  add('POST', '/v1/customers', 'customers.create', ({ form, cause }) => {
    onlyKnown(form, CUSTOMER_PARAMETERS);
    return expand(account, createCustomer(account, metadata(form), cause), form);
  });

  add('GET', '/v1/customers/:id', 'customers.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, account.customer(params.id ?? '', 'id'), form);
  });

  add('DELETE', '/v1/customers/:id', 'customers.delete', ({ params, cause }) =>
    deleteCustomer(account, account.customer(params.id ?? '', 'id'), cause),
  );

  add('GET', '/v1/payment_methods/:id', 'payment_methods.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, account.method(params.id ?? '', 'id'), form);
  });

  add('POST', '/v1/setup_intents', 'setup_intents.create', ({ form, cause }) => {
    onlyKnown(form, SETUP_PARAMETERS);
    const customer = optionalText(form, 'customer');
    if (customer !== undefined) account.customer(customer);
    const usage = oneOf(form, 'usage', ['off_session', 'on_session']) ?? 'off_session';
    const wanted = { customer: customer ?? null, metadata: metadata(form), usage };
    return expand(account, createSetup(account, wanted, cause), form);
  });

  add('GET', '/v1/setup_intents/:id', 'setup_intents.retrieve', ({ params, form }) => {
    onlyKnown(form, ['client_secret']);
    return expand(account, account.setup(params.id ?? ''), form);
  });

  add('POST', '/v1/setup_intents/:id/cancel', 'setup_intents.cancel', ({ params, form }) => {
    onlyKnown(form, ['cancellation_reason']);
    const reasons = ['duplicate', 'requested_by_customer', 'abandoned'];
    const reason = oneOf(form, 'cancellation_reason', reasons) ?? null;
    return expand(account, cancelSetup(account, account.setup(params.id ?? ''), reason), form);
  });

  add('POST', '/v1/setup_intents/:id/confirm', 'setup_intents.confirm', ({ params, form }) => {
    onlyKnown(form, CONFIRM_PARAMETERS);
    const setup = account.setup(params.id ?? '');
    const card = fieldOf(form.payment_method_data, 'card');
    const number = textOf(card, 'number');
    if (number === undefined) throw invalidParameter('payment_method_data', 'The card has no number');
    const year = Number(textOf(card, 'exp_year') ?? '34');
    confirmSetup(account, setup, {
      number,
      month: Number(textOf(card, 'exp_month') ?? '12'),
      year: year < 100 ? 2000 + year : year,
      returnUrl: optionalText(form, 'return_url') ?? null,
    });
    const { last_setup_error: error } = setup;
    if (setup.status === 'requires_payment_method' && error)
      throw new StripeError(402, {
        type: 'card_error',
        code: String(error.code),
        message: String(error.message),
        ...(typeof error.decline_code === 'string' && { decline_code: error.decline_code }),
        setup_intent: structuredClone(setup),
      });
    return expand(account, setup, form);
  });
}

/** A saved card that a new payment charges while the donor is away. */
interface SavedCard {
  customer: string;
  payment_method: string;
}

/** Returns the saved card of a request; undefined if the request charges none. Refuses what Stripe refuses. */
export function savedCardOf(account: StripeAccount, form: Form): SavedCard | undefined {
  if (form.off_session !== undefined && form.confirm !== 'true') {
    const message = 'You cannot set `off_session` without `confirm`.';
    throw invalidParameter('off_session', message, 'payment_intent_invalid_parameter');
  }
  const customer = optionalText(form, 'customer');
  const method = optionalText(form, 'payment_method');
  if (customer === undefined || method === undefined || form.confirm !== 'true') return undefined;
  account.customer(customer);
  if (account.method(method).customer !== customer) throw noSuch('PaymentMethod', method, 'payment_method');
  const redirects = textOf(form.automatic_payment_methods, 'allow_redirects') ?? 'always';
  if (form.off_session !== 'true')
    throw invalidParameter('off_session', 'The sandbox charges saved cards only with off_session');
  if (redirects !== 'never' && optionalText(form, 'return_url') === undefined) {
    const message =
      'This PaymentIntent is configured to accept payment methods enabled in your Dashboard. Because some of these ' +
      'payment methods might redirect your customer off of your page, you must provide a `return_url`.';
    throw invalidParameter('return_url', message);
  }
  return { customer, payment_method: method };
}

/**
 * Charges the saved card of an intent. With a bank that asks for 3-D Secure, the charge is declined with
 * `authentication_required`, because the donor is away.
 */
export function chargeSavedCard(account: StripeAccount, intent: PaymentIntent, decline: boolean): void {
  const method = account.method(intent.payment_method ?? '');
  const outcome: CardOutcome = decline
    ? { kind: 'declines', declineCode: 'generic_decline' }
    : bySavedCard(account.numbers.get(method.id) ?? '');
  if (outcome.kind === 'authenticates') {
    const code = 'authentication_required';
    const message = 'Your card was declined. This transaction requires authentication.';
    declineIntent(account, intent, code, {
      code,
      message,
      doc_url: `https://docs.stripe.com/error-codes/${code}`,
    });
    const failed = account.charges.get(intent.latest_charge ?? '');
    if (failed) failed.failure_code = code;
    throw declined(account, intent, { code, decline_code: code, message });
  }
  if (outcome.kind === 'declines') {
    declineIntent(account, intent, outcome.declineCode);
    const message = 'Your card was declined.';
    throw declined(account, intent, { code: 'card_declined', decline_code: outcome.declineCode, message });
  }
  payIntent(account, intent);
}

function declined(
  account: StripeAccount,
  intent: PaymentIntent,
  fields: { code: string; decline_code: string; message: string },
): StripeError {
  const failed = account.charges.get(intent.latest_charge ?? '');
  return new StripeError(402, {
    type: 'card_error',
    ...fields,
    charge: intent.latest_charge ?? '',
    payment_intent: structuredClone(intent),
    payment_method: structuredClone(account.method(failed?.payment_method ?? '')),
  });
}
