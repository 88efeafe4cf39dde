import type { ReceiptSubject } from './receipt-content.js';
import { earlierReceipt, type IssuedReceipt, type PrintedRow, receiptSubject } from './receipt-row.js';

/**
 * Donations for the export thread. Their rows stay JSON text until they reach the thread; parsed here, they would
 * fill the main thread's memory for new objects.
 */
export interface ReceiptBatch {
  /** JSON of `PrintedRow`s. Times are text. Amounts are numbers, because the table allows only safe integers. */
  readonly rows: string;
  /** Receipts of the donations that had none when the rows were read. */
  readonly issued: readonly IssuedReceipt[];
}

type InJson<Value> = Value extends bigint ? number : Value extends Date ? string : Value;
type RowInJson = { readonly [Column in keyof PrintedRow]: InJson<PrintedRow[Column]> };

/** Omits donations that were refunded or cancelled after the read and so got no number. */
export function subjectsOf({ rows, issued }: ReceiptBatch): ReceiptSubject[] {
  const receipts = new Map(issued.map((receipt) => [receipt.donation_id, receipt]));
  return (JSON.parse(rows) as RowInJson[]).map(readRow).flatMap((row) => {
    const receipt = earlierReceipt(row) ?? receipts.get(row.id);
    return receipt ? [receiptSubject(row, receipt)] : [];
  });
}

const readRow = (row: RowInJson): PrintedRow => ({
  ...row,
  amount: BigInt(row.amount),
  refunded_amount: BigInt(row.refunded_amount),
  created_at: new Date(row.created_at),
  completed_at: readTime(row.completed_at),
  recorded_at: readTime(row.recorded_at),
  issued_at: readTime(row.issued_at),
});

const readTime = (text: string | null): Date | null => (text === null ? null : new Date(text));
