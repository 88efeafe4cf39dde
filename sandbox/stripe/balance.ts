import { stripeId } from '../common/ids.js';
import type { StripeAccount } from './account.js';
import type { BalanceTransaction } from './objects.js';

export interface Movement {
  type:
    'charge' | 'payment' | 'payment_failure_refund' | 'refund' | 'refund_failure' | 'adjustment' | 'payout';
  category:
    'charge' | 'charge_failure' | 'refund' | 'refund_failure' | 'dispute' | 'dispute_reversal' | 'payout';
  /** Negative if money leaves the account. */
  amount: number;
  currency: string;
  fee?: number;
  feeDescription?: string;
  source: string;
}

/** Records a balance transaction and deducts its fee. */
export function recordMovement(account: StripeAccount, movement: Movement): BalanceTransaction {
  const { amount, currency, source, fee = 0 } = movement;
  const created = account.seconds();
  const description = movement.feeDescription ?? 'Stripe processing fees';
  const transaction: BalanceTransaction = {
    id: stripeId('txn'),
    object: 'balance_transaction',
    amount,
    available_on: created + 7 * 24 * 3600,
    balance_type: 'payments',
    created,
    currency,
    description: null,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0 ? [] : [{ amount: fee, application: null, currency, description, type: 'stripe_fee' }],
    net: amount - fee,
    reporting_category: movement.category,
    source,
    status: 'pending',
    type: movement.type,
  };
  account.balance.set(transaction.id, transaction);
  return transaction;
}
