import type { Statement } from '../data/database.js';

/** A follower's position in the feed of one event. */
export interface PositionRow {
  readonly follower: string;
  readonly sequence: bigint;
}

/** Adds new followers. A new follower handles only messages that are numbered from now on. */
export const JOIN: Statement = {
  name: 'follower_join',
  text: `WITH joined AS (
      INSERT INTO follower (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING name
    )
    INSERT INTO follower_position (follower, event_id, sequence)
    SELECT joined.name, f.event_id, f.last_sequence FROM joined CROSS JOIN event_feed f`,
};

/** Events with messages that one of the followers $1 has not handled. Read once in a term, because it reads every feed. */
export const BEHIND: Statement = {
  name: 'follower_behind',
  text: `SELECT DISTINCT f.event_id FROM event_feed f CROSS JOIN unnest($1::text[]) AS own (name)
    LEFT JOIN follower_position p ON p.event_id = f.event_id AND p.follower = own.name
    WHERE f.last_sequence > coalesce(p.sequence, 0)`,
};

/** Locks the positions of the followers $1 in the feed of event $2 until the end of the transaction. */
export const LOCK: Statement = {
  name: 'follower_lock',
  text: `SELECT follower, sequence FROM follower_position WHERE event_id = $2 AND follower = ANY($1::text[])
    ORDER BY follower FOR UPDATE`,
};

/** Creates the missing positions of the followers $1 in the feed of event $2. */
export const BEGIN: Statement = {
  name: 'follower_begin',
  text: `INSERT INTO follower_position (follower, event_id, sequence) SELECT unnest($1::text[]), $2, 0
    ON CONFLICT DO NOTHING`,
};

/** The next numbered messages of event $1 after $2, at most $3. */
export const NEXT: Statement = {
  name: 'follower_next',
  text: `SELECT id, event_id, topic, donation_id, round_id, subject_id, sequence FROM outbox
    WHERE event_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
};

export const ADVANCE: Statement = {
  name: 'follower_advance',
  text: `UPDATE follower_position SET sequence = greatest(sequence, $3), held_since = NULL, problem = NULL
    WHERE event_id = $2 AND follower = ANY($1::text[])`,
};

/** Notes that follower $1 cannot handle the next messages of event $2. */
export const HOLD: Statement = {
  name: 'follower_hold',
  text: `INSERT INTO follower_position AS p (follower, event_id, sequence, held_since, problem) VALUES ($1, $2, 0, now(), $3)
    ON CONFLICT (event_id, follower) DO UPDATE SET
      held_since = coalesce(p.held_since, now()), problem = excluded.problem`,
};

/** Followers that have been held up for $1 seconds, at most $2 positions. */
export const STALLED: Statement = {
  name: 'follower_stalled',
  text: `SELECT follower, event_id, held_since, problem FROM follower_position
    WHERE held_since < now() - make_interval(secs => $1) ORDER BY held_since LIMIT $2`,
};

/** Subjects of open review items about followers that have resumed. */
export const GOING_ON: Statement = {
  name: 'follower_going_on',
  text: `SELECT subject FROM review_item r WHERE kind = 'follower_stalled' AND resolved_at IS NULL
    AND NOT EXISTS (SELECT FROM follower_position p WHERE p.held_since IS NOT NULL
      AND p.follower || ' event:' || p.event_id = r.subject)`,
};
