import type { ReceiptSubject } from './receipt-content.js';
import { earlierReceipt, type IssuedReceipt, type PrintedRow, receiptSubject } from './receipt-row.js';

/**
 * Donations for the export thread. The main thread does not parse the JSON of the rows, because the parsed objects would fill
 * its memory.
 */
export interface ReceiptBatch {
  /**
   * JSON of `PrintedRow`s. Times are texts. Amounts are numbers, because the table allows only integers that JSON represents
   * exactly.
   */
  readonly rows: string;
  /** Receipts of the donations that had no receipt when the rows were read. */
  readonly issued: readonly IssuedReceipt[];
  /** Donations whose receipt lacks fields, so that the tax office would not accept it. */
  readonly incomplete: readonly IncompleteReceipt[];
}

export interface IncompleteReceipt {
  readonly donationId: string;
  /** Names of the fields, such as `donorAddress`. */
  readonly fields: readonly string[];
}

/** A donation in the list of a ZIP without a document for the tax office. */
export interface IncompleteRow {
  readonly row: PrintedRow;
  readonly fields: readonly string[];
}

type InJson<Value> = Value extends bigint ? number : Value extends Date ? string : Value;
type RowInJson = { readonly [Column in keyof PrintedRow]: InJson<PrintedRow[Column]> };

/**
 * Returns the subjects of the receipts. Omits a donation without a number, because it was refunded or cancelled after the read.
 */
export function subjectsOf({ rows, issued }: Pick<ReceiptBatch, 'rows' | 'issued'>): ReceiptSubject[] {
  const receipts = new Map(issued.map((receipt) => [receipt.donation_id, receipt]));
  return (JSON.parse(rows) as RowInJson[]).map(readRow).flatMap((row) => {
    // A receipt that was issued now may replace an acknowledgement.
    const receipt = receipts.get(row.id) ?? earlierReceipt(row);
    return receipt ? [receiptSubject(row, receipt)] : [];
  });
}

/** Returns the donations whose receipt lacks fields. */
export function incompleteOf({ rows, incomplete }: ReceiptBatch): IncompleteRow[] {
  if (incomplete.length === 0) return [];
  const fields = new Map(incomplete.map((one) => [one.donationId, one.fields]));
  return (JSON.parse(rows) as RowInJson[]).map(readRow).flatMap((row) => {
    const missing = fields.get(row.id);
    return missing ? [{ row, fields: missing }] : [];
  });
}

const readRow = (row: RowInJson): PrintedRow => ({
  ...row,
  amount: BigInt(row.amount),
  refunded_amount: BigInt(row.refunded_amount),
  created_at: new Date(row.created_at),
  completed_at: readTime(row.completed_at),
  recorded_at: readTime(row.recorded_at),
  paid_at: readTime(row.paid_at),
  issued_at: readTime(row.issued_at),
});

const readTime = (text: string | null): Date | null => (text === null ? null : new Date(text));
