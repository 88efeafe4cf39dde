import { clientSecret, stripeId } from '../common/ids.js';
import type { StripeAccount } from './account.js';
import { refused } from './errors.js';
import {
  type Cause,
  type Customer,
  newCustomerFields,
  newMethodFields,
  newSetupFields,
  OUTSIDE,
  type PaymentMethod,
  type SetupIntent,
} from './objects.js';
import { bySetup, digitsOf } from './test-cards.js';

export function createCustomer(
  account: StripeAccount,
  metadata: Record<string, string>,
  cause: Cause,
): Customer {
  const customer: Customer = {
    ...newCustomerFields(),
    id: stripeId('cus'),
    object: 'customer',
    created: account.seconds(),
    metadata,
  };
  account.customers.set(customer.id, customer);
  account.emit('customer.created', customer, cause);
  return customer;
}

/** Deletes a customer. Its saved cards can never be used again. */
export function deleteCustomer(account: StripeAccount, customer: Customer, cause: Cause): object {
  account.customers.delete(customer.id);
  for (const method of account.methods.values())
    if (method.customer === customer.id) {
      method.customer = null;
      account.numbers.delete(method.id);
    }
  account.emit('customer.deleted', customer, cause);
  return { id: customer.id, object: 'customer', deleted: true };
}

export function createSetup(
  account: StripeAccount,
  wanted: { customer: string | null; metadata: Record<string, string>; usage: string },
  cause: Cause,
): SetupIntent {
  const id = stripeId('seti');
  const setup: SetupIntent = {
    ...newSetupFields(),
    id,
    object: 'setup_intent',
    client_secret: clientSecret(id),
    created: account.seconds(),
    customer: wanted.customer,
    metadata: wanted.metadata,
    status: 'requires_payment_method',
    next_action: null,
    payment_method: null,
    last_setup_error: null,
    cancellation_reason: null,
    usage: wanted.usage,
  };
  account.setups.set(id, setup);
  account.emit('setup_intent.created', setup, cause);
  return setup;
}

/** A card as the donor typed it. */
export interface TypedCard {
  number: string;
  month?: number;
  year?: number;
  returnUrl?: string | null;
}

/**
 * The donor confirms a SetupIntent with a card. The card is saved, or the bank asks for 3-D Secure first, or the card is
 * declined.
 */
export function confirmSetup(account: StripeAccount, setup: SetupIntent, card: TypedCard): SetupIntent {
  if (setup.status !== 'requires_payment_method' && setup.status !== 'requires_action')
    throw unexpectedSetupState(setup, 'confirm');
  const number = digitsOf(card.number);
  const outcome = bySetup(number);
  const method = newMethod(account, number, card);
  if (outcome.kind === 'invalid') return failSetup(account, setup, outcome.code, outcome.message);
  if (outcome.kind === 'declines')
    return failSetup(account, setup, 'card_declined', 'Your card was declined.', outcome.declineCode);
  setup.payment_method = method.id;
  setup.last_setup_error = null;
  if (outcome.kind !== 'authenticates') return saveCard(account, setup);
  setup.status = 'requires_action';
  setup.next_action = {
    type: 'redirect_to_url',
    redirect_to_url: { return_url: card.returnUrl ?? null, url: `${account.baseUrl}/3ds-setup/${setup.id}` },
  };
  account.emit('setup_intent.requires_action', setup);
  return setup;
}

/** The bank has authenticated the donor, so the card is saved. */
export function authenticateSetup(account: StripeAccount, setup: SetupIntent): SetupIntent {
  if (setup.status !== 'requires_action') throw unexpectedSetupState(setup, 'confirm');
  return saveCard(account, setup);
}

/** Ends an attempt without a saved card. The donor may try again. */
export function failSetup(
  account: StripeAccount,
  setup: SetupIntent,
  code = 'setup_intent_authentication_failure',
  message = 'The latest attempt to set up the payment method has failed because authentication failed.',
  declineCode?: string,
): SetupIntent {
  setup.status = 'requires_payment_method';
  setup.next_action = null;
  setup.payment_method = null;
  setup.last_setup_error = {
    code,
    ...(declineCode !== undefined && { decline_code: declineCode }),
    doc_url: `https://docs.stripe.com/error-codes/${code.replaceAll('_', '-')}`,
    message,
    type: declineCode === undefined ? 'invalid_request_error' : 'card_error',
  };
  account.emit('setup_intent.setup_failed', setup);
  return setup;
}

export function cancelSetup(account: StripeAccount, setup: SetupIntent, reason: string | null): SetupIntent {
  if (setup.status === 'succeeded' || setup.status === 'canceled')
    throw unexpectedSetupState(setup, 'cancel');
  setup.status = 'canceled';
  setup.next_action = null;
  setup.cancellation_reason = reason;
  account.emit('setup_intent.canceled', setup);
  return setup;
}

function newMethod(account: StripeAccount, number: string, { month, year }: TypedCard): PaymentMethod {
  const method: PaymentMethod = {
    ...newMethodFields(number, { month: month ?? 12, year: year ?? 2034 }),
    id: stripeId('pm'),
    object: 'payment_method',
    created: account.seconds(),
    customer: null,
    type: 'card',
  };
  account.methods.set(method.id, method);
  account.numbers.set(method.id, number);
  return method;
}

function saveCard(account: StripeAccount, setup: SetupIntent): SetupIntent {
  const method = account.method(setup.payment_method ?? '');
  method.customer = setup.customer;
  setup.status = 'succeeded';
  setup.next_action = null;
  account.emit('payment_method.attached', method, OUTSIDE);
  account.emit('setup_intent.succeeded', setup);
  return setup;
}

export function unexpectedSetupState(setup: SetupIntent, verb: string) {
  return refused(
    'setup_intent_unexpected_state',
    `You cannot ${verb} this SetupIntent because it has a status of ${setup.status}.`,
    { setup_intent: structuredClone(setup) },
  );
}
