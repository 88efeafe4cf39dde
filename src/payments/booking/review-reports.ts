import type { Transaction } from '../../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../../review/review-items.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { paidAlike, paidInSameCheckout } from './checkouts.js';
import { isDisputed } from './disputes.js';
import type { DisputeRow } from './disputes.sql.js';
import type { PaidFact, PaymentRef, RefundFact } from '../providers/provider-port.js';
import type { RefundRow } from './refunds.sql.js';
import { SETTLE_OF_DONATION, SETTLE_PAID_TWICE, SETTLE_UNMATCHED } from './review-reports.sql.js';

/**
 * Review items for booked facts. They are only about our donations, because other systems may use the same provider
 * account.
 */

/** Reports a payment with another amount than requested, or a payment for a cancelled donation. */
export async function reportPaid(
  tx: Transaction,
  provider: string,
  fact: PaidFact,
  donation: DonationRow,
): Promise<void> {
  const subject = `${provider}:${fact.paymentId}`;
  const received = { received: Number(fact.amount), receivedCurrency: fact.currency };
  if (fact.amount !== donation.amount || fact.currency !== donation.currency)
    await raiseReviewItem(tx, {
      kind: 'amount_mismatch',
      subject,
      donationId: donation.id,
      detail: { asked: Number(donation.amount), askedCurrency: donation.currency, ...received },
    });
  if (donation.status === 'CANCELLED')
    await raiseReviewItem(tx, { kind: 'late_success', subject, donationId: donation.id, detail: received });
}

/** Reports a second payment of one checkout. The item is about the donation that was opened last. */
export async function reportPaidTwice(
  tx: Transaction,
  provider: string,
  fact: PaidFact,
  donation: DonationRow,
  isOfCheckout: boolean,
): Promise<void> {
  const others = isOfCheckout ? await paidInSameCheckout(tx, donation) : await paidAlike(tx, donation);
  const first = others[0];
  if (!first) return;
  const tries = [...others, { id: donation.id, provider, payment_id: fact.paymentId }];
  const last = tries.reduce((one, other) => (other.id > one.id ? other : one));
  await raiseReviewItem(tx, {
    kind: 'paid_twice',
    subject: `${last.provider ?? ''}:${last.payment_id ?? ''}`,
    donationId: last.id,
    detail: { payments: tries.length, otherDonation: last.id === first.id ? donation.id : first.id },
  });
}

/** Reports a payment for an unknown event. */
export async function reportUnmatched(tx: Transaction, provider: string, fact: PaidFact): Promise<void> {
  await raiseReviewItem(tx, {
    kind: 'unmatched_payment',
    subject: `${provider}:${fact.paymentId}`,
    donationId: null,
    detail: { received: Number(fact.amount), receivedCurrency: fact.currency, event: fact.eventRef ?? null },
  });
  await settleUnmatched(tx, provider, fact.paymentId);
}

/** Closes the item of an unmatched payment that was fully refunded. */
export async function settleUnmatched(tx: Transaction, provider: string, paymentId: string): Promise<void> {
  await tx.query(SETTLE_UNMATCHED, [`${provider}:${paymentId}`, provider, paymentId]);
}

/** Closes items of a donation that a refund has solved. */
export async function settleReturned(tx: Transaction, donationId: string): Promise<void> {
  await tx.query(SETTLE_OF_DONATION, [donationId]);
  await tx.query(SETTLE_PAID_TWICE, [donationId]);
}

export async function reportRefund(tx: Transaction, refund: RefundRow, donationId: string): Promise<void> {
  if (refund.status !== 'failed' && refund.status !== 'cancelled') return;
  await raiseReviewItem(tx, {
    kind: 'refund_failed',
    subject: `refund:${refund.id}`,
    donationId,
    detail: { amount: Number(refund.amount), currency: refund.currency, state: refund.status },
  });
}

/** Reports a refund with an unknown status. The item closes when the provider reports a known status. */
export async function reportRefundStatus(
  tx: Transaction,
  provider: string,
  { providerRefundId, unknownStatus: status }: RefundFact,
  donationId: string,
): Promise<void> {
  const subject = `${provider}:${providerRefundId}`;
  if (status === undefined) await settleReviewItem(tx, 'unknown_status', subject);
  else
    await raiseReviewItem(tx, {
      kind: 'unknown_status',
      subject,
      donationId,
      detail: { object: 'refund', status },
    });
}

/** Reports a payment with an unknown status. The item closes when the payment is paid, or cancelled at the provider. */
export async function reportUnknownPayment(
  tx: Transaction,
  provider: string,
  { paymentId, status }: PaymentRef & { readonly status: string },
  donationId: string,
): Promise<void> {
  await raiseReviewItem(tx, {
    kind: 'unknown_status',
    subject: `${provider}:${paymentId}`,
    donationId,
    detail: { object: 'payment', status },
  });
}

/**
 * Reports money that the provider took back. The provider shows it as a refund. If no dispute is known, the review
 * item shows staff why the donation is refunded.
 */
export async function reportReversal(
  tx: Transaction,
  provider: string,
  { paymentId, amount, currency }: RefundFact,
  donationId: string,
): Promise<void> {
  if (await isDisputed(tx, provider, paymentId)) return;
  await raiseReviewItem(tx, {
    kind: 'dispute',
    subject: reversalOf(provider, paymentId),
    donationId,
    detail: { amount: Number(amount), currency, state: 'lost' },
    particulars: { status: 'reversed', reason: null, inquiry: false, fee: null, feeCurrency: null },
  });
}

const reversalOf = (provider: string, paymentId: string) => `${provider}:reversal:${paymentId}`;

/**
 * Keeps a dispute on the review list while the dispute needs an answer, after a loss, and while the status is
 * unknown. An answered, won or closed dispute leaves the list.
 */
export async function reportDispute(
  tx: Transaction,
  provider: string,
  paymentId: string,
  dispute: DisputeRow,
  donationId: string,
): Promise<void> {
  const subject = `${provider}:${dispute.provider_dispute_id}`;
  // The dispute replaces the item of the earlier reversal.
  await settleReviewItem(tx, 'dispute', reversalOf(provider, paymentId));
  const isDecided = dispute.status === 'lost' && !dispute.is_appeal;
  if (!dispute.is_unknown && !dispute.needs_answer && !isDecided) {
    await settleReviewItem(tx, 'dispute', subject);
    return;
  }
  await raiseReviewItem(tx, {
    kind: 'dispute',
    subject,
    donationId,
    detail: { amount: Number(dispute.amount), currency: dispute.currency, state: dispute.status },
    dueBy: dispute.needs_answer ? dispute.due_by : null,
    particulars: {
      status: dispute.provider_status,
      reason: dispute.reason,
      inquiry: dispute.is_inquiry,
      ...(dispute.is_appeal && { appeal: true }),
      ...(dispute.is_unknown && { unknown: true }),
      fee: dispute.fee === null ? null : Number(dispute.fee),
      feeCurrency: dispute.fee_currency,
    },
  });
}
