import type Stripe from 'stripe';
import { InvalidInputError } from '../../../common/errors/domain-errors.js';
import { isId } from '../../../common/crypto/ids.js';
import { currencyExponent, isCurrency } from '../../../common/money/money.js';
import {
  type DisputeFact,
  type PaidMethod,
  type Payer,
  type PaymentFact,
  type PaymentRef,
  type ProviderFee,
  type RefundFact,
  type RefundStatus,
  foreignEmail,
  foreignMethod,
  foreignPayer,
  foreignText,
} from '../provider-port.js';
import { underWay } from './stripe-under-way.js';

/**
 * Stripe's decimals of a currency, if they differ from ISO 4217. Source: https://docs.stripe.com/currencies
 * (zero-decimal, special cases, three-decimal).
 */
const STRIPE_EXPONENT: Readonly<Record<string, number>> = {
  // no decimals at Stripe, two in ISO 4217
  mga: 0,
  // no decimals in ISO 4217, two (always 00) at Stripe
  isk: 2,
  ugx: 2,
};

const MAX_STRIPE_AMOUNT = 99_999_999n;

/** Returns the step of a currency: Stripe accepts only multiples of this number of ISO minor units. */
export function stripeStep(currency: string): number {
  const exponent = currencyExponent(currency);
  // The last digit of a three-decimal currency must be 0.
  return exponent === 3 ? 10 : 10 ** Math.max(0, exponent - (STRIPE_EXPONENT[currency] ?? exponent));
}

/**
 * Converts ISO minor units to Stripe's amount.
 * @throws InvalidInputError if Stripe cannot accept exactly that amount
 */
export function toStripeAmount(amount: bigint, currency: string): number {
  const exponent = currencyExponent(currency);
  const shift = (STRIPE_EXPONENT[currency] ?? exponent) - exponent;
  const factor = 10n ** BigInt(Math.abs(shift));
  const step = stripeStep(currency);
  if (amount % BigInt(step) !== 0n) throw unusable(`${currency} amounts must be a multiple of ${step}`);
  const converted = shift < 0 ? amount / factor : amount * factor;
  if (converted > MAX_STRIPE_AMOUNT) throw unusable('amount is above the maximum of a card payment');
  return Number(converted);
}

/** Converts Stripe's amount to ISO minor units. */
export function fromStripeAmount(amount: number, currency: string): bigint {
  const iso = currency.toLowerCase();
  if (!isCurrency(iso)) return BigInt(amount);
  const exponent = currencyExponent(iso);
  const shift = (STRIPE_EXPONENT[iso] ?? exponent) - exponent;
  if (shift === 0) return BigInt(amount);
  const factor = 10n ** BigInt(Math.abs(shift));
  return shift < 0 ? BigInt(amount) * factor : BigInt(amount) / factor;
}

const unusable = (message: string) => new InvalidInputError('AMOUNT_NOT_PAYABLE', message);

/** Converts Stripe's objects to payment facts. The shapes follow the API reference. */

/** Types of events that give facts. */
export const USED_EVENTS = [
  'payment_intent.succeeded',
  'payment_intent.processing',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.refunded',
  // Older API versions send this type instead of `refund.updated`. Its object is the refund.
  'charge.refund.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'radar.early_fraud_warning.created',
] as const;

export function intentFacts(intent: Stripe.PaymentIntent, at: Date): PaymentFact[] {
  const ref = refOf(intent.id, intent.metadata);
  switch (intent.status) {
    case 'succeeded': {
      // Without received money, do not book the payment as paid: it may not be finished.
      if (intent.amount_received <= 0)
        return [{ ...ref, kind: 'unknown', status: 'succeeded without money' }];
      const method = methodOf(intent.latest_charge);
      const payer = payerOf(intent.latest_charge);
      return [
        {
          ...ref,
          kind: 'paid',
          captureId: idOf(intent.latest_charge),
          amount: fromStripeAmount(intent.amount_received, intent.currency),
          currency: intent.currency.toLowerCase(),
          paidAt: at,
          donor: donorOf(intent.metadata),
          ...(method && { method }),
          ...(payer && { payer }),
        },
      ];
    }
    case 'processing':
      return [{ ...ref, kind: 'processing', ...(isDebit(intent.latest_charge) && { waitsFor: 'bank' }) }];
    case 'requires_action': {
      const waits = underWay(intent);
      return waits ? [{ ...ref, kind: 'processing', waitsFor: 'donor', ...waits }] : [];
    }
    case 'canceled':
      return [{ ...ref, kind: 'cancelled' }];
    case 'requires_payment_method':
      return intent.last_payment_error ? [failedFact(intent)] : [];
    case 'requires_confirmation':
    case 'requires_capture':
      return [];
    default:
      return [{ ...ref, kind: 'unknown', status: shownStatus(intent.status) }];
  }
}

/**
 * Debits of a bank account: the donor agrees on the page, and the bank answers days later. Vouchers are not in this
 * list, because an unpaid voucher is a normal case and needs no report to staff.
 */
const DEBITS: ReadonlySet<string> = new Set([
  'acss_debit',
  'au_becs_debit',
  'bacs_debit',
  'nz_bank_account',
  'payto',
  'sepa_debit',
  'sofort',
  'us_bank_account',
]);

/** True if the charge, if it is included, debits a bank account. */
const isDebit = (charge: Stripe.PaymentIntent['latest_charge'] | undefined): boolean =>
  DEBITS.has(methodOf(charge)?.method ?? '');

/** Returns the decline of a `payment_intent.payment_failed` event. The intent in the event may have a later state. */
export const failedFact = (intent: Stripe.PaymentIntent): PaymentFact => {
  const { last_payment_error: error } = intent;
  const reason = error?.decline_code ?? error?.code;
  return {
    ...refOf(intent.id, intent.metadata),
    kind: 'failed',
    ...(reason ? { reason } : {}),
    ...(DEBITS.has(error?.payment_method?.type ?? '') && { wasUnderWay: true }),
  };
};

export function refundFact(refund: Stripe.Refund): RefundFact[] {
  const paymentId = idOf(refund.payment_intent);
  if (!paymentId) return [];
  // Other systems on the same account write their own ids in this field.
  const refundId = refund.metadata?.refundId;
  const said = refund.status ?? 'pending';
  const status = REFUND_STATUS[said];
  return [
    {
      kind: 'refund',
      paymentId,
      providerRefundId: refund.id,
      ...(refundId !== undefined && isId(refundId) ? { refundId } : {}),
      amount: fromStripeAmount(refund.amount, refund.currency),
      currency: refund.currency.toLowerCase(),
      status: status ?? 'pending',
      ...(status === undefined && { unknownStatus: shownStatus(said) }),
    },
  ];
}

const REFUND_STATUS: Readonly<Record<string, RefundStatus>> = {
  pending: 'pending',
  requires_action: 'pending',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'cancelled',
};

/** The provider's status, safe to store and show. */
const shownStatus = (status: string): string => foreignText(status, { max: 100 }) ?? 'without a status';

/** Statuses in which Stripe waits for the charity: for evidence, or for the answer to a question of the bank. */
const ASKS: ReadonlySet<string> = new Set([
  'needs_response',
  'warning_needs_response',
  'appeal_needs_response',
]);
/** Statuses of a decided dispute that is under review again. */
const APPEALS: ReadonlySet<string> = new Set(['appeal_needs_response', 'appeal_under_review']);

/**
 * Returns the state of a dispute for the books; undefined for an unknown status. An appeal itself moves no money: the
 * bank keeps the money until the appeal is won, unless the bank returned it before. The card network ended a
 * prevented dispute. If the charity's money was used, the movements show a withdrawal.
 */
function standingOf(
  status: string,
  movements: readonly Stripe.BalanceTransaction[],
): DisputeFact['status'] | undefined {
  const moved = movements.reduce((sum, { amount }) => sum + amount, 0);
  switch (status) {
    case 'needs_response':
    case 'under_review':
    case 'warning_needs_response':
    case 'warning_under_review':
      return 'open';
    case 'appeal_needs_response':
    case 'appeal_under_review':
      return movements.length > 0 && moved >= 0 ? 'open' : 'lost';
    case 'lost':
      return 'lost';
    case 'prevented':
      return moved < 0 ? 'lost' : 'won';
    case 'won':
    case 'warning_closed':
      // A closed inquiry never moved money.
      return 'won';
    default:
      return undefined;
  }
}

/** @param asOf time of this state at Stripe, in whole seconds like the times of Stripe's events */
export function disputeFact(dispute: Stripe.Dispute, asOf: Date): DisputeFact[] {
  const paymentId = idOf(dispute.payment_intent);
  if (!paymentId) return [];
  const { status } = dispute;
  // Webhook events of other API versions may lack these fields.
  const due = (dispute.evidence_details as Stripe.Dispute.EvidenceDetails | undefined)?.due_by;
  const movements = (dispute.balance_transactions as Stripe.BalanceTransaction[] | undefined) ?? [];
  const fee = feeOf(movements);
  const standing = standingOf(status, movements);
  return [
    {
      kind: 'dispute',
      paymentId,
      disputeId: dispute.id,
      amount: fromStripeAmount(dispute.amount, dispute.currency),
      currency: dispute.currency.toLowerCase(),
      status: standing ?? 'open',
      providerStatus: status,
      reason: dispute.reason,
      isInquiry: status.startsWith('warning_'),
      ...(APPEALS.has(status) && { isAppeal: true }),
      ...(standing === undefined && { isUnknown: true }),
      needsAnswer: standing === undefined || ASKS.has(status),
      ...(due ? { dueBy: new Date(due * 1000) } : {}),
      ...(fee ? { fee } : {}),
      asOf,
    },
  ];
}

/** Returns the sum of Stripe's fees for the given balance transactions, in the currency of the account. */
export function feeOf(movements: readonly Stripe.BalanceTransaction[]): ProviderFee | undefined {
  const [first] = movements;
  if (!first) return undefined;
  const fee = movements
    .filter(({ currency }) => currency === first.currency)
    .reduce((sum, movement) => sum + movement.fee, 0);
  return { amount: fromStripeAmount(fee, first.currency), currency: first.currency.toLowerCase() };
}

const refOf = (paymentId: string, metadata: Stripe.Metadata): PaymentRef => ({
  paymentId,
  ...(metadata.donationId ? { donationId: metadata.donationId } : {}),
  ...(metadata.eventId ? { eventRef: metadata.eventId } : {}),
});

/** Returns the donor's details. The checkout page that created the payment stored them in the metadata. */
function donorOf(metadata: Stripe.Metadata) {
  const name = foreignText(metadata.donorName, { max: 200 });
  const email = foreignEmail(metadata.donorEmail);
  const message = foreignText(metadata.message, { max: 500, multiline: true });
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(message !== undefined && { message }),
    isAnonymous: metadata.isAnonymous === 'true',
    ...(metadata.isAmountHidden === 'true' && { isAmountHidden: true }),
  };
}

/** Returns the method of a charge, and the wallet of a card; undefined in events, which contain only the charge's id. */
export function methodOf(charge: Stripe.PaymentIntent['latest_charge'] | undefined): PaidMethod | undefined {
  if (!charge || typeof charge === 'string') return undefined;
  const { payment_method_details: details } = charge as Partial<Stripe.Charge>;
  return foreignMethod(details?.type, details?.card?.wallet?.type);
}

/** Payment methods with an account of the donor. Cards in a wallet name the wallet in `card.wallet`. */
const WALLETS: ReadonlySet<string> = new Set(['amazon_pay', 'link', 'paypal', 'revolut_pay']);

/**
 * Returns the owner of the wallet; undefined for other methods, and in events, which contain only the charge's id or, from
 * another API version, nothing.
 */
function payerOf(charge: Stripe.PaymentIntent['latest_charge'] | undefined): Payer | undefined {
  if (!charge || typeof charge === 'string') return undefined;
  const { billing_details: billing, payment_method_details: method } = charge as Partial<Stripe.Charge>;
  if (!method || !(WALLETS.has(method.type) || method.card?.wallet)) return undefined;
  return foreignPayer(billing?.name ?? undefined, billing?.email ?? undefined);
}

export const idOf = (object: string | { id: string } | null | undefined): string | undefined =>
  typeof object === 'string' ? object : object?.id;
