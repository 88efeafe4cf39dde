import type { Statement } from '../data/database.js';
import { promisedIn } from '../totals/promised.sql.js';

const ROUND = `SELECT round.id, round.event_id, round.amount, round.currency, round.name, round.created_at, round.closed_at,
    held.pledges, held.promised
  FROM pledge_round round CROSS JOIN LATERAL (${promisedIn('round.id')}) AS held`;

/** round, event, amount, name, who: in the event's currency; nothing for an event that takes no records. */
export const OPEN_ROUND: Statement = {
  name: 'pledge_round_open',
  text: `INSERT INTO pledge_round (id, event_id, amount, currency, name, actor_kind, actor_id)
    SELECT $1, event.id, $3, event.currency, $4, $5::actor_kind, $6 FROM event
    WHERE event.id = $2 AND event.status IN ('active', 'paused', 'closed') RETURNING id`,
};

export const CLOSE_ROUND: Statement = {
  name: 'pledge_round_close',
  text: 'UPDATE pledge_round SET closed_at = now() WHERE id = $1 AND closed_at IS NULL RETURNING id',
};

export const ROUND_BY_ID: Statement = { name: 'pledge_round_by_id', text: `${ROUND} WHERE round.id = $1` };

/** event, how many: newest first */
export const ROUNDS_OF_EVENT: Statement = {
  name: 'pledge_rounds_of_event',
  text: `${ROUND} WHERE round.event_id = $1 ORDER BY round.id DESC LIMIT $2`,
};
