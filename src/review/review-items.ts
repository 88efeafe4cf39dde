import { newId } from '../common/ids.js';
import type { SqlExecutor, Statement } from '../data/database.js';

export const REVIEW_KINDS = [
  'amount_mismatch',
  'late_success',
  'refund_failed',
  'dispute',
  'unmatched_payment',
  'reconciliation',
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

// News about the same subject replace the detail; an item that was resolved opens again only when it changed.
const RAISE: Statement = {
  name: 'review_item_raise',
  text: `INSERT INTO review_item (id, kind, subject, donation_id, detail) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (kind, subject) DO UPDATE SET detail = excluded.detail, resolved_at = NULL, resolved_by = NULL
    WHERE review_item.detail IS DISTINCT FROM excluded.detail`,
};

const SETTLE: Statement = {
  name: 'review_item_settle',
  text: 'UPDATE review_item SET resolved_at = now() WHERE kind = $1 AND subject = $2 AND resolved_at IS NULL',
};

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
