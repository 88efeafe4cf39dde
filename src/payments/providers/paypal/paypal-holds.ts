import type { PaymentHold } from '../provider-port.js';
import type { PayPalCapture } from './paypal-objects.js';

/**
 * The charity's action for each reason of a PENDING capture (`capture_status_details` in PayPal's API description);
 * null if the charity must only wait.
 */
const ACTION_BY_REASON: Readonly<Record<string, PaymentHold['action'] | null>> = {
  /** The donor complained to PayPal, or the donor's bank charged back; the charity must answer. */
  BUYER_COMPLAINT: 'answer',
  CHARGEBACK: 'answer',
  /** The donor's bank clears the debit within days. */
  ECHECK: null,
  /** A payment from abroad that the account must accept or deny. */
  INTERNATIONAL_WITHDRAWAL: 'accept',
  OTHER: 'look',
  PENDING_REVIEW: null,
  /** The account has no balance in this currency, so PayPal asks the charity for each payment. */
  RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION: 'accept',
  /** The money was returned. PayPal also shows a refund. */
  REFUNDED: null,
  /** The donor must still send the money to PayPal. */
  TRANSACTION_APPROVED_AWAITING_FUNDING: null,
  /** No account has the paid e-mail address, or the address is not confirmed. */
  UNILATERAL: 'open_account',
  VERIFICATION_REQUIRED: 'verify',
};

/** Returns the first hold that needs an action. Reasons that PayPal adds later are shown to staff. */
export function holdOf(captures: readonly PayPalCapture[]): PaymentHold | undefined {
  for (const { status, status_details: details } of captures) {
    const reason = details?.reason;
    if (status !== 'PENDING' || reason === undefined) continue;
    const action = Object.hasOwn(ACTION_BY_REASON, reason) ? ACTION_BY_REASON[reason] : 'look';
    if (action) return { action, reason };
  }
  return undefined;
}
