import type { Statement } from '../../data/database.js';

/** SQL statements for payouts: transfers to the charity's bank, and the donations in them. */

/**
 * Returns the time from which payouts of a provider must be read, or no row if they were read recently. A refused
 * reading does not change this time. So after an admin adds the permission to the key, older payouts are read too.
 */
export const PAYOUTS_DUE: Statement = {
  name: 'payouts_due',
  text: `SELECT coalesce(CASE WHEN health.payouts_problem IS NULL THEN health.payouts_read_at - interval '30 days' END,
      now() - interval '180 days') AS since
    FROM (SELECT $1::text AS provider) AS wanted LEFT JOIN provider_health health USING (provider)
    WHERE $2 OR health.payouts_read_at IS NULL OR health.payouts_read_at < now() - interval '1 hour'`,
};

/** Parameters: provider, problem or null. */
export const PAYOUTS_READ: Statement = {
  name: 'payouts_read',
  text: `INSERT INTO provider_health (provider, payouts_read_at, payouts_problem) VALUES ($1, now(), $2)
    ON CONFLICT (provider) DO UPDATE SET payouts_read_at = now(), payouts_problem = excluded.payouts_problem`,
};

/** Returns true if the items of the payout are already stored. */
export const KEEP_PAYOUT: Statement = {
  name: 'payout_keep',
  text: `INSERT INTO payout AS kept (provider, provider_payout_id, amount, currency, status, arrives_at, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (provider, provider_payout_id) DO UPDATE SET amount = excluded.amount, currency = excluded.currency,
      status = excluded.status, arrives_at = excluded.arrives_at, read_at = now()
    RETURNING is_itemized AS "isItemized"`,
};

/**
 * After a failed payout, the same transaction may be part of a later payout. The item then belongs to the later
 * payout.
 */
export const KEEP_PAYOUT_ITEMS: Statement = {
  name: 'payout_items_keep',
  text: `INSERT INTO payout_item (provider, provider_payout_id, provider_item_id, kind, amount, fee, net, currency,
      payment_id, occurred_at)
    SELECT $1, $2, id, kind, amount, fee, net, currency, payment_id, occurred_at
    FROM unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::timestamptz[])
      AS item (id, kind, amount, fee, net, currency, payment_id, occurred_at)
    ON CONFLICT (provider, provider_item_id) DO UPDATE SET provider_payout_id = excluded.provider_payout_id`,
};

export const MARK_ITEMIZED: Statement = {
  name: 'payout_mark_itemized',
  text: 'UPDATE payout SET is_itemized = true WHERE provider = $1 AND provider_payout_id = $2',
};

const COLUMNS = `payout.provider, payout.provider_payout_id AS "payoutId", payout.amount, payout.currency, payout.status,
  payout.arrives_at AS "arrivesAt", payout.created_at AS "createdAt", payout.is_itemized AS "isItemized"`;

/** Parameters: from, to, limit. */
export const PAYOUTS_BETWEEN: Statement = {
  name: 'payouts_between',
  text: `SELECT ${COLUMNS} FROM payout WHERE arrives_at >= $1 AND arrives_at < $2
    ORDER BY arrives_at DESC, provider, provider_payout_id LIMIT $3`,
};

/** Returns the payouts that contain money of the event. */
export const PAYOUTS_OF_EVENT: Statement = {
  name: 'payouts_of_event',
  text: `SELECT ${COLUMNS} FROM payout WHERE EXISTS (
      SELECT 1 FROM payout_item item JOIN donation USING (provider, payment_id)
      WHERE item.provider = payout.provider AND item.provider_payout_id = payout.provider_payout_id
        AND donation.event_id = $1)
    ORDER BY arrives_at, provider, provider_payout_id`,
};

/**
 * Parameters: providers, payouts. Returns sums by kind and event. The event is null if the item does not belong to a
 * donation of this service.
 */
export const PAYOUT_SUMS: Statement = {
  name: 'payout_sums',
  text: `SELECT item.provider, item.provider_payout_id AS "payoutId", item.kind, donation.event_id AS "eventId",
      count(*)::int AS count, sum(item.amount)::bigint AS amount, sum(item.fee)::bigint AS fee, sum(item.net)::bigint AS net
    FROM unnest($1::text[], $2::text[]) AS wanted (provider, payout_id)
    JOIN payout_item item ON item.provider = wanted.provider AND item.provider_payout_id = wanted.payout_id
    LEFT JOIN donation ON donation.provider = item.provider AND donation.payment_id = item.payment_id
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
};

/** Parameters: providers, payouts, limit per payout. Returns the items with their donations. */
export const PAYOUT_ITEMS: Statement = {
  name: 'payout_items',
  text: `SELECT item.provider, item.provider_payout_id AS "payoutId", item.provider_item_id AS "itemId", item.kind,
      item.amount, item.fee, item.net, item.occurred_at AS "at", item.payment_id AS "paymentId",
      donation.id AS "donationId", donation.event_id AS "eventId"
    FROM unnest($1::text[], $2::text[]) AS wanted (provider, payout_id)
    CROSS JOIN LATERAL (
      SELECT provider, provider_payout_id, provider_item_id, kind, amount, fee, net, occurred_at, payment_id
      FROM payout_item WHERE provider = wanted.provider AND provider_payout_id = wanted.payout_id
      ORDER BY occurred_at, provider_item_id LIMIT $3
    ) AS item
    LEFT JOIN donation ON donation.provider = item.provider AND donation.payment_id = item.payment_id
    ORDER BY item.provider, item.provider_payout_id, item.occurred_at, item.provider_item_id`,
};

export const PAYOUT_PROBLEMS: Statement = {
  name: 'payout_problems',
  text: `SELECT provider, payouts_read_at AS "readAt", payouts_problem AS problem FROM provider_health`,
};
