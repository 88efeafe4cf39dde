import type { StripeAccount } from './account.js';
import type { Dispute } from './objects.js';

/** Sums of one payment, in minor units. */
export interface StripePayment {
  id: string;
  status: string;
  currency: string;
  metadata: Record<string, string>;
  paid: number;
  /** Succeeded refunds. */
  refunded: number;
  /** Pending refunds. */
  refundPending: number;
  /** Open disputes. */
  disputed: number;
  /** Lost disputes. */
  disputeLost: number;
  /** paid − refunded − disputeLost. Pending refunds and open disputes are not subtracted. */
  held: number;
}

export function stripePayments(account: StripeAccount): StripePayment[] {
  const refundsOf = byIntent(account.refunds.values());
  const disputesOf = byIntent(account.disputes.values());
  return [...account.intents.values()].map((intent) => {
    const refunds = refundsOf.get(intent.id) ?? [];
    const disputes = disputesOf.get(intent.id) ?? [];
    const paid = intent.amount_received;
    const refunded = sum(refunds.filter(({ status }) => status === 'succeeded'));
    const disputeLost = sum(disputes.filter(isLost));
    return {
      id: intent.id,
      status: intent.status,
      currency: intent.currency,
      metadata: intent.metadata,
      paid,
      refunded,
      refundPending: sum(
        refunds.filter(({ status }) => status === 'pending' || status === 'requires_action'),
      ),
      disputed: sum(
        disputes.filter(({ status }) => status === 'needs_response' || status === 'under_review'),
      ),
      disputeLost,
      held: paid - refunded - disputeLost,
    };
  });
}

/** True if the donor's bank keeps the money of a dispute. An undecided dispute is not lost. */
function isLost({ status, balance_transactions: movements }: Dispute): boolean {
  const moved = movements.reduce((total, { amount }) => total + amount, 0);
  return status === 'lost' || ((status === 'prevented' || status.startsWith('appeal_')) && moved < 0);
}

function byIntent<T extends { payment_intent: string }>(rows: Iterable<T>): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.payment_intent);
    if (group) group.push(row);
    else groups.set(row.payment_intent, [row]);
  }
  return groups;
}

function sum(rows: { amount: number }[]): number {
  return rows.reduce((total, row) => total + row.amount, 0);
}
