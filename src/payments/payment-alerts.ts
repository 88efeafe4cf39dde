import type { Transaction } from '../data/database.js';
import { raiseReviewItem } from '../review/review-items.js';
import type { BookingOutcome, PaymentHome } from './payment-homes.service.js';
import type { PaymentFact, PaymentHold } from './payment-provider.js';
import { SETTLE_KINDS } from './review-reports.sql.js';

/** What a person must know of a payment apart from its money: it is held, failed unseen, or was reported as fraud. */

/** Where a fact was booked. */
interface Booked {
  readonly provider: string;
  readonly outcome: BookingOutcome;
  /** Of a payment without a donation: the event here that it names. */
  readonly home: PaymentHome | undefined;
}

/** Raises or closes what a fact says; in its transaction, after it was booked. */
export async function alertOn(tx: Transaction, fact: PaymentFact, booked: Booked): Promise<void> {
  const donationId = 'donationId' in booked.outcome ? booked.outcome.donationId : null;
  if (donationId === null && !booked.home) return;
  const subject = `${booked.provider}:${fact.paymentId}`;
  switch (fact.kind) {
    case 'processing':
      if (fact.hold) await reportHold(tx, subject, donationId, fact.hold);
      else await settle(tx, subject, ['payment_held']);
      return;
    case 'paid':
      await settle(tx, subject, fact.hold ? ['debit_failed'] : ['payment_held', 'debit_failed']);
      if (fact.hold) await reportHold(tx, subject, donationId, fact.hold);
      return;
    case 'failed':
    case 'cancelled':
      await settle(tx, subject, ['payment_held']);
      return;
    case 'approved':
    case 'refund':
    case 'dispute':
    case 'unknown':
  }
}

const reportHold = (tx: Transaction, subject: string, donationId: string | null, hold: PaymentHold) =>
  raiseReviewItem(tx, {
    kind: 'payment_held',
    subject,
    donationId,
    detail: { reason: hold.reason },
    particulars: { status: hold.action },
  });

const settle = (tx: Transaction, subject: string, kinds: readonly string[]) =>
  tx.query(SETTLE_KINDS, [subject, kinds]);
