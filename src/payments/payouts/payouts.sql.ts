import type { Statement } from '../../data/database.js';

/** The statements on payouts: what providers sent to the charity's bank, and which donations are in it. */

/**
 * Since when payouts of a provider have to be read, or nothing when they were a short while ago. Asking in vain is no
 * reading: what the key may not see for months is read once it may.
 */
export const PAYOUTS_DUE: Statement = {
  name: 'payouts_due',
  text: `SELECT coalesce(CASE WHEN health.payouts_problem IS NULL THEN health.payouts_read_at - interval '30 days' END,
      now() - interval '180 days') AS since
    FROM (SELECT $1::text AS provider) AS wanted LEFT JOIN provider_health health USING (provider)
    WHERE $2 OR health.payouts_read_at IS NULL OR health.payouts_read_at < now() - interval '1 hour'`,
};

/** provider, why they cannot be read or null */
export const PAYOUTS_READ: Statement = {
  name: 'payouts_read',
  text: `INSERT INTO provider_health (provider, payouts_read_at, payouts_problem) VALUES ($1, now(), $2)
    ON CONFLICT (provider) DO UPDATE SET payouts_read_at = now(), payouts_problem = excluded.payouts_problem`,
};

/** Answers whether its items are known already. */
export const KEEP_PAYOUT: Statement = {
  name: 'payout_keep',
  text: `INSERT INTO payout AS kept (provider, provider_payout_id, amount, currency, status, arrives_at, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (provider, provider_payout_id) DO UPDATE SET amount = excluded.amount, currency = excluded.currency,
      status = excluded.status, arrives_at = excluded.arrives_at, read_at = now()
    RETURNING is_itemized AS "isItemized"`,
};

/** A movement of a payout that failed may be in a later one. */
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

/** from, to, how many */
export const PAYOUTS_BETWEEN: Statement = {
  name: 'payouts_between',
  text: `SELECT ${COLUMNS} FROM payout WHERE arrives_at >= $1 AND arrives_at < $2
    ORDER BY arrives_at DESC, provider, provider_payout_id LIMIT $3`,
};

/** The payouts that money of an event is in. */
export const PAYOUTS_OF_EVENT: Statement = {
  name: 'payouts_of_event',
  text: `SELECT ${COLUMNS} FROM payout WHERE EXISTS (
      SELECT 1 FROM payout_item item JOIN donation USING (provider, payment_id)
      WHERE item.provider = payout.provider AND item.provider_payout_id = payout.provider_payout_id
        AND donation.event_id = $1)
    ORDER BY arrives_at, provider, provider_payout_id`,
};

/** providers, payouts: sums by kind and by the event whose donation it is; none for what is no donation of ours */
export const PAYOUT_SUMS: Statement = {
  name: 'payout_sums',
  text: `SELECT item.provider, item.provider_payout_id AS "payoutId", item.kind, donation.event_id AS "eventId",
      count(*)::int AS count, sum(item.amount)::bigint AS amount, sum(item.fee)::bigint AS fee, sum(item.net)::bigint AS net
    FROM unnest($1::text[], $2::text[]) AS wanted (provider, payout_id)
    JOIN payout_item item ON item.provider = wanted.provider AND item.provider_payout_id = wanted.payout_id
    LEFT JOIN donation ON donation.provider = item.provider AND donation.payment_id = item.payment_id
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
};

/** providers, payouts, how many of each: what is in them, with the donations */
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
