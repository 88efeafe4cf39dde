import type { Statement } from '../data/database.js';

/** Hours after which a moment is deleted, with its messages in the feed. */
const KEPT_HOURS = 48;

/** No row for an event that has no walls. $1: moment; $2: event; $3: title; $4: text; $5: seconds */
export const INSERT_MOMENT: Statement = {
  name: 'wall_moment_insert',
  text: `INSERT INTO wall_moment (id, event_id, title, text, seconds)
    SELECT $1, event.id, $3, $4, $5 FROM event WHERE event.id = $2 AND event.status IN ('active', 'paused', 'closed')
    FOR KEY SHARE RETURNING created_at`,
};

export const MOMENTS: Statement = {
  name: 'wall_moments',
  text: `SELECT moment.id, moment.event_id, moment.title, moment.text, moment.seconds FROM wall_moment moment
      JOIN event ON event.id = moment.event_id
    WHERE moment.id = ANY($1::uuid[]) AND event.status <> 'archived'
      AND moment.created_at > now() - interval '${KEPT_HOURS} hours'`,
};

/** The job runs every quarter of an hour, so it deletes a little early. $1: maximum number of rows */
export const DELETE_OLD_MOMENTS: Statement = {
  name: 'wall_moments_delete_old',
  text: `DELETE FROM wall_moment WHERE id IN (SELECT id FROM wall_moment
      WHERE created_at < now() - interval '${KEPT_HOURS} hours' + interval '20 minutes' LIMIT $1) RETURNING id`,
};
