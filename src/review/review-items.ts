import { newId } from '../common/crypto/ids.js';
import type { SqlExecutor } from '../data/database.js';
import { OPEN, RAISE, SETTLE } from './review-items.sql.js';

export const REVIEW_KINDS = [
  'amount_mismatch',
  'late_success',
  'refund_failed',
  'dispute',
  'unmatched_payment',
  'reconciliation',
  'paid_twice',
  'other_payee',
  'unsettled_event',
  'payment_missing',
  'total_out_of_range',
  'relay_stalled',
  'recorded_at_rejected',
  'provider_unreachable',
  'email_failed',
  'unknown_status',
  'webhooks_missing',
  'webhooks_incomplete',
  'events_expired',
  'payment_held',
  'debit_failed',
  'fraud_warning',
  'missing_right',
] as const;

export type ReviewKind = (typeof REVIEW_KINDS)[number];

export interface ReviewItemInput {
  readonly kind: ReviewKind;
  /** The object it is about, such as `<provider>:<payment id>`; raised again it stays one item. */
  readonly subject: string;
  readonly donationId: string | null;
  /** What happened, in numbers and words; no personal data. */
  readonly detail: Record<string, string | number | null>;
  /** Until when somebody has to act. */
  readonly dueBy?: Date | null;
  /** The provider's own words; another `status` is something new to do. */
  readonly particulars?: Readonly<Record<string, string | number | boolean | null>>;
}

export interface OpenReviewItems {
  readonly total: number;
  /** The oldest of them. */
  readonly items: readonly { readonly kind: ReviewKind; readonly subject: string }[];
}

/** Puts something on the list of what a person must look at. */
export async function raiseReviewItem(
  db: SqlExecutor,
  { kind, subject, donationId, detail, dueBy, particulars }: ReviewItemInput,
): Promise<void> {
  await db.query(RAISE, [
    newId(),
    kind,
    subject,
    donationId,
    JSON.stringify(detail, storable),
    dueBy ?? null,
    particulars ? JSON.stringify(particulars, storable) : null,
  ]);
}

/** What a payer's page wrote may have what no row can hold: NUL, and halves of characters. */
const storable = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;

/** Takes something off the list because it came right by itself. */
export async function settleReviewItem(db: SqlExecutor, kind: ReviewKind, subject: string): Promise<void> {
  await db.query(SETTLE, [kind, subject]);
}

/** What is on the list now. */
export async function openReviewItems(db: SqlExecutor, shown: number): Promise<OpenReviewItems> {
  const items = await db.query<{ kind: ReviewKind; subject: string; total: number }>(OPEN, [shown]);
  return { total: items[0]?.total ?? 0, items };
}
