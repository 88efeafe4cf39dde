import { stripeId } from '../common/ids.js';
import type { StripeAccount } from './account.js';
import { recordMovement } from './balance.js';
import { refused } from './errors.js';
import { disputeFee } from './money.js';
import {
  type CaseType,
  type Cause,
  type Charge,
  type Dispute,
  type DisputeStatus,
  type FraudWarning,
  newDisputeFields,
  NO_EVIDENCE,
  OUTSIDE,
} from './objects.js';
import { refundable } from './refunds.js';

const DAY = 24 * 3600;
const RESPONSE_DAYS = 14;
const CLOSED: readonly DisputeStatus[] = ['won', 'lost', 'warning_closed', 'prevented'];

export interface NewDispute {
  /** Default: the part of the charge that was not refunded. */
  amount?: number;
  reason?: string;
  /** True if the bank only asks a question. No money moves, and the charge can still be refunded. */
  inquiry?: boolean;
  /** Days until evidence is due; default 14. */
  dueInDays?: number;
}

/** Opens a dispute: the donor's bank takes the money back, or only asks a question (`inquiry`). */
export function openDispute(account: StripeAccount, charge: Charge, wanted: NewDispute = {}): Dispute {
  const inquiry = wanted.inquiry === true;
  const dispute = newDispute(account, charge, {
    ...wanted,
    caseType: inquiry ? 'inquiry' : 'chargeback',
    status: inquiry ? 'warning_needs_response' : 'needs_response',
  });
  if (!inquiry) withdraw(account, dispute);
  account.emit('charge.dispute.created', dispute);
  if (!inquiry) account.emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/**
 * Creates a prevented dispute: the card network ends a complaint before it becomes a dispute. The money of the
 * charity returns to the donor, except with `block`.
 */
export function preventDispute(
  account: StripeAccount,
  charge: Charge,
  wanted: { amount?: number; block?: boolean } = {},
): Dispute {
  const { block = false, ...amount } = wanted;
  const caseType = block ? 'block' : 'resolution';
  const dispute = newDispute(account, charge, { ...amount, caseType, status: 'prevented' });
  dispute.evidence_details.due_by = null;
  if (!block) withdraw(account, dispute, 0);
  account.emit('charge.dispute.created', dispute);
  if (!block) account.emit('charge.dispute.funds_withdrawn', dispute);
  account.emit('charge.dispute.closed', dispute);
  return dispute;
}

function newDispute(
  account: StripeAccount,
  charge: Charge,
  wanted: NewDispute & { caseType: CaseType; status: DisputeStatus },
): Dispute {
  const left = refundable(account, charge);
  const amount = wanted.amount ?? left;
  if (charge.disputed) throw refused('charge_disputed', `Charge ${charge.id} is disputed already.`);
  if (amount <= 0 || amount > left) {
    throw refused('amount_too_large', `Only ${String(left)} of charge ${charge.id} can be disputed.`);
  }
  const dispute: Dispute = {
    ...newDisputeFields(wanted.caseType),
    id: stripeId('du'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: account.seconds(),
    currency: charge.currency,
    evidence: { ...NO_EVIDENCE },
    evidence_details: {
      due_by: dueBy(account, wanted.dueInDays),
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    is_charge_refundable: wanted.inquiry === true,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: wanted.reason ?? 'fraudulent',
    status: wanted.status,
  };
  account.disputes.set(dispute.id, dispute);
  charge.disputed = true;
  return dispute;
}

/** Turns an inquiry into a chargeback: the money is withdrawn, and the charity must answer again. */
export function escalateDispute(account: StripeAccount, dispute: Dispute, dueInDays?: number): Dispute {
  if (!isInquiry(dispute) || isClosed(dispute)) throw notSo(dispute, 'escalated');
  const before = dispute.status;
  dispute.status = 'needs_response';
  dispute.is_charge_refundable = false;
  dispute.payment_method_details = newDisputeFields('chargeback').payment_method_details;
  askAgain(account, dispute, dueInDays);
  withdraw(account, dispute);
  account.emit('charge.dispute.updated', dispute, OUTSIDE, { status: before });
  account.emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** Reopens a dispute that the charity won: the money is withdrawn again, and an answer is due. */
export function reopenDispute(account: StripeAccount, dispute: Dispute, dueInDays?: number): Dispute {
  if (dispute.status !== 'won') throw notSo(dispute, 'reopened');
  dispute.status = 'needs_response';
  askAgain(account, dispute, dueInDays);
  withdraw(account, dispute, 0);
  account.emit('charge.dispute.updated', dispute, OUTSIDE, { status: 'won' });
  account.emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** Allows the charity to appeal a lost dispute for `dueInDays` days. No money moves. */
export function appealDispute(account: StripeAccount, dispute: Dispute, dueInDays?: number): Dispute {
  if (dispute.status !== 'lost') throw notSo(dispute, 'appealed');
  dispute.status = 'appeal_needs_response';
  askAgain(account, dispute, dueInDays);
  account.emit('charge.dispute.updated', dispute, OUTSIDE, { status: 'lost' });
  return dispute;
}

function askAgain(account: StripeAccount, dispute: Dispute, dueInDays: number | undefined): void {
  const due = { due_by: dueBy(account, dueInDays), has_evidence: false, submission_count: 0 };
  dispute.evidence_details = { ...dispute.evidence_details, ...due };
}

/** Sends the answer of the charity. The bank then reviews the answer. */
export function submitEvidence(
  account: StripeAccount,
  dispute: Dispute,
  evidence: Record<string, unknown> = {},
  cause: Cause = OUTSIDE,
): Dispute {
  if (isClosed(dispute)) throw notSo(dispute, 'answered');
  const before = dispute.status;
  const { submission_count: earlier } = dispute.evidence_details;
  dispute.evidence = { ...dispute.evidence, ...evidence };
  Object.assign(dispute.evidence_details, {
    has_evidence: true,
    submission_count: earlier + 1,
    submission_method: 'manual',
  });
  dispute.status = isInquiry(dispute)
    ? 'warning_under_review'
    : isAppeal(dispute)
      ? 'appeal_under_review'
      : 'under_review';
  account.emit('charge.dispute.updated', dispute, cause, { status: before });
  return dispute;
}

/** Changes the reason or the deadline of an open dispute. */
export function updateDispute(
  account: StripeAccount,
  dispute: Dispute,
  changes: { reason?: string; dueInDays?: number },
): Dispute {
  if (isClosed(dispute)) throw notSo(dispute, 'updated');
  const previous: Record<string, unknown> = {};
  if (changes.reason !== undefined) {
    previous.reason = dispute.reason;
    dispute.reason = changes.reason;
  }
  if (changes.dueInDays !== undefined) {
    previous.evidence_details = { due_by: dispute.evidence_details.due_by };
    dispute.evidence_details.due_by = dueBy(account, changes.dueInDays);
  }
  account.emit('charge.dispute.updated', dispute, OUTSIDE, previous);
  return dispute;
}

/** Closes a dispute. If the charity wins, the money returns to the charity. An inquiry closes without moving money. */
export function closeDispute(
  account: StripeAccount,
  dispute: Dispute,
  result: 'won' | 'lost',
  cause: Cause = OUTSIDE,
): Dispute {
  if (isClosed(dispute)) {
    throw refused('dispute_closed', `Dispute ${dispute.id} is closed already (${dispute.status}).`);
  }
  dispute.status = isInquiry(dispute) ? 'warning_closed' : result;
  if (dispute.status === 'won') {
    const { amount, currency, id: source } = dispute;
    const back = { type: 'adjustment', category: 'dispute_reversal', amount, currency, source } as const;
    dispute.balance_transactions.push(recordMovement(account, back));
  }
  account.emit('charge.dispute.closed', dispute, cause);
  if (dispute.status === 'won') account.emit('charge.dispute.funds_reinstated', dispute, cause);
  return dispute;
}

/** Returns the dispute with the current value of `past_due`, which depends on the time. */
export function asOfNow(account: StripeAccount, dispute: Dispute): Dispute {
  const { due_by: due, submission_count: answers } = dispute.evidence_details;
  const late = !isClosed(dispute) && answers === 0 && due !== null && due < account.seconds();
  return { ...dispute, evidence_details: { ...dispute.evidence_details, past_due: late } };
}

/** Creates a fraud warning: the card's bank reports a payment as fraud. The warning itself moves no money. */
export function warnOfFraud(
  account: StripeAccount,
  charge: Charge,
  fraudType = 'made_with_stolen_card',
): FraudWarning {
  const warning: FraudWarning = {
    id: stripeId('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: !charge.disputed && !charge.refunded,
    charge: charge.id,
    created: account.seconds(),
    fraud_type: fraudType,
    livemode: false,
    payment_intent: charge.payment_intent,
  };
  account.warnings.set(warning.id, warning);
  account.emit('radar.early_fraud_warning.created', warning);
  return warning;
}

function withdraw(
  account: StripeAccount,
  dispute: Dispute,
  fee = disputeFee(account.fees, dispute.currency),
): void {
  const { amount, currency, id: source } = dispute;
  dispute.balance_transactions.push(
    recordMovement(account, {
      type: 'adjustment',
      category: 'dispute',
      amount: -amount,
      currency,
      fee,
      feeDescription: 'Dispute fee',
      source,
    }),
  );
}

function dueBy(account: StripeAccount, days = RESPONSE_DAYS): number {
  return account.seconds() + days * DAY;
}

function isInquiry({ status }: Dispute): boolean {
  return status.startsWith('warning_');
}

function isAppeal({ status }: Dispute): boolean {
  return status.startsWith('appeal_');
}

function isClosed({ status }: Dispute): boolean {
  return CLOSED.includes(status);
}

function notSo(dispute: Dispute, wanted: string) {
  return refused(
    'dispute_unexpected_state',
    `Dispute ${dispute.id} is ${dispute.status}: it cannot be ${wanted}.`,
  );
}
