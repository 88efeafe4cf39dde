import type { Statement } from '../data/database.js';
import { PLEDGED, pledgeFate } from '../donations/list/donation-filters.sql.js';
import { promisedIn } from '../totals/totals.sql.js';

const ROUND = `SELECT round.id, round.event_id, round.amount, round.currency, round.name, round.created_at, round.closed_at,
    held.pledges, held.promised
  FROM pledge_round round CROSS JOIN LATERAL (${promisedIn('round.id')}) AS held`;

/**
 * Inserts a round in the event's currency, or no row if the event accepts no records. The lock waits for a simultaneous
 * deletion of the event.
 * $1: round; $2: event; $3: amount; $4: name; $5: kind of the user; $6: user
 */
export const OPEN_ROUND: Statement = {
  name: 'pledge_round_open',
  text: `INSERT INTO pledge_round (id, event_id, amount, currency, name, actor_kind, actor_id)
    SELECT $1, event.id, $3, event.currency, $4, $5::actor_kind, $6 FROM event
    WHERE event.id = $2 AND event.status IN ('active', 'paused', 'closed')
    FOR KEY SHARE RETURNING id`,
};

export const CLOSE_ROUND: Statement = {
  name: 'pledge_round_close',
  text: 'UPDATE pledge_round SET closed_at = now() WHERE id = $1 AND closed_at IS NULL RETURNING id',
};

export const ROUND_BY_ID: Statement = { name: 'pledge_round_by_id', text: `${ROUND} WHERE round.id = $1` };

/** $1: event; $2: limit. Newest first. */
export const ROUNDS_OF_EVENT: Statement = {
  name: 'pledge_rounds_of_event',
  text: `${ROUND} WHERE round.event_id = $1 ORDER BY round.id DESC LIMIT $2`,
};

const ROUND_COLUMNS = `round.id, round.event_id, round.amount, round.currency, round.name, round.created_at,
      round.closed_at`;

/**
 * Pledges of rounds with the money received for each. The money of a pledge paid at the till is in its own row. The money of a
 * pledge paid online is in another donation. Money in another currency than the pledge is not added.
 */
const PLEDGES = `SELECT donation.round_id, ${PLEDGED} AS promised, ${pledgeFate('payer.status')} AS fate,
      CASE WHEN donation.paid_by IS NULL THEN donation.amount
        WHEN payer.currency = donation.currency THEN payer.amount ELSE 0 END AS received,
      CASE WHEN donation.paid_by IS NULL THEN donation.refunded_amount
        WHEN payer.currency = donation.currency THEN payer.refunded_amount ELSE 0 END AS back
    FROM donation LEFT JOIN donation payer ON payer.id = donation.paid_by
    WHERE donation.round_id IN (SELECT id FROM pledge_round WHERE event_id = $1)`;

const sum = (amount: string, condition: string) =>
  `coalesce(sum(${amount}) FILTER (WHERE ${condition}), 0)::bigint`;
const count = (condition: string) => `(count(*) FILTER (WHERE ${condition}))::int`;

/** $1: event; $2: limit. Totals by currency without an id, then the results of each round, newest first. */
export const CONVERSION_OF_EVENT: Statement = {
  name: 'pledge_conversion',
  text: `SELECT ${ROUND_COLUMNS},
      ${count("fate <> 'withdrawn'")} AS pledges, ${sum('promised', "fate <> 'withdrawn'")} AS promised,
      ${count("fate = 'open'")} AS open, ${sum('promised', "fate = 'open'")} AS open_sum,
      ${count("fate = 'kept_at_till'")} AS at_till, ${sum('received - back', "fate = 'kept_at_till'")} AS at_till_sum,
      ${count("fate = 'kept_online'")} AS online, ${sum('received - back', "fate = 'kept_online'")} AS online_sum,
      ${count("fate = 'returned'")} AS returned,
      (${sum('back', "fate IN ('kept_at_till', 'kept_online')")} + ${sum('received', "fate = 'returned'")})::bigint AS returned_sum,
      ${count("fate = 'withdrawn'")} AS withdrawn, ${sum('promised', "fate = 'withdrawn'")} AS withdrawn_sum
    FROM pledge_round round LEFT JOIN (${PLEDGES}) AS pledge ON pledge.round_id = round.id
    WHERE round.event_id = $1
    GROUP BY GROUPING SETS ((${ROUND_COLUMNS}), (round.currency))
    ORDER BY grouping(round.id) DESC, round.id DESC, round.currency LIMIT $2`,
};
