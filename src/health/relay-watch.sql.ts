import type { Statement } from '../data/database.js';
import { UNPUBLISHED } from '../outbox/outbox.sql.js';

/** $1: seconds; $2: how many events at most. */
export const STANDING_STILL: Statement = {
  name: 'relay_standing_still',
  text: `SELECT event_id, min(created_at) AS since FROM (${UNPUBLISHED}) AS waiting
     GROUP BY event_id HAVING min(created_at) < now() - make_interval(secs => $1) ORDER BY since LIMIT $2`,
};

/** Items about events of which nothing waits any more. */
export const MOVING_AGAIN: Statement = {
  name: 'relay_moving_again',
  text: `SELECT subject FROM review_item r WHERE kind = 'relay_stalled' AND resolved_at IS NULL
     AND NOT EXISTS (SELECT FROM (${UNPUBLISHED}) AS waiting WHERE 'event:' || waiting.event_id = r.subject)`,
};
