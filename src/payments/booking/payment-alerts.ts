import type { Transaction } from '../../data/database.js';
import type { DonationStatus } from '../../donations/lifecycle/donation-lifecycle.js';
import { lockDonation } from '../../donations/store/donation-store.js';
import { raiseReviewItem, type ReviewKind } from '../../review/review-items.js';
import { isDisputed } from './disputes.js';
import type { BookingOutcome, PaymentHome } from './payment-homes.service.js';
import type { PaymentFact, PaymentHold } from '../providers/provider-port.js';
import { SETTLE_KINDS } from './review-reports.sql.js';

/** Alerts about a payment for the review list: the payment is held, a debit failed later, or a fraud warning arrived. */

interface Report {
  readonly kind: ReviewKind;
  readonly subject: string;
  readonly donationId: string | null;
  readonly reason: string | null;
}

/** The result of booking a fact. */
interface Booked {
  readonly provider: string;
  readonly outcome: BookingOutcome;
  /** For a payment without a donation: returns the event of this service to which the payment refers. */
  readonly home: () => PaymentHome | undefined;
  /** True if review items of the payment may exist. This value was read after the lock of the donation. */
  readonly hasAlerts: boolean;
}

/** Raises or closes review items for a booked fact, in the same transaction. */
export async function alertOn(tx: Transaction, fact: PaymentFact, booked: Booked): Promise<void> {
  const donationId = 'donationId' in booked.outcome ? booked.outcome.donationId : null;
  const subject = `${booked.provider}:${fact.paymentId}`;
  switch (fact.kind) {
    case 'processing':
      if (fact.hold) {
        if (await isOpen(tx, booked, donationId)) await reportHold(tx, subject, donationId, fact.hold);
      } else settle(tx, subject, ['payment_held']);
      return;
    case 'paid':
      if (booked.hasAlerts)
        settle(tx, subject, fact.hold ? ['debit_failed'] : ['payment_held', 'debit_failed']);
      if (fact.hold && isOurs(booked, donationId)) await reportHold(tx, subject, donationId, fact.hold);
      return;
    case 'failed':
      settle(tx, subject, ['payment_held']);
      if (fact.wasUnderWay)
        await reportOf(tx, 'FAILED', {
          kind: 'debit_failed',
          subject,
          donationId,
          reason: fact.reason ?? null,
        });
      return;
    case 'cancelled':
      settleCancelled(tx, booked.provider, fact.paymentId);
      return;
    case 'dispute':
      // The dispute replaces the earlier fraud warning.
      settle(tx, subject, ['fraud_warning']);
      return;
    case 'fraud_warning':
      if (!(await isDisputed(tx, booked.provider, fact.paymentId)))
        await reportOf(tx, 'COMPLETED', { kind: 'fraud_warning', subject, donationId, reason: fact.reason });
      return;
    case 'approved':
    case 'refund':
    case 'unknown':
  }
}

/** Closes review items of a cancelled payment, because no money can arrive any more. */
export function settleCancelled(tx: Transaction, provider: string, paymentId: string): void {
  settle(tx, `${provider}:${paymentId}`, ['payment_held', 'unknown_status']);
}

const isOurs = ({ home }: Booked, donationId: string | null): boolean =>
  donationId !== null || home() !== undefined;

/**
 * True if the payment is ours and still unpaid. The donation is read again, because a newer fact may have been booked
 * after the provider answered.
 */
async function isOpen(tx: Transaction, booked: Booked, donationId: string | null): Promise<boolean> {
  if (donationId === null) return isOurs(booked, donationId);
  const donation = await lockDonation(tx, donationId);
  return donation?.status === 'PENDING' || donation?.status === 'FAILED';
}

const reportHold = (tx: Transaction, subject: string, donationId: string | null, hold: PaymentHold) =>
  raiseReviewItem(tx, {
    kind: 'payment_held',
    subject,
    donationId,
    detail: { reason: hold.reason },
    particulars: { status: hold.action },
  });

/**
 * Raises an item only while the donation has this status. A different status means that a newer fact, booked earlier,
 * has solved the problem.
 */
async function reportOf(
  tx: Transaction,
  status: DonationStatus,
  { kind, subject, donationId, reason }: Report,
): Promise<void> {
  const donation = donationId === null ? undefined : await lockDonation(tx, donationId);
  if (donation?.status !== status) return;
  const { amount, currency } = donation;
  await raiseReviewItem(tx, {
    kind,
    subject,
    donationId,
    detail: { amount: Number(amount), currency, reason },
  });
}

const settle = (tx: Transaction, subject: string, kinds: readonly string[]): void =>
  tx.write(SETTLE_KINDS, [subject, kinds]);
