import type { ReceiptSubject } from './receipt-content.js';
import { earlierReceipt, type IssuedReceipt, type PrintedRow, receiptSubject } from './receipt-row.js';

/**
 * Donations on their way to the thread of exports. Their rows stay the text that the database made of them, and become
 * objects there: read here, they would fill the room for new objects of the thread that answers requests.
 */
export interface ReceiptBatch {
  /** JSON of `PrintedRow`s: times are text, and amounts, which the table keeps among the safe integers, numbers. */
  readonly rows: string;
  /** Of those that had no receipt when the rows were read. */
  readonly issued: readonly IssuedReceipt[];
}

type InJson<Value> = Value extends bigint ? number : Value extends Date ? string : Value;
type RowInJson = { readonly [Column in keyof PrintedRow]: InJson<PrintedRow[Column]> };

/** Without those that were refunded or cancelled since they were read, so that no number was given. */
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
