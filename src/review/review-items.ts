import { newId } from '../common/ids.js';
import type { SqlExecutor } from '../data/database.js';
import { RAISE, SETTLE } from './review-items.sql.js';

export const REVIEW_KINDS = [
  'amount_mismatch',
  'late_success',
  'refund_failed',
  'dispute',
  'unmatched_payment',
  'reconciliation',
  'total_out_of_range',
  'relay_stalled',
] as const;

export type ReviewKind = (typeof REVIEW_KINDS)[number];

export interface ReviewItemInput {
  readonly kind: ReviewKind;
  /** The object it is about, such as `<provider>:<payment id>`; raised again it stays one item. */
  readonly subject: string;
  readonly donationId: string | null;
  /** What happened, in numbers and words; no personal data. */
  readonly detail: Record<string, string | number | null>;
}

/** Puts something on the list of what a person must look at. */
export async function raiseReviewItem(
  db: SqlExecutor,
  { kind, subject, donationId, detail }: ReviewItemInput,
): Promise<void> {
  await db.query(RAISE, [newId(), kind, subject, donationId, JSON.stringify(detail)]);
}

/** Takes something off the list because it came right by itself. */
export async function settleReviewItem(db: SqlExecutor, kind: ReviewKind, subject: string): Promise<void> {
  await db.query(SETTLE, [kind, subject]);
}
