import { stripeId } from '../ids.js';
import { seconds, type StripeAccount } from './account.js';
import { refused } from './errors.js';
import { newDisputeFields, type Charge, type Dispute } from './objects.js';
import { refundable } from './refunds.js';

export interface NewDispute {
  /** Default: all of the charge that was not refunded. */
  amount?: number;
  reason?: string;
  /** Only a question of the bank: no money moves, the charge stays refundable. */
  inquiry?: boolean;
}

/** The donor's bank takes the money back. */
export function openDispute(account: StripeAccount, charge: Charge, wanted: NewDispute = {}): Dispute {
  const left = refundable(account, charge);
  const amount = wanted.amount ?? left;
  if (charge.disputed) throw refused('charge_disputed', `Charge ${charge.id} is disputed already.`);
  if (amount <= 0 || amount > left) {
    throw refused('amount_too_large', `Only ${String(left)} of charge ${charge.id} can be disputed.`);
  }
  const inquiry = wanted.inquiry === true;
  const dispute: Dispute = {
    ...newDisputeFields(),
    id: stripeId('du'),
    object: 'dispute',
    amount,
    balance_transactions: inquiry ? [] : [movement(-amount, charge.currency)],
    charge: charge.id,
    created: seconds(),
    currency: charge.currency,
    evidence_details: {
      due_by: seconds() + 14 * 24 * 3600,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: inquiry,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: wanted.reason ?? 'fraudulent',
    status: inquiry ? 'warning_needs_response' : 'needs_response',
  };
  account.disputes.set(dispute.id, dispute);
  charge.disputed = true;
  account.emit('charge.dispute.created', dispute);
  if (!inquiry) account.emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** The charity wins (the money comes back) or loses; an inquiry only closes. */
export function closeDispute(account: StripeAccount, dispute: Dispute, result: 'won' | 'lost'): Dispute {
  if (['won', 'lost', 'warning_closed'].includes(dispute.status)) {
    throw refused('dispute_closed', `Dispute ${dispute.id} is closed already (${dispute.status}).`);
  }
  const inquiry = dispute.status === 'warning_needs_response';
  dispute.status = inquiry ? 'warning_closed' : result;
  if (dispute.status === 'won') {
    dispute.balance_transactions.push(movement(dispute.amount, dispute.currency));
  }
  account.emit('charge.dispute.closed', dispute);
  if (dispute.status === 'won') account.emit('charge.dispute.funds_reinstated', dispute);
  return dispute;
}

function movement(amount: number, currency: string) {
  return {
    id: stripeId('txn'),
    object: 'balance_transaction',
    amount,
    available_on: seconds(),
    balance_type: 'payments',
    created: seconds(),
    currency,
    description: null,
    exchange_rate: null,
    fee: 0,
    fee_details: [],
    net: amount,
    reporting_category: amount < 0 ? 'dispute' : 'dispute_reversal',
    source: null,
    status: 'available',
    type: 'adjustment',
  };
}
