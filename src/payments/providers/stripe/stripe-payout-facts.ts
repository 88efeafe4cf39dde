import type Stripe from 'stripe';
import type { Payout, PayoutItem, ProviderBalance } from '../provider-port.js';
import { fromStripeAmount, idOf } from './stripe-facts.js';

/** Converts Stripe's payouts and balance transactions to the types of the port. The shapes follow the API reference. */

/**
 * Converts a payout. Stripe lists the items of an automatic payout after `reconciliation_status` is `completed`, and
 * never lists the items of a manual payout.
 */
export function payoutOf(payout: Stripe.Payout): Payout {
  return {
    payoutId: payout.id,
    amount: fromStripeAmount(payout.amount, payout.currency),
    currency: payout.currency.toLowerCase(),
    status: payout.status,
    arrivesAt: new Date(payout.arrival_date * 1000),
    createdAt: new Date(payout.created * 1000),
    isItemized: payout.automatic && payout.reconciliation_status === 'completed',
  };
}

/** Returns the available and the pending money of each currency. A currency may be in only one of the two lists. */
export function balancesOf({
  available,
  pending,
}: Pick<Stripe.Balance, 'available' | 'pending'>): ProviderBalance[] {
  const sumOf = (list: typeof available, currency: string) =>
    list
      .filter((one) => one.currency === currency)
      .reduce((sum, { amount }) => sum + fromStripeAmount(amount, currency), 0n);
  const currencies = new Set([...available, ...pending].map(({ currency }) => currency));
  return [...currencies].sort().map((currency) => ({
    currency: currency.toLowerCase(),
    available: sumOf(available, currency),
    pending: sumOf(pending, currency),
  }));
}

/**
 * Stripe lists a bank debit as a payment immediately. If the bank refuses or returns the debit, a transaction of
 * these types reverses the payment.
 */
const RETURNED: ReadonlySet<string> = new Set(['payment_failure_refund', 'payment_reversal']);

/** Kinds of payout items, by Stripe's `reporting_category`. */
const KINDS: Readonly<Record<string, PayoutItem['kind']>> = {
  charge: 'payment',
  charge_failure: 'payment',
  refund: 'refund',
  refund_failure: 'refund',
  partial_capture_reversal: 'refund',
  dispute: 'dispute',
  dispute_reversal: 'dispute',
  fee: 'fee',
};

/** Returns the item of a balance transaction. Returns no item for the payout itself, which Stripe also lists. */
export function itemsOf(movement: Stripe.BalanceTransaction): PayoutItem[] {
  if (movement.type === 'payout') return [];
  const { currency, source } = movement;
  const amount = (value: number) => fromStripeAmount(value, currency);
  // Charges, refunds and disputes have a payment; fees have none.
  const payment =
    typeof source === 'object' && source && 'payment_intent' in source ? source.payment_intent : null;
  const paymentId = idOf(payment);
  return [
    {
      itemId: movement.id,
      kind: RETURNED.has(movement.type) ? 'payment' : (KINDS[movement.reporting_category] ?? 'other'),
      amount: amount(movement.amount),
      fee: amount(movement.fee),
      net: amount(movement.net),
      currency: currency.toLowerCase(),
      ...(paymentId !== undefined && { paymentId }),
      at: new Date(movement.created * 1000),
    },
  ];
}
