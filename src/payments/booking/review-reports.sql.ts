import type { Statement } from '../../data/database.js';

// Closes items that a refund has solved: the whole donation was refunded, or a later refund replaced a failed refund.
export const SETTLE_OF_DONATION: Statement = {
  name: 'review_items_settle_of_donation',
  text: `UPDATE review_item item SET resolved_at = now() WHERE donation_id = $1 AND resolved_at IS NULL AND (
      (kind IN ('amount_mismatch', 'late_success', 'refund_failed', 'fraud_warning')
        AND EXISTS (SELECT 1 FROM donation WHERE id = $1 AND status = 'REFUNDED'))
      OR (kind = 'refund_failed' AND EXISTS (
        SELECT 1 FROM refund failed JOIN refund later ON later.donation_id = failed.donation_id
        WHERE item.subject = 'refund:' || failed.id AND failed.donation_id = $1 AND later.status = 'succeeded'
          AND (later.id = failed.id OR (later.created_at >= failed.created_at AND later.amount >= failed.amount)))))`,
};

/** Parameters: subject, kinds. */
export const SETTLE_KINDS: Statement = {
  name: 'review_items_settle_kinds',
  text: `UPDATE review_item SET resolved_at = coalesce(resolved_at, now()), resolved_by = NULL
    WHERE subject = $1 AND kind = ANY ($2::text[]::review_kind[]) AND (resolved_at IS NULL OR resolved_by IS NOT NULL)`,
};

// Closes the item if one of two payments of a checkout was fully refunded. With three payments, two may remain, so
// the item stays open.
export const SETTLE_PAID_TWICE: Statement = {
  name: 'review_items_settle_paid_twice',
  text: `UPDATE review_item SET resolved_at = now()
    WHERE kind = 'paid_twice' AND resolved_at IS NULL AND detail ->> 'payments' = '2'
      AND (donation_id = $1 OR detail ->> 'otherDonation' = $1::uuid::text)
      AND EXISTS (SELECT 1 FROM donation WHERE id = $1 AND status = 'REFUNDED')`,
};

/** Parameters: subject, provider, payment. An unmatched payment needs no attention after a full refund. */
export const SETTLE_UNMATCHED: Statement = {
  name: 'review_items_settle_unmatched',
  text: `UPDATE review_item SET resolved_at = now() WHERE kind = 'unmatched_payment' AND subject = $1
    AND resolved_at IS NULL AND (detail ->> 'received')::bigint <= (
      SELECT coalesce(sum(amount), 0) FROM refund
      WHERE provider = $2 AND payment_id = $3 AND status = 'succeeded' AND currency = detail ->> 'receivedCurrency')`,
};

// After a webhook event has given a donation or refund its final status, reconciliation does not check this donation
// or refund again. So this statement closes the review items.
export const SETTLE_OVERTAKEN: Statement = {
  name: 'review_items_settle_overtaken',
  text: `UPDATE review_item SET resolved_at = now() WHERE resolved_at IS NULL AND (
      (kind = 'unknown_status' AND detail ->> 'object' = 'payment' AND EXISTS (
        SELECT 1 FROM donation WHERE id = review_item.donation_id AND status IN ('COMPLETED', 'REFUNDED')))
      OR (kind = 'reconciliation' AND (
      (subject LIKE 'donation:%' AND EXISTS (
        SELECT 1 FROM donation WHERE id = CASE WHEN subject LIKE 'donation:%' THEN substr(subject, 10)::uuid END AND status NOT IN ('PENDING', 'FAILED')))
      OR (subject LIKE 'refund:%' AND EXISTS (
        SELECT 1 FROM refund WHERE id = CASE WHEN subject LIKE 'refund:%' THEN substr(subject, 8)::uuid END AND status NOT IN ('requested', 'pending'))))))`,
};
