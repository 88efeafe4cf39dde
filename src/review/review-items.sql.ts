import { notRehearsal } from '../common/crypto/rehearsal-ids.js';
import type { Statement } from '../data/database.js';

// A rehearsal has no review items.
// If the item exists already, the new description replaces the earlier one. An item that a user resolved opens again only if
// its description, deadline or status has changed. An item that was closed automatically opens again whenever the problem
// returns.
export const RAISE: Statement = {
  name: 'review_item_raise',
  text: `INSERT INTO review_item (id, kind, subject, donation_id, detail, due_by, particulars)
    SELECT $1::uuid, $2::review_kind, $3, $4::uuid, $5::jsonb, $6::timestamptz, $7::jsonb
    WHERE NOT EXISTS (SELECT 1 FROM donation WHERE id = $4::uuid AND NOT ${notRehearsal('donation.event_id')})
    ON CONFLICT (kind, subject) DO UPDATE SET
      donation_id = coalesce(excluded.donation_id, review_item.donation_id),
      detail = excluded.detail, due_by = excluded.due_by, particulars = excluded.particulars,
      resolved_at = CASE WHEN review_item.resolved_by IS NULL OR review_item.detail IS DISTINCT FROM excluded.detail
        OR review_item.due_by IS DISTINCT FROM excluded.due_by
        OR review_item.particulars ->> 'status' IS DISTINCT FROM excluded.particulars ->> 'status'
        THEN NULL ELSE review_item.resolved_at END,
      resolved_by = CASE WHEN review_item.detail IS DISTINCT FROM excluded.detail
        OR review_item.due_by IS DISTINCT FROM excluded.due_by
        OR review_item.particulars ->> 'status' IS DISTINCT FROM excluded.particulars ->> 'status'
        THEN NULL ELSE review_item.resolved_by END
    WHERE (review_item.detail, review_item.due_by, review_item.particulars, review_item.donation_id)
        IS DISTINCT FROM (excluded.detail, excluded.due_by, excluded.particulars, coalesce(excluded.donation_id, review_item.donation_id))
      OR (review_item.resolved_at IS NOT NULL AND review_item.resolved_by IS NULL)`,
};

// Closes an item automatically, even if a user resolved it before. So the item opens again if the problem returns.
export const SETTLE: Statement = {
  name: 'review_item_settle',
  text: `UPDATE review_item SET resolved_at = coalesce(resolved_at, now()), resolved_by = NULL
    WHERE kind = $1 AND subject = $2 AND (resolved_at IS NULL OR resolved_by IS NOT NULL)`,
};

export const OPEN: Statement = {
  name: 'review_items_open',
  text: `SELECT kind, subject, (count(*) OVER ())::int AS total FROM review_item
    WHERE resolved_at IS NULL ORDER BY id LIMIT $1`,
};

/**
 * Columns of an item. Read without Prisma, because its client rejects the whole result if one row has a kind of a newer
 * release.
 */
const ITEM = `id, kind, subject, donation_id AS "donationId", detail, due_by AS "dueBy", particulars,
      created_at AS "createdAt", resolved_at AS "resolvedAt", resolved_by AS "resolvedBy"`;

export const NEWEST: Statement = {
  name: 'review_items_newest',
  text: `SELECT ${ITEM} FROM review_item WHERE resolved_at IS NULL ORDER BY id DESC LIMIT $1`,
};

export const ONE: Statement = {
  name: 'review_item_one',
  text: `SELECT ${ITEM} FROM review_item WHERE id = $1`,
};

/** Resolves an item for a user. Returns no row if the item is already resolved. */
export const RESOLVE: Statement = {
  name: 'review_item_resolve',
  text: `UPDATE review_item SET resolved_at = now(), resolved_by = $2
    WHERE id = $1 AND resolved_at IS NULL RETURNING ${ITEM}`,
};

/**
 * Items with a deadline first, then the newest items. $1 and $2: due date and id of the last item on the previous page, or
 * null.
 */
export const OPEN_PAGE: Statement = {
  name: 'review_items_open_page',
  text: `SELECT ${ITEM}
    FROM review_item
    WHERE resolved_at IS NULL AND ($2::uuid IS NULL
      OR ($1::timestamptz IS NULL AND due_by IS NULL AND id < $2)
      OR ($1 IS NOT NULL AND (due_by IS NULL OR due_by > $1 OR (due_by = $1 AND id < $2))))
    ORDER BY due_by NULLS LAST, id DESC LIMIT $3`,
};

export const OPEN_COUNT: Statement = {
  name: 'review_items_open_count',
  text: 'SELECT count(*)::int AS total FROM review_item WHERE resolved_at IS NULL',
};
