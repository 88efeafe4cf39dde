import { stripeId } from '../common/ids.js';
import type { StripeAccount } from './account.js';
import { recordMovement } from './balance.js';
import { refused, StripeError } from './errors.js';
import type { Payout } from './objects.js';

const DAY_SECONDS = 24 * 3600;

export interface NewPayout {
  currency?: string;
  /**
   * True if a user requested the payout at the dashboard. Stripe does not list the items of a manual payout.
   */
  manual?: boolean;
  /** True if Stripe lists the items only after `itemizePayout`. */
  itemizedLater?: boolean;
  /** Days until the payout arrives; negative for the past. */
  arrivesInDays?: number;
}

/** Pays out the whole balance of a currency. */
export function payOut(account: StripeAccount, options: NewPayout): Payout {
  const { currency = 'eur', manual = false, itemizedLater = false, arrivesInDays = 2 } = options;
  const movements = [...account.balance.values()].filter(
    (one) => one.currency === currency && one.type !== 'payout' && !account.paidOut.has(one.id),
  );
  const amount = movements.reduce((sum, { net }) => sum + net, 0);
  if (amount <= 0) {
    const message = 'You have insufficient funds in your Stripe account for this transfer.';
    throw new StripeError(400, { type: 'invalid_request_error', code: 'balance_insufficient', message });
  }
  const created = account.seconds();
  const payout: Payout = {
    id: stripeId('po'),
    object: 'payout',
    amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: created + arrivesInDays * DAY_SECONDS,
    automatic: !manual,
    balance_transaction: null,
    created,
    currency,
    description: 'STRIPE PAYOUT',
    destination: null,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: false,
    metadata: {},
    method: 'standard',
    original_payout: null,
    payout_method: null,
    reconciliation_status: manual ? 'not_applicable' : itemizedLater ? 'in_progress' : 'completed',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: null,
    status: arrivesInDays > 0 ? 'in_transit' : 'paid',
    trace_id: null,
    type: 'bank_account',
  };
  account.payouts.set(payout.id, payout);
  const own = { type: 'payout', category: 'payout', amount: -amount, currency, source: payout.id } as const;
  const movement = recordMovement(account, own);
  payout.balance_transaction = movement.id;
  for (const { id } of [...movements, movement]) account.paidOut.set(id, payout.id);
  return payout;
}

/** Completes the item list of a payout. */
export function itemizePayout(payout: Payout): Payout {
  if (payout.reconciliation_status !== 'in_progress')
    throw refused('payout_unexpected_state', `Payout ${payout.id} is ${payout.reconciliation_status}.`);
  payout.reconciliation_status = 'completed';
  return payout;
}
