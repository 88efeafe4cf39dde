import type { DonationRow } from '../donations/store/donation-columns.js';
import { givenAt } from '../donations/recording/given-at.js';
import type { PackFacts } from './packs/receipt-pack.js';
import { receiptNumber, type ReceiptSubject } from './receipt-content.js';

/** SQL of the donation columns that a receipt needs. Null if a receipt does not need the column. */
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
  is_amount_hidden: null,
  // Only the e-mail with the receipt names the tribute.
  tribute: 'd.tribute',
  tribute_state: null,
  wall_state: null,
  notified_key: null,
  pledged_amount: null,
  benefit_value: 'd.benefit_value',
  benefit_text: 'd.benefit_text',
  is_past_donation: 'd.is_past_donation',
  match_pool_id: null,
  donor_pronunciation: null,
  message_state: null,
  name_state: null,
  donor_key: null,
  staff_name: null,
  provider: null,
  payment_id: null,
  capture_id: null,
  expected_amount: null,
  expected_currency: null,
  paid_at: 'd.paid_at',
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
  reference: null,
  note: null,
  source: null,
  guest_id: null,
  team_id: null,
  // A receipt prints the method that was known when it was issued.
  method: null,
  address: null,
  wallet: null,
} as const satisfies { readonly [Column in keyof DonationRow]: `d.${Column}` | null };

type Needed = typeof NEEDED;
type NeededColumn = {
  [Column in keyof Needed]: Needed[Column] extends null ? never : Column;
}[keyof Needed];

/** Printed values that may change later. They are stored when the number is issued. */
export interface Printed {
  readonly donorName: string | null;
  /** Missing in receipts of a pack, which print no message. */
  readonly message?: string | null;
  /** Minor units; missing in receipts of the first releases. */
  readonly amount?: number;
  /** Missing in receipts of earlier releases, in which the address could not be corrected. */
  readonly donorAddress?: string | null;
}

/** A donation with the columns of its receipt. Contains the valid receipt only if it still matches the donation. */
export interface ReceiptRow extends Pick<DonationRow, NeededColumn> {
  readonly event_name: string;
  /** The event's overrides of the settings, as stored. */
  readonly overrides: unknown;
  readonly year: number | null;
  readonly number: number | null;
  readonly issued_at: Date | null;
  readonly printed: Printed | null;
  readonly replaces: string | null;
  /** Of the receipt, not of the donation. */
  readonly method: string | null;
  readonly wallet: string | null;
  readonly check_code: string | null;
  readonly pack: string | null;
  readonly pack_version: string | null;
  readonly facts: PackFacts | null;
}

/** Columns for access and delivery, and those that only the stored facts of a pack have. Receipts do not print them. */
export const NOT_PRINTED = [
  'event_id',
  'staff_id',
  'donor_email',
  'tribute',
  'benefit_value',
  'benefit_text',
] as const;

/** The printed columns. */
export type PrintedRow = Omit<ReceiptRow, (typeof NOT_PRINTED)[number] | 'overrides'>;

/** The number and printed values of a donation's receipt. */
export interface IssuedReceipt {
  readonly donation_id: string;
  readonly year: number;
  readonly number: number;
  readonly issued_at: Date;
  /** The values that were stored when the number was issued. Null if none were stored; then use the values of the donation. */
  readonly printed: Printed | null;
  /** Number of the void receipt that this receipt replaces. */
  readonly replaces: string | null;
  /** The method that was known when the number was issued. A method that becomes known later changes no document. */
  readonly method: string | null;
  readonly wallet: string | null;
  /** The code for the public check; null if the receipt was issued before receipts had codes. */
  readonly check_code: string | null;
  /** The country whose tax office accepts the receipt; null for an acknowledgement. */
  readonly pack: string | null;
  readonly pack_version: string | null;
  /** The facts that the pack prints; null for an acknowledgement, and after the erasure of the donor. */
  readonly facts: PackFacts | null;
  /** True if the receipt was issued earlier, so that a new file is a copy. */
  readonly copy: boolean;
}

/** Returns the receipt that was issued earlier for a donation, if it is valid and still matches the donation. */
export function earlierReceipt(row: PrintedRow): IssuedReceipt | undefined {
  const { year, number, issued_at } = row;
  if (year === null || number === null || issued_at === null) return undefined;
  return { ...row, donation_id: row.id, year, number, issued_at, copy: true };
}

/** Combines a donation and the stored printed values into the facts of a receipt. */
export function receiptSubject(row: PrintedRow, receipt: IssuedReceipt): ReceiptSubject {
  const amount = receipt.printed?.amount === undefined ? row.amount : BigInt(receipt.printed.amount);
  return {
    donationId: row.id,
    number: receiptNumber(receipt.year, receipt.number),
    issuedAt: receipt.issued_at,
    copy: receipt.copy,
    status: row.status,
    // If a payment was captured in parts, the donation's amount may be larger than the printed amount. The refunded amount on
    // the receipt must not exceed the printed amount.
    amount,
    refundedAmount: row.refunded_amount < amount ? row.refunded_amount : amount,
    currency: row.currency,
    type: row.type,
    method: receipt.method,
    wallet: receipt.wallet,
    checkCode: receipt.check_code,
    replaces: receipt.replaces,
    // These values were stored with the number, because two different documents must never have the same number.
    donorName: receipt.printed ? receipt.printed.donorName : row.donor_name,
    message: receipt.printed ? (receipt.printed.message ?? null) : row.message,
    donorAddress:
      receipt.printed?.donorAddress === undefined ? row.donor_address : receipt.printed.donorAddress,
    giftAid: row.gift_aid,
    receivedAt: givenAt(row),
    eventName: row.event_name,
    locale: row.locale,
    ...(receipt.pack_version !== null &&
      receipt.facts !== null && { pack: { version: receipt.pack_version, facts: receipt.facts } }),
  };
}
