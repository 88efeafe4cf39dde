import type { PaymentHold } from '../provider-port.js';
import type { PayPalCapture } from './paypal-objects.js';

/**
 * Every reason that PayPal gives for a capture that is PENDING (`capture_status_details` of its description), and what the
 * charity has to do; null where only time is needed.
 */
const ACTION_BY_REASON: Readonly<Record<string, PaymentHold['action'] | null>> = {
  /** The donor complained to PayPal, or their bank charged back: there is a case to answer. */
  BUYER_COMPLAINT: 'answer',
  CHARGEBACK: 'answer',
  /** The donor's bank clears the debit within days. */
  ECHECK: null,
  /** A payment from abroad that the account has to accept or deny. */
  INTERNATIONAL_WITHDRAWAL: 'accept',
  OTHER: 'look',
  PENDING_REVIEW: null,
  /** The account has no balance in this currency and is set to ask each time. */
  RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION: 'accept',
  /** The money went back; the refund says so. */
  REFUNDED: null,
  /** The donor still has to send the money to PayPal. */
  TRANSACTION_APPROVED_AWAITING_FUNDING: null,
  /** No account has the e-mail address that was paid, or the address is not confirmed. */
  UNILATERAL: 'open_account',
  VERIFICATION_REQUIRED: 'verify',
};

/** Why captures do not go on without the charity. A reason that PayPal adds later is shown to a person. */
export function holdOf(captures: readonly PayPalCapture[]): PaymentHold | undefined {
  for (const { status, status_details: details } of captures) {
    const reason = details?.reason;
    if (status !== 'PENDING' || reason === undefined) continue;
    const action = Object.hasOwn(ACTION_BY_REASON, reason) ? ACTION_BY_REASON[reason] : 'look';
    if (action) return { action, reason };
  }
  return undefined;
}
