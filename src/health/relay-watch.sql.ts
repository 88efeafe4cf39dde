import type { Statement } from '../data/database.js';

/** $1: seconds; $2: how many events at most. */
export const STANDING_STILL: Statement = {
  name: 'relay_standing_still',
  text: `SELECT event_id, min(created_at) AS since FROM outbox WHERE published_at IS NULL
     GROUP BY event_id HAVING min(created_at) < now() - make_interval(secs => $1) ORDER BY since LIMIT $2`,
};

/** Items about events of which nothing waits any more. */
export const MOVING_AGAIN: Statement = {
  name: 'relay_moving_again',
  text: `SELECT subject FROM review_item r WHERE kind = 'relay_stalled' AND resolved_at IS NULL
     AND NOT EXISTS (SELECT FROM outbox o WHERE o.published_at IS NULL AND 'event:' || o.event_id = r.subject)`,
};
