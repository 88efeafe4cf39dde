import type { DonationStatus } from './donation-lifecycle.js';

export const OFFLINE_TYPES = ['cash', 'check', 'card_terminal', 'bank_transfer', 'pledge', 'other'] as const;
/** What a pledge can turn into: money actually received. */
export const RECEIVED_TYPES = ['cash', 'check', 'card_terminal', 'bank_transfer', 'other'] as const;
export const DONATION_TYPES = ['card', 'wallet', ...OFFLINE_TYPES] as const;

export type OfflineType = (typeof OFFLINE_TYPES)[number];
export type DonationType = (typeof DONATION_TYPES)[number];
export type MessageState = 'visible' | 'held' | 'hidden';

/** A row of `donation`, as the raw statements give it. */
export interface DonationRow {
  readonly id: string;
  readonly event_id: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  readonly type: DonationType;
  readonly status: DonationStatus;
  readonly donor_name: string | null;
  readonly donor_email: string | null;
  readonly is_anonymous: boolean;
  readonly message: string | null;
  readonly message_state: MessageState;
  readonly donor_key: Buffer | null;
  readonly staff_id: string | null;
  readonly staff_name: string | null;
  readonly provider: string | null;
  readonly payment_id: string | null;
  readonly capture_id: string | null;
  readonly expected_amount: bigint | null;
  readonly expected_currency: string | null;
  readonly refunded_amount: bigint;
  readonly paid_at: Date | null;
  readonly receipt_number: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly completed_at: Date | null;
}
