import type { Statement } from '../data/database.js';
import { ALL_COLUMNS, type DonationColumn } from '../donations/store/donation-columns.js';
import { promisedIn, totalsOfEvent } from '../totals/totals.sql.js';

const IS_NAME_SHOWN = "NOT d.is_anonymous AND d.name_state = 'visible'";

// The only code that selects the name, message and amount for walls. Hidden ones are never read from the database.
const SHOWN = {
  id: 'd.id AS donation_id',
  amount: 'CASE WHEN NOT d.is_amount_hidden THEN d.amount END AS amount',
  currency: 'd.currency',
  status: 'd.status',
  created_at: 'd.created_at',
  completed_at: null,
  donor_name: `CASE WHEN ${IS_NAME_SHOWN} THEN nullif(btrim(d.donor_name), '') END AS donor_name`,
  donor_pronunciation: `CASE WHEN ${IS_NAME_SHOWN} THEN d.donor_pronunciation END AS donor_pronunciation`,
  message: "CASE WHEN d.message_state = 'visible' THEN nullif(btrim(d.message), '') END AS message",
  event_id: null,
  type: null,
  donor_email: null,
  is_anonymous: null,
  is_amount_hidden: null,
  message_state: null,
  name_state: null,
  donor_key: null,
  staff_id: null,
  staff_name: null,
  provider: null,
  payment_id: null,
  capture_id: null,
  expected_amount: null,
  expected_currency: null,
  refunded_amount: null,
  paid_at: null,
  checked_at: null,
  next_check_at: null,
  fee: null,
  fee_currency: null,
  receipt_number: null,
  updated_at: null,
  recorded_at: null,
  terminal_id: null,
  shift_id: null,
  paddle: null,
  round_id: null,
  paid_by: null,
  locale: null,
  donor_address: null,
  gift_aid: null,
  covered_fee: null,
  reference: null,
  note: null,
  source: null,
  guest_id: null,
  method: null,
  wallet: null,
  address: null,
  tribute:
    "CASE WHEN d.tribute_state = 'visible' THEN jsonb_build_object('kind', d.tribute -> 'kind', 'name', d.tribute -> 'name') END AS tribute",
  tribute_state: null,
  wall_state: 'd.wall_state',
  notified_key: null,
  pledged_amount: null,
  benefit_value: null,
  benefit_text: null,
  is_past_donation: null,
  team_id: null,
  match_pool_id: null,
} as const satisfies Record<DonationColumn, string | null>;

/** Sum that the donation drew from match pools. It would reveal a hidden amount. */
const MATCHED = `CASE WHEN NOT d.is_amount_hidden THEN
      (SELECT nullif(sum(draw.amount), 0)::bigint FROM match_draw draw WHERE draw.donation_id = d.id) END AS matched`;

const DONATION = [...Object.values(SHOWN).filter((expression) => expression !== null), MATCHED].join(', ');

/** Current donations of a batch of outbox rows. Donations of archived events are not public. */
export const DONATIONS: Statement = {
  name: 'live_donations',
  text: `SELECT ${DONATION} FROM donation d JOIN event e ON e.id = d.event_id
    WHERE d.id = ANY($1::uuid[]) AND e.status <> 'archived'`,
};

/**
 * The last messages after each `since`, and the end of each feed. A null `since` returns no messages.
 * $1: events; $2: their `since`; $3: maximum messages
 */
export const MISSED: Statement = {
  name: 'live_missed',
  text: `SELECT asked.event_id, coalesce(f.last_sequence, 0) AS last_sequence, o.topic, o.sequence,
      o.donation_id AS named_id, o.round_id AS named_round, o.subject_id, ${DONATION}
    FROM unnest($1::uuid[], $2::bigint[]) AS asked (event_id, since)
    LEFT JOIN event_feed f ON f.event_id = asked.event_id
    LEFT JOIN LATERAL (
      SELECT topic, sequence, donation_id, round_id, subject_id FROM outbox
       WHERE event_id = asked.event_id AND asked.since IS NOT NULL
         AND sequence > greatest(asked.since, f.last_sequence - $3::bigint)
         AND (sequence > f.published_sequence OR created_at > now() - $4::interval)
       ORDER BY sequence) AS o ON true
    LEFT JOIN donation d ON d.id = o.donation_id
    ORDER BY o.sequence`,
};

/** Totals of events in all their currencies, with the sequence of the last broadcast message. */
export const TOTALS: Statement = {
  name: 'live_totals',
  text: `SELECT e.id AS event_id, e.currency, e.goal_amount,
      coalesce(f.published_sequence, 0) AS published_sequence,
      t.currency AS total_currency, t.total_raised, t.donor_count
    FROM event e
    LEFT JOIN event_feed f ON f.event_id = e.id
    LEFT JOIN LATERAL (${totalsOfEvent('e.id')}) AS t ON true
    WHERE e.id = ANY($1::uuid[]) AND e.status <> 'archived'`,
};

/** Time from which walls may show a donation. The card of a large record arrives when a second person shows it. */
const ARRIVED_AT = `coalesce(CASE WHEN d.wall_state = 'visible' THEN (SELECT max(h.created_at) FROM donation_history h
      WHERE h.donation_id = d.id AND h.cause ->> 'kind' = 'record_shown') END, d.completed_at, d.created_at)`;

/** The newest completed donations of each event, without those whose card waits for a second person. */
export const NEWEST: Statement = {
  name: 'live_newest_of_events',
  text: `SELECT asked.event_id, ${DONATION}, ${ARRIVED_AT} AS arrived_at FROM unnest($1::uuid[]) AS asked (event_id)
    CROSS JOIN LATERAL (
      SELECT ${ALL_COLUMNS} FROM donation
       WHERE event_id = asked.event_id AND status = 'COMPLETED' AND wall_state IS DISTINCT FROM 'held'
       ORDER BY id DESC LIMIT $2) AS d
    ORDER BY d.id DESC`,
};

/** Current state of paddle raise rounds. For an archived event, the row shows only that the round has ended. */
export const ROUNDS: Statement = {
  name: 'live_rounds',
  text: `SELECT round.id AS round_id, round.event_id, round.amount, round.currency,
      CASE WHEN e.is_shown THEN round.name END AS name, e.is_shown AND round.closed_at IS NULL AS is_open,
      CASE WHEN e.is_shown THEN held.pledges ELSE 0 END AS pledges,
      CASE WHEN e.is_shown THEN held.promised ELSE 0 END AS promised
    FROM pledge_round round
    CROSS JOIN LATERAL (SELECT status <> 'archived' AS is_shown FROM event WHERE id = round.event_id) AS e
    CROSS JOIN LATERAL (${promisedIn('round.id')}) AS held
    WHERE round.id = ANY($1::uuid[])`,
};

/** The last opened round of each event, if it is still open. */
export const OPEN_ROUNDS: Statement = {
  name: 'live_open_rounds',
  text: `SELECT round.id AS round_id, round.event_id, round.amount, round.currency, round.name,
      round.closed_at IS NULL AS is_open, held.pledges, held.promised
    FROM unnest($1::uuid[]) AS asked (event_id)
    CROSS JOIN LATERAL (SELECT id, event_id, amount, currency, name, closed_at FROM pledge_round
      WHERE event_id = asked.event_id ORDER BY id DESC LIMIT 1) AS round
    CROSS JOIN LATERAL (${promisedIn('round.id')}) AS held
    WHERE round.closed_at IS NULL`,
};
