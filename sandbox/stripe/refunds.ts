import { stripeId } from '../common/ids.js';
import type { StripeAccount } from './account.js';
import { recordMovement } from './balance.js';
import { refused } from './errors.js';
import {
  type Cause,
  type Charge,
  newRefundFields,
  OUTSIDE,
  type Refund,
  type RefundStatus,
} from './objects.js';

export interface NewRefund {
  /** By default, the amount of the charge that was not refunded. */
  amount?: number | undefined;
  reason?: string | null;
  metadata?: Record<string, string>;
  /** `pending` and `requires_action` wait for `settleRefund`, `failRefund` or `cancelRefund`. */
  status?: RefundStatus;
}

/** Returns the refundable amount of a charge. Pending refunds are subtracted too. */
export function refundable(account: StripeAccount, charge: Charge): number {
  const given = [...account.refunds.values()]
    .filter((refund) => refund.charge === charge.id && !isBack(refund))
    .reduce((sum, refund) => sum + refund.amount, 0);
  return charge.amount_captured - given;
}

export function createRefund(
  account: StripeAccount,
  charge: Charge,
  wanted: NewRefund,
  cause: Cause = OUTSIDE,
): Refund {
  const left = refundable(account, charge);
  if (charge.disputed && hasUnwonDispute(account, charge)) {
    throw refused('charge_disputed', `Charge ${charge.id} has been charged back; cannot issue a refund.`);
  }
  if (left <= 0) {
    throw refused('charge_already_refunded', `Charge ${charge.id} has already been refunded.`);
  }
  const amount = wanted.amount ?? left;
  if (amount > left) {
    throw refused(
      'amount_too_large',
      `Refund amount (${String(amount)}) is greater than unrefunded amount on charge (${String(left)})`,
      { param: 'amount' },
    );
  }
  const status = wanted.status ?? 'succeeded';
  const refund: Refund = {
    ...newRefundFields(),
    id: stripeId('re'),
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: account.seconds(),
    currency: charge.currency,
    metadata: { ...wanted.metadata },
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: wanted.reason ?? null,
    status,
    ...(status === 'pending' && { pending_reason: 'processing' }),
    ...(status === 'requires_action' && { next_action: bankDetails(account) }),
    ...(status === 'failed' && { failure_reason: 'declined' }),
  };
  account.refunds.set(refund.id, refund);
  if (status !== 'failed') refund.balance_transaction = move(account, refund, 'refund');
  account.emit('refund.created', refund, cause);
  if (status === 'failed') {
    account.emit('refund.failed', refund, cause);
  } else {
    countRefunds(account, charge);
    account.emit('charge.refunded', charge, cause);
  }
  return refund;
}

export interface DashboardRefund {
  amount?: number | undefined;
  reason?: string;
  pending?: boolean;
  /** True if Stripe asks the donor for bank details. */
  requiresAction?: boolean;
}

export function refundAtDashboard(account: StripeAccount, charge: Charge, wanted: DashboardRefund): Refund {
  const { amount, reason = null, pending = false, requiresAction = false } = wanted;
  const status = requiresAction ? 'requires_action' : pending ? 'pending' : 'succeeded';
  return createRefund(account, charge, { amount, reason, status });
}

/** Completes a refund that is pending or waits for the donor's bank details. */
export function settleRefund(account: StripeAccount, refund: Refund): Refund {
  const before = refund.status;
  if (!isWaiting(refund)) throw notIn(refund, 'pending');
  refund.status = 'succeeded';
  delete refund.pending_reason;
  delete refund.next_action;
  account.emit('refund.updated', refund, OUTSIDE, { status: before });
  return refund;
}

/** Cancels a refund, because the donor entered no bank details in time. The charity keeps the money. */
export function cancelRefund(account: StripeAccount, refund: Refund): Refund {
  if (refund.status !== 'requires_action') throw notIn(refund, 'requires_action');
  refund.status = 'canceled';
  refund.failure_reason = 'expired_or_canceled_card';
  delete refund.next_action;
  giveBack(account, refund);
  account.emit('refund.updated', refund, OUTSIDE, { status: 'requires_action' });
  return refund;
}

const isWaiting = ({ status }: Refund): boolean => status === 'pending' || status === 'requires_action';
const isBack = ({ status }: Refund): boolean => status === 'failed' || status === 'canceled';

/** Returns the next action of a refund: Stripe sends an e-mail, and the donor enters bank details on Stripe's page. */
function bankDetails(account: StripeAccount): object {
  const email_sent = { email_sent_at: account.seconds(), email_sent_to: 'dora.donor@example.com' };
  return {
    type: 'display_details',
    display_details: { email_sent, expires_at: account.seconds() + 45 * 24 * 3600 },
  };
}

function giveBack(account: StripeAccount, refund: Refund): void {
  refund.failure_balance_transaction = move(account, refund, 'refund_failure');
  delete refund.pending_reason;
  countRefunds(account, account.charge(refund.charge));
}

/** Fails a pending or succeeded refund: the bank returns it, and the charity gets the money back. */
export function failRefund(account: StripeAccount, refund: Refund, reason = 'lost_or_stolen_card'): Refund {
  if (isBack(refund)) throw notIn(refund, 'pending or succeeded');
  const before = refund.status;
  refund.status = 'failed';
  refund.failure_reason = reason;
  giveBack(account, refund);
  account.emit('refund.updated', refund, OUTSIDE, { status: before });
  account.emit('refund.failed', refund, OUTSIDE, { status: before });
  return refund;
}

function move(account: StripeAccount, refund: Refund, type: 'refund' | 'refund_failure'): string {
  const amount = type === 'refund' ? -refund.amount : refund.amount;
  const { currency, id: source } = refund;
  return recordMovement(account, { type, category: type, amount, currency, source }).id;
}

function countRefunds(account: StripeAccount, charge: Charge): void {
  charge.amount_refunded = charge.amount_captured - refundable(account, charge);
  charge.refunded = charge.amount_refunded === charge.amount_captured;
}

function hasUnwonDispute(account: StripeAccount, charge: Charge): boolean {
  return [...account.disputes.values()].some(
    (dispute) => dispute.charge === charge.id && !dispute.is_charge_refundable && dispute.status !== 'won',
  );
}

function notIn(refund: Refund, wanted: string) {
  return refused('refund_unexpected_state', `Refund ${refund.id} is ${refund.status}, not ${wanted}.`);
}
