import { DAY_MS } from '../common/clock.js';
import { digits } from '../common/ids.js';
import type { PayPalAccount } from './account.js';
import { unprocessable } from './errors.js';
import { ofUnit } from './money.js';
import {
  type Capture,
  type Dispute,
  DISPUTE_STAGES,
  type DisputeOutcome,
  type DisputeStage,
  type DisputeStatus,
} from './objects.js';
import { createRefund, refundable } from './refunds.js';
import { disputeView } from './views.js';

const RESPONSE_DAYS = 10;

export interface NewDispute {
  /** In minor units. By default, the amount of the capture that was not refunded. */
  amount?: number | undefined;
  reason?: string | undefined;
  /** Default `INQUIRY`. */
  stage?: DisputeStage | undefined;
  /** `EXTERNAL`: the donor's bank. */
  channel?: Dispute['channel'] | undefined;
  /** Days until the charity must answer; default 10. */
  dueInDays?: number | undefined;
}

/** Opens a dispute: the donor complains to PayPal or to the bank. */
export function openDispute(account: PayPalAccount, capture: Capture, wanted: NewDispute = {}): Dispute {
  const left = refundable(account, capture);
  const amount = wanted.amount ?? left;
  if (amount <= 0 || amount > left) {
    throw unprocessable('DISPUTE_AMOUNT_EXCEEDED', `Only ${String(left)} of the capture can be disputed.`);
  }
  const now = account.clock.timestamp();
  const dispute: Dispute = {
    id: `PP-R-${digits(3)}-${digits(9)}`,
    captureId: capture.id,
    stage: wanted.stage ?? 'INQUIRY',
    status: 'WAITING_FOR_SELLER_RESPONSE',
    reason: wanted.reason ?? 'UNAUTHORISED',
    channel: wanted.channel ?? 'INTERNAL',
    currency: capture.currency,
    amount,
    sellerResponseDue: dueDate(account, wanted.dueInDays),
    outcome: undefined,
    refunded: 0,
    adjudications: [],
    movements: [],
    created: now,
    updated: now,
  };
  account.disputes.set(dispute.id, dispute);
  chargeFee(account, dispute);
  announce(account, dispute, 'CREATED', 'A new dispute opened with Case # ');
  return dispute;
}

/** Moves a dispute to the next stage or to `stage`. The charity must answer again. */
export function escalateDispute(
  account: PayPalAccount,
  dispute: Dispute,
  options: { stage?: DisputeStage | undefined; dueInDays?: number | undefined } = {},
): Dispute {
  refuseResolved(dispute);
  const next = options.stage ?? DISPUTE_STAGES[DISPUTE_STAGES.indexOf(dispute.stage) + 1];
  if (next === undefined) throw unprocessable('DISPUTE_AT_LAST_STAGE', `The dispute is in ${dispute.stage}.`);
  dispute.stage = next;
  dispute.status = 'WAITING_FOR_SELLER_RESPONSE';
  dispute.sellerResponseDue = dueDate(account, options.dueInDays);
  chargeFee(account, dispute);
  update(account, dispute);
  return dispute;
}

/** Changes the status of an open dispute. Only a dispute that waits for the charity has a due date. */
export function changeDispute(
  account: PayPalAccount,
  dispute: Dispute,
  changes: {
    status?: DisputeStatus | undefined;
    reason?: string | undefined;
    dueInDays?: number | undefined;
  },
): Dispute {
  refuseResolved(dispute);
  dispute.status = changes.status ?? dispute.status;
  dispute.reason = changes.reason ?? dispute.reason;
  const waits = dispute.status === 'WAITING_FOR_SELLER_RESPONSE';
  if (!waits) dispute.sellerResponseDue = undefined;
  else if (changes.dueInDays !== undefined || dispute.sellerResponseDue === undefined)
    dispute.sellerResponseDue = dueDate(account, changes.dueInDays);
  update(account, dispute);
  return dispute;
}

/**
 * Reopens a decided dispute, for example after an appeal or a new decision of the bank. Money that was returned stays
 * with the donor.
 */
export function reopenDispute(
  account: PayPalAccount,
  dispute: Dispute,
  options: { status?: DisputeStatus | undefined; dueInDays?: number | undefined } = {},
): Dispute {
  if (dispute.status !== 'RESOLVED')
    throw unprocessable('DISPUTE_NOT_RESOLVED', `Dispute ${dispute.id} is ${dispute.status}.`);
  dispute.status = options.status ?? 'WAITING_FOR_SELLER_RESPONSE';
  dispute.outcome = undefined;
  if (dispute.status === 'WAITING_FOR_SELLER_RESPONSE')
    dispute.sellerResponseDue = dueDate(account, options.dueInDays);
  update(account, dispute);
  return dispute;
}

/** Decides a dispute. If the buyer wins, the capture is reversed (`PAYMENT.CAPTURE.REVERSED`). */
export function resolveDispute(account: PayPalAccount, dispute: Dispute, outcome: DisputeOutcome): Dispute {
  refuseResolved(dispute);
  const buyerWins = outcome === 'RESOLVED_BUYER_FAVOUR' || outcome === 'ACCEPTED';
  const at = account.clock.timestamp();
  // If the dispute is lost a second time, the donor already has the money.
  if (buyerWins && dispute.refunded === 0) {
    createRefund(account, account.capture(dispute.captureId), { amount: dispute.amount, reversal: true });
    dispute.refunded = dispute.amount;
    dispute.movements.push({ amount: dispute.amount, type: 'DEBIT', reason: 'DISPUTE_SETTLEMENT', at });
  }
  if (outcome !== 'CANCELED_BY_BUYER' && outcome !== 'NONE') {
    const type = buyerWins
      ? 'RECOVER_FROM_SELLER'
      : outcome === 'RESOLVED_WITH_PAYOUT'
        ? 'PAYOUT_TO_BUYER'
        : 'DENY_BUYER';
    dispute.adjudications.push({ type, at, stage: dispute.stage });
  }
  dispute.status = 'RESOLVED';
  dispute.outcome = outcome;
  dispute.sellerResponseDue = undefined;
  dispute.updated = at;
  announce(account, dispute, 'RESOLVED', 'A dispute was resolved with case # ');
  return dispute;
}

function chargeFee(account: PayPalAccount, dispute: Dispute): void {
  const charged = dispute.movements.some(({ reason }) => reason === 'CHARGEBACK_FEE');
  if (dispute.stage === 'INQUIRY' || charged) return;
  const amount = ofUnit(account.fees.chargeback, dispute.currency);
  if (amount === 0) return;
  dispute.movements.push({ amount, type: 'DEBIT', reason: 'CHARGEBACK_FEE', at: account.clock.timestamp() });
}

function update(account: PayPalAccount, dispute: Dispute): void {
  dispute.updated = account.clock.timestamp();
  announce(account, dispute, 'UPDATED', 'A dispute was updated with case # ');
}

function announce(account: PayPalAccount, dispute: Dispute, what: string, summary: string): void {
  account.emit(`CUSTOMER.DISPUTE.${what}`, 'dispute', summary + dispute.id, disputeView(account, dispute));
}

function refuseResolved(dispute: Dispute): void {
  if (dispute.status !== 'RESOLVED') return;
  throw unprocessable('DISPUTE_RESOLVED', `Dispute ${dispute.id} is resolved (${String(dispute.outcome)}).`);
}

function dueDate(account: PayPalAccount, days = RESPONSE_DAYS): string {
  return account.clock.timestamp(days * DAY_MS);
}
