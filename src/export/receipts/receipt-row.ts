import type { DonationStatus } from '../../donations/donation-lifecycle.js';
import type { DonationType } from '../../donations/donation-row.js';

/** A donation as its receipt needs it, with the receipt once one was issued. */
export interface ReceiptRow {
  readonly id: string;
  readonly event_id: string;
  readonly staff_id: string | null;
  readonly amount: bigint;
  readonly refunded_amount: bigint;
  readonly currency: string;
  readonly type: DonationType;
  readonly status: DonationStatus;
  readonly donor_name: string | null;
  readonly message: string | null;
  readonly created_at: Date;
  readonly completed_at: Date | null;
  readonly event_name: string;
  /** The event's overrides of the settings, as stored. */
  readonly overrides: unknown;
  readonly year: number | null;
  readonly number: number | null;
  readonly issued_at: Date | null;
}

/** The number of a donation's receipt. */
export interface IssuedReceipt {
  readonly donation_id: string;
  readonly year: number;
  readonly number: number;
  readonly issued_at: Date;
  /** Whether it was issued before, so that what is printed now is a copy. */
  readonly copy: boolean;
}

/** The receipt that was issued for a donation before, if any. */
export function earlierReceipt({ id, year, number, issued_at }: ReceiptRow): IssuedReceipt | undefined {
  if (year === null || number === null || issued_at === null) return undefined;
  return { donation_id: id, year, number, issued_at, copy: true };
}
