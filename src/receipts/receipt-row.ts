import type { DonationRow } from '../donations/store/donation-columns.js';
import { givenAt } from '../donations/recording/given-at.js';
import { receiptNumber, type ReceiptSubject } from './receipt-content.js';

/** What of a donation's columns a receipt needs; null: nothing. */
export const NEEDED = {
  id: 'd.id',
  event_id: 'd.event_id',
  staff_id: 'd.staff_id',
  amount: 'd.amount',
  refunded_amount: 'd.refunded_amount',
  currency: 'd.currency',
  type: 'd.type',
  status: 'd.status',
  donor_name: 'd.donor_name',
  donor_email: 'd.donor_email',
  message: 'd.message',
  created_at: 'd.created_at',
  completed_at: 'd.completed_at',
  recorded_at: 'd.recorded_at',
  locale: 'd.locale',
  donor_address: 'd.donor_address',
  gift_aid: 'd.gift_aid',
  is_anonymous: null,
  message_state: null,
  name_state: null,
  donor_key: null,
  staff_name: null,
  provider: null,
  payment_id: null,
  capture_id: null,
  expected_amount: null,
  expected_currency: null,
  paid_at: null,
  checked_at: null,
  next_check_at: null,
  fee: null,
  fee_currency: null,
  receipt_number: null,
  updated_at: null,
  terminal_id: null,
  shift_id: null,
  paddle: null,
  round_id: null,
  paid_by: null,
  covered_fee: null,
} as const satisfies { readonly [Column in keyof DonationRow]: `d.${Column}` | null };

type Needed = typeof NEEDED;
type NeededColumn = {
  [Column in keyof Needed]: Needed[Column] extends null ? never : Column;
}[keyof Needed];

/** What a receipt says of what may change later; fixed when its number is given. */
export interface Printed {
  readonly donorName: string | null;
  readonly message: string | null;
  /** Minor units; absent from receipts of the first releases. */
  readonly amount?: number;
}

/** A donation as its receipt needs it, with the receipt in force where there is one that is still right. */
export interface ReceiptRow extends Pick<DonationRow, NeededColumn> {
  readonly event_name: string;
  /** The event's overrides of the settings, as stored. */
  readonly overrides: unknown;
  readonly year: number | null;
  readonly number: number | null;
  readonly issued_at: Date | null;
  readonly printed: Printed | null;
  readonly replaces: string | null;
}

/** Columns for who may see a receipt, and how it is sent. */
export const NOT_PRINTED = ['event_id', 'staff_id', 'donor_email', 'locale'] as const;

/** What of it is printed. */
export type PrintedRow = Omit<ReceiptRow, (typeof NOT_PRINTED)[number] | 'overrides'>;

/** The number of a donation's receipt, and what it says. */
export interface IssuedReceipt {
  readonly donation_id: string;
  readonly year: number;
  readonly number: number;
  readonly issued_at: Date;
  /** Null: what the donation says. */
  readonly printed: Printed | null;
  /** The number of the void receipt that this one replaces. */
  readonly replaces: string | null;
  /** Whether it was issued before, so that what is printed now is a copy. */
  readonly copy: boolean;
}

/** The receipt in force that was issued for a donation before, if it still says what the donation says. */
export function earlierReceipt(row: PrintedRow): IssuedReceipt | undefined {
  const { id, year, number, issued_at, printed, replaces } = row;
  if (year === null || number === null || issued_at === null) return undefined;
  return { donation_id: id, year, number, issued_at, printed, replaces, copy: true };
}

/** What a receipt says about a donation. */
export function receiptSubject(row: PrintedRow, receipt: IssuedReceipt): ReceiptSubject {
  const amount = receipt.printed?.amount === undefined ? row.amount : BigInt(receipt.printed.amount);
  return {
    donationId: row.id,
    number: receiptNumber(receipt.year, receipt.number),
    issuedAt: receipt.issued_at,
    copy: receipt.copy,
    status: row.status,
    // A payment that is taken in parts grows; what was given back is never more than was printed.
    amount,
    refundedAmount: row.refunded_amount < amount ? row.refunded_amount : amount,
    currency: row.currency,
    type: row.type,
    replaces: receipt.replaces,
    // What it said when its number was given: one number never stands for two documents.
    donorName: receipt.printed ? receipt.printed.donorName : row.donor_name,
    message: receipt.printed ? receipt.printed.message : row.message,
    donorAddress: row.donor_address,
    giftAid: row.gift_aid,
    receivedAt: givenAt(row),
    eventName: row.event_name,
  };
}
