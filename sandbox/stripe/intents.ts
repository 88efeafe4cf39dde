import { clientSecret, stripeId } from '../common/ids.js';
import type { StripeAccount } from './account.js';
import { recordMovement } from './balance.js';
import { refused } from './errors.js';
import { setMethod, setWallet, type Wallet } from './methods.js';
import { paymentFee } from './money.js';
import {
  type Cause,
  type Charge,
  newChargeFields,
  newIntentFields,
  OUTSIDE,
  type PaymentIntent,
} from './objects.js';

export interface NewIntent {
  amount: number;
  currency: string;
  metadata?: Record<string, string>;
  description?: string | null;
  receipt_email?: string | null;
  customer?: string | null;
  /** A saved card of the customer. */
  payment_method?: string | null;
}

export function createIntent(
  account: StripeAccount,
  wanted: NewIntent,
  cause: Cause = OUTSIDE,
): PaymentIntent {
  const id = stripeId('pi');
  const intent: PaymentIntent = {
    ...newIntentFields(),
    id,
    object: 'payment_intent',
    amount: wanted.amount,
    amount_received: 0,
    currency: wanted.currency,
    status: 'requires_payment_method',
    client_secret: clientSecret(id),
    created: account.seconds(),
    metadata: { ...wanted.metadata },
    description: wanted.description ?? null,
    latest_charge: null,
    next_action: null,
    payment_method_types: ['card'],
    last_payment_error: null,
    canceled_at: null,
    cancellation_reason: null,
    payment_method: wanted.payment_method ?? null,
    processing: null,
    receipt_email: wanted.receipt_email ?? null,
    customer: wanted.customer ?? null,
  };
  account.intents.set(id, intent);
  account.emit('payment_intent.created', intent, cause);
  return intent;
}

function newCharge(account: StripeAccount, intent: PaymentIntent, status: Charge['status']): Charge {
  const paid = status === 'succeeded';
  const charge: Charge = {
    ...newChargeFields(),
    id: stripeId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: paid ? intent.amount : 0,
    amount_refunded: 0,
    balance_transaction: null,
    captured: paid,
    created: account.seconds(),
    currency: intent.currency,
    description: intent.description,
    disputed: false,
    metadata: { ...intent.metadata },
    outcome: outcome(status),
    paid,
    payment_intent: intent.id,
    payment_method: intent.payment_method ?? stripeId('pm'),
    customer: intent.customer,
    receipt_email: intent.receipt_email,
    refunded: false,
    status,
  };
  account.charges.set(charge.id, charge);
  intent.latest_charge = charge.id;
  return charge;
}

function outcome(status: Charge['status']) {
  const declined = status === 'failed';
  return {
    advice_code: declined ? 'try_again_later' : null,
    network_advice_code: null,
    network_decline_code: declined ? '01' : null,
    network_status: declined ? 'declined_by_network' : 'approved_by_network',
    reason: declined ? 'generic_decline' : null,
    risk_level: 'normal',
    seller_message: declined
      ? 'The bank did not return any further details with this decline.'
      : 'Payment complete.',
    type: declined ? 'issuer_declined' : 'authorized',
  };
}

export interface PayOptions {
  /** An amount that differs from the request, to test if the service notices the difference. */
  amount?: number;
  currency?: string;
  /** The received amount, if it differs from the amount of the intent. Changes only `amount_received`, not `amount`. */
  received?: number;
  /** True if even a cancelled intent succeeds. */
  force?: boolean;
  /** The method of payment, such as `ideal`; `card` if absent. A slow payment keeps the method of `process`. */
  method?: string;
  /** The wallet that holds the card. */
  wallet?: Wallet;
  /** The payer, if the donor pays with a wallet. */
  payer?: WalletPayer;
}

/** The billing details that a wallet sends. */
export interface WalletPayer {
  wallet: Wallet;
  name?: string;
  email?: string;
}

/** Writes the payer of a wallet into the charge, in the form of the API. */
function setPayer(charge: Charge, { wallet, name, email }: WalletPayer): void {
  const { billing_details: billing } = newChargeFields();
  charge.billing_details = { ...billing, name: name ?? null, email: email ?? null };
  setWallet(charge, wallet);
}

/** The donor pays, or a processing payment succeeds. */
export function payIntent(
  account: StripeAccount,
  intent: PaymentIntent,
  options: PayOptions = {},
): PaymentIntent {
  if (intent.status === 'succeeded') throw unexpectedState(intent, 'pay');
  if (intent.status === 'canceled' && options.force !== true) throw unexpectedState(intent, 'pay');
  intent.amount = options.amount ?? intent.amount;
  intent.currency = options.currency ?? intent.currency;
  const received = options.received ?? intent.amount;
  const charge = waitingCharge(account, intent) ?? newCharge(account, intent, 'succeeded');
  if (options.method !== undefined) setMethod(charge, intent, options.method);
  if (options.wallet) setWallet(charge, options.wallet);
  if (options.payer) setPayer(charge, options.payer);
  const type = options.method === undefined || options.method === 'card' ? 'charge' : 'payment';
  Object.assign(charge, {
    status: 'succeeded',
    paid: true,
    captured: true,
    amount: intent.amount,
    amount_captured: received,
    currency: intent.currency,
    balance_transaction: charge.balance_transaction ?? movePayment(account, charge, type, received),
    outcome: outcome('succeeded'),
  });
  Object.assign(intent, {
    status: 'succeeded',
    amount_received: received,
    next_action: null,
    payment_method: charge.payment_method,
    last_payment_error: null,
    processing: null,
    canceled_at: null,
    cancellation_reason: null,
  });
  account.emit('charge.succeeded', charge);
  account.emit('payment_intent.succeeded', intent);
  return intent;
}

/** Records the money of a payment: the amount minus Stripe's fee. */
function movePayment(
  account: StripeAccount,
  { id, currency }: Charge,
  type: 'charge' | 'payment',
  amount: number,
): string {
  const fee = paymentFee(account.fees, amount, currency);
  return recordMovement(account, { type, category: 'charge', amount, currency, fee, source: id }).id;
}

/** Reverses the balance transaction and fee of a debit that the bank refused. */
function undoPayment(
  account: StripeAccount,
  { id, currency, balance_transaction: made }: Charge,
): string | null {
  if (made === null) return null;
  const { amount, fee } = account.movement(made);
  return recordMovement(account, {
    type: 'payment_failure_refund',
    category: 'charge_failure',
    amount: -amount,
    currency,
    fee: -fee,
    source: id,
  }).id;
}

/** Returns the charge of a processing payment. */
function waitingCharge(account: StripeAccount, intent: PaymentIntent): Charge | undefined {
  return intent.status === 'processing' ? account.charges.get(intent.latest_charge ?? '') : undefined;
}

/** Starts a slow payment, such as a bank debit. The intent is `processing` until `payIntent` or `declineIntent`. */
export function processIntent(account: StripeAccount, intent: PaymentIntent, method = 'card'): PaymentIntent {
  if (intent.status !== 'requires_payment_method' && intent.status !== 'requires_action')
    throw unexpectedState(intent, 'process');
  const charge = newCharge(account, intent, 'pending');
  if (method !== 'card') {
    setMethod(charge, intent, method);
    // Stripe records a debit immediately, and reverses the record if the debit fails.
    charge.balance_transaction = movePayment(account, charge, 'payment', intent.amount);
  }
  intent.status = 'processing';
  intent.processing = method === 'card' ? { type: 'card' } : null;
  intent.next_action = null;
  intent.payment_method = charge.payment_method;
  account.emit('charge.pending', charge);
  account.emit('payment_intent.processing', intent);
  return intent;
}

/** Declines a payment as the donor's bank does. The donor may try again. */
export function declineIntent(
  account: StripeAccount,
  intent: PaymentIntent,
  declineCode = 'generic_decline',
  error: Record<string, unknown> = {},
): PaymentIntent {
  if (intent.status === 'succeeded' || intent.status === 'canceled') throw unexpectedState(intent, 'decline');
  const charge = waitingCharge(account, intent) ?? newCharge(account, intent, 'failed');
  const message = 'Your card was declined.';
  Object.assign(charge, {
    status: 'failed',
    failure_code: 'card_declined',
    failure_message: message,
    failure_balance_transaction: undoPayment(account, charge),
    outcome: outcome('failed'),
  });
  intent.status = 'requires_payment_method';
  intent.processing = null;
  intent.next_action = null;
  intent.payment_method = null;
  intent.last_payment_error = {
    charge: charge.id,
    code: 'card_declined',
    decline_code: declineCode,
    doc_url: 'https://docs.stripe.com/error-codes/card-declined',
    message,
    payment_method: {
      id: charge.payment_method,
      object: 'payment_method',
      billing_details: charge.billing_details,
      created: charge.created,
      customer: null,
      customer_account: null,
      livemode: false,
      metadata: {},
      type: methodOf(intent, charge),
    },
    type: 'card_error',
    ...error,
  };
  account.emit('charge.failed', charge);
  account.emit('payment_intent.payment_failed', intent);
  return intent;
}

/** Returns the payment method of a charge. For an unpaid payment, returns the method that the donor chose last. */
function methodOf(intent: PaymentIntent, { payment_method_details: details }: Charge): string {
  const charged = (details as { type?: string } | undefined)?.type ?? 'card';
  return charged === 'card' ? (intent.payment_method_types.at(-1) ?? 'card') : charged;
}

export function cancelIntent(
  account: StripeAccount,
  intent: PaymentIntent,
  reason: string | null = null,
  cause: Cause = OUTSIDE,
): PaymentIntent {
  if (intent.status !== 'requires_payment_method' && intent.status !== 'requires_action')
    throw unexpectedState(intent, 'cancel');
  intent.status = 'canceled';
  intent.next_action = null;
  intent.canceled_at = account.seconds();
  intent.cancellation_reason = reason;
  account.emit('payment_intent.canceled', intent, cause);
  return intent;
}

/** Next actions that a new attempt cannot replace, because the donor's voucher stays valid. */
const NOT_DETACHABLE: ReadonlySet<string> = new Set(['boleto_display_details', 'oxxo_display_details']);

/**
 * Starts another attempt of the same intent. Stripe accepts a confirmation also in `requires_action`: the new payment
 * method replaces the one that waits for the donor. Source:
 * https://docs.stripe.com/changelog/clover/2025-09-30/client-secret-reuse
 */
export function beginAttempt(intent: PaymentIntent): void {
  const waits = intent.status === 'requires_action' && !NOT_DETACHABLE.has(intent.next_action?.type ?? '');
  if (intent.status !== 'requires_payment_method' && !waits) throw unexpectedState(intent, 'confirm');
  intent.status = 'requires_payment_method';
  intent.next_action = null;
}

const CONFIRMABLE = 'requires_payment_method, requires_confirmation, requires_action';
const CANCELLABLE = 'requires_payment_method, requires_capture, requires_confirmation, requires_action';
const USED_AS: Readonly<Record<string, string>> = { cancel: 'canceled', confirm: 'confirmed' };

export function unexpectedState(intent: PaymentIntent, verb: string) {
  const allowed = verb === 'confirm' ? CONFIRMABLE : CANCELLABLE;
  return refused(
    'payment_intent_unexpected_state',
    `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with ` +
      `one of the following statuses may be ${USED_AS[verb] ?? 'used so'}: ${allowed}.`,
    { payment_intent: structuredClone(intent) },
  );
}
