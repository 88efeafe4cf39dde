import type Stripe from 'stripe';

/**
 * Number of days for which instructions for a bank transfer are treated as valid. Stripe reports no end, and many
 * donors never send the transfer.
 */
const BANK_TRANSFER_DAYS = 30;
const DAY_SECONDS = 24 * 3600;

/** Fields that contain the end of a next action, in seconds. */
const ENDS = ['expires_at', 'expires_after', 'charge_attempt_at'] as const;

/** A payment that may still complete. Without `until`, it is in progress until Stripe reports the end. */
export interface UnderWay {
  readonly until?: Date;
}

/**
 * Returns the end of a payment that may still complete without our action, according to Stripe's next action: the
 * donor has a voucher, a code or bank details, or waits for two small deposits. Returns undefined for other actions,
 * because they end when the donor closes the page.
 */
export function underWay({
  amount,
  created,
  next_action: action,
}: Pick<Stripe.PaymentIntent, 'amount' | 'created' | 'next_action'>): UnderWay | undefined {
  if (!action) return undefined;
  const details = objectAt(action, action.type);
  const end = endOf(details) ?? endOf(objectAt(details, 'qr_code'));
  if (end !== undefined) return { until: inSeconds(end) };
  switch (action.type) {
    // After ten days without an answer, Stripe sends `payment_intent.payment_failed`.
    case 'verify_with_microdeposits':
      return {};
    case 'display_bank_transfer_instructions': {
      const left = details?.amount_remaining;
      // A part of the money has arrived.
      if (typeof left === 'number' && left < amount) return {};
      return { until: inSeconds(created + BANK_TRANSFER_DAYS * DAY_SECONDS) };
    }
    default:
      return action.type.endsWith('_display_details') ? {} : undefined;
  }
}

type Details = Readonly<Partial<Record<string, unknown>>>;

// The details of an action are in a field with the name of the action. The types of Stripe's library do not contain
// all actions.
function objectAt(holder: object | undefined, name: string): Details | undefined {
  const value = (holder as Details | undefined)?.[name];
  return isDetails(value) ? value : undefined;
}

const isDetails = (value: unknown): value is Details => typeof value === 'object' && value !== null;

const endOf = (details: Details | undefined): number | undefined =>
  ENDS.map((name) => details?.[name]).find((end): end is number => typeof end === 'number');

const inSeconds = (seconds: number): Date => new Date(seconds * 1000);
