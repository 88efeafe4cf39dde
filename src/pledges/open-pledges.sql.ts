import type { Statement } from '../data/database.js';
import { CANCELLED_AS, PLEDGED, pledgeFate } from '../donations/list/donation-filters.sql.js';

const PLEDGED_AT = 'coalesce(donation.recorded_at, donation.created_at)';

/** The latest e-mail about a pledge, or the latest letter. An e-mail of an older release names only its own pledge. */
const LAST_CONTACT = `SELECT kind, state, at FROM (
      SELECT email.kind::text AS kind, email.state::text AS state, coalesce(email.sent_at, email.created_at) AS at
      FROM email WHERE email.kind IN ('pledge_thanks', 'pledge_reminder', 'pledge_last') AND (email.donation_id = donation.id
        OR email.id IN (SELECT email_id FROM pledge_contact WHERE pledge_id = donation.id))
      UNION ALL
      SELECT 'letter', NULL, at FROM pledge_contact WHERE pledge_id = donation.id AND step = 'letter'
    ) AS contact ORDER BY at DESC LIMIT 1`;

/** State of the charge of a saved card; `ready` if the guest has a card for this paddle that no batch uses yet. */
const CARD_STATE = `CASE WHEN charge.state IN ('announced', 'charging', 'failed') THEN charge.state
      WHEN charge.state = 'stopped' AND charge.code = 'guest' THEN 'stopped'
      WHEN EXISTS (SELECT 1 FROM saved_card WHERE saved_card.guest_id = donation.guest_id AND saved_card.state = 'ready'
        AND saved_card.paddle = donation.paddle AND guest.paddle = donation.paddle) THEN 'ready' END`;

/**
 * Open pledges of an event, the largest first.
 * $1: event; $2, $3: amount and id of the last row of the previous page, or null; $4: limit
 */
export const OPEN_PLEDGES: Statement = {
  name: 'pledges_open_list',
  text: `SELECT donation.id, donation.amount, donation.currency, donation.donor_name, donation.donor_email, donation.paddle,
      guest.table_name, ${PLEDGED_AT} AS pledged_at, last.kind, last.state, last.at,
      EXISTS (SELECT 1 FROM pledge_opt_out WHERE pledge_opt_out.donor_key = donation.donor_key) AS opted_out,
      ${CARD_STATE} AS card_state, charge.code AS card_code
    FROM donation LEFT JOIN guest ON guest.id = donation.guest_id LEFT JOIN card_charge charge ON charge.pledge_id = donation.id
      LEFT JOIN LATERAL (${LAST_CONTACT}) AS last ON true
    WHERE donation.event_id = $1 AND donation.type = 'pledge' AND donation.status = 'PENDING'
      AND ($2::bigint IS NULL OR (donation.amount, donation.id) < ($2, $3::uuid))
    ORDER BY donation.amount DESC, donation.id DESC LIMIT $4`,
};

/** $1: event */
export const COUNT_OPEN_PLEDGES: Statement = {
  name: 'pledges_open_count',
  text: `SELECT count(*)::int AS count FROM donation WHERE event_id = $1 AND type = 'pledge' AND status = 'PENDING'`,
};

/**
 * A pledge that was paid at the till has the type of its payment. Only such a manual record is completed after its creation, and a
 * bank transfer of the donate page, which has a time to pay.
 */
const WAS_PLEDGE = `(donation.type = 'pledge' OR donation.round_id IS NOT NULL
        OR (donation.provider IS NULL AND donation.completed_at > donation.created_at AND NOT EXISTS (
          SELECT 1 FROM transfer WHERE transfer.donation_id = donation.id AND transfer.expires_at IS NOT NULL)))`;

const count = (condition: string) => `(count(*) FILTER (WHERE ${condition}))::int`;
const sum = (amount: string, condition: string) =>
  `coalesce(sum(${amount}) FILTER (WHERE ${condition}), 0)::bigint`;
const KEPT = `fate IN ('kept_at_till', 'kept_online')`;
const OLD = `pledged_at <= now() - make_interval(days => $2)`;

/**
 * Pledged and received money of an event by currency. A withdrawn pledge counts as pledged and not as received; an undone one was a
 * mistake of the team and does not count. If another amount was paid, the pledged amount counts as pledged. Money of a pledge above the
 * pledged amount, such as a covered fee, does not count.
 * $1: event; $2: age in days of the pledges that are also counted apart
 */
export const RECEIVED_OF_PLEDGES: Statement = {
  name: 'pledges_received',
  text: `SELECT currency, count(*)::int AS pledged, sum(amount)::bigint AS pledged_sum, ${count(KEPT)} AS kept, ${sum('received', KEPT)} AS kept_sum,
      ${count(OLD)} AS old_pledged, ${sum('amount', OLD)} AS old_pledged_sum,
      ${count(`${OLD} AND ${KEPT}`)} AS old_kept, ${sum('received', `${OLD} AND ${KEPT}`)} AS old_kept_sum
    FROM (
      SELECT donation.currency, ${PLEDGED} AS amount, ${PLEDGED_AT} AS pledged_at, ${pledgeFate('payer.status')} AS fate,
        least(${PLEDGED}, CASE WHEN donation.paid_by IS NULL THEN donation.amount - donation.refunded_amount
          WHEN payer.currency = donation.currency THEN payer.amount - payer.refunded_amount ELSE 0 END) AS received
      FROM donation LEFT JOIN donation payer ON payer.id = donation.paid_by
      WHERE donation.event_id = $1 AND ${WAS_PLEDGE} AND NOT (donation.status = 'CANCELLED' AND ${CANCELLED_AS} = 'undone')
    ) AS pledge GROUP BY currency ORDER BY sum(amount) DESC, currency`,
};
