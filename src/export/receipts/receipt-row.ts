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

/** A number that was given to a donation. */
export interface IssuedReceipt {
  readonly donation_id: string;
  readonly year: number;
  readonly number: number;
  readonly issued_at: Date;
}
