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
  'erasure_requested',
  'follower_stalled',
  'match_overpaid',
  'webhook_disabled',
  'rehearsal_ending',
] as const;

export type ReviewKind = (typeof REVIEW_KINDS)[number];

export interface ReviewItemInput {
  readonly kind: ReviewKind;
  /** The affected object, such as `<provider>:<payment id>`. Each subject has at most one item of a kind. */
  readonly subject: string;
  readonly donationId: string | null;
  /** Facts in numbers and words, without personal data. */
  readonly detail: Record<string, string | number | null>;
  /** Deadline for an action. */
  readonly dueBy?: Date | null;
  /** Values from the provider. A changed `status` means that the charity must take a new action. */
  readonly particulars?: Readonly<Record<string, string | number | boolean | null>>;
}

export interface OpenReviewItems {
  readonly total: number;
  /** The oldest open items, at most the requested number. */
  readonly items: readonly { readonly kind: ReviewKind; readonly subject: string }[];
}

/** Opens a review item, so that a user handles the problem. */
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

/**
 * Replaces characters that PostgreSQL cannot store, such as NUL and unpaired surrogates. Texts from a payer's page
 * may contain them.
 */
const storable = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;

/** Closes a review item because the problem no longer exists. */
export async function settleReviewItem(db: SqlExecutor, kind: ReviewKind, subject: string): Promise<void> {
  await db.query(SETTLE, [kind, subject]);
}

/** The open review items. */
export async function openReviewItems(db: SqlExecutor, shown: number): Promise<OpenReviewItems> {
  const items = await db.query<{ kind: ReviewKind; subject: string; total: number }>(OPEN, [shown]);
  return { total: items[0]?.total ?? 0, items };
}
