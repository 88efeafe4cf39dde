import type { Statement } from '../data/database.js';

// News about the same subject replace the detail; an item that was resolved opens again only when it changed.
export const RAISE: Statement = {
  name: 'review_item_raise',
  text: `INSERT INTO review_item (id, kind, subject, donation_id, detail) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (kind, subject) DO UPDATE SET detail = excluded.detail, resolved_at = NULL, resolved_by = NULL
    WHERE review_item.detail IS DISTINCT FROM excluded.detail`,
};

export const SETTLE: Statement = {
  name: 'review_item_settle',
  text: 'UPDATE review_item SET resolved_at = now() WHERE kind = $1 AND subject = $2 AND resolved_at IS NULL',
};
