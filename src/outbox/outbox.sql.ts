import { RELAY_LEADER_LOCK } from '../data/advisory-locks.js';
import { CHANGES_CHANNEL } from '../data/channels.js';
import type { Statement } from '../data/database.js';

/** Channel that wakes the leading relay. */
export const WAKE_CHANNEL = 'donations_outbox';
/** Channel on which a leader announces that it stepped down. */
export const VACANCY_CHANNEL = 'donations_relay_vacant';

/** Topic, ids and position in the feed of a message. Never contains personal data. */
export interface NumberedRow {
  readonly id: bigint;
  readonly event_id: string;
  readonly topic: string;
  readonly donation_id: string | null;
  readonly round_id: string | null;
  /** Subject of the message if it is neither a donation nor a round. */
  readonly subject_id: string | null;
  /** Numbers rows within the event: 1, 2, 3 … */
  readonly sequence: bigint;
}

export const APPEND: Statement = {
  name: 'outbox_append',
  text: 'INSERT INTO outbox (event_id, topic, donation_id, round_id, subject_id) VALUES ($1, $2, $3, $4, $5)',
};

const WAITS = 'sequence IS NULL';

/**
 * Numbered rows that were perhaps not broadcast. They exist only while the relay is working, or after the relay failed.
 */
const NUMBERED = `event_feed f JOIN outbox o ON o.event_id = f.event_id AND o.sequence > f.published_sequence
     WHERE f.published_sequence < f.last_sequence`;

/** Event and creation time of each row that is not broadcast. */
export const UNPUBLISHED = `SELECT event_id, created_at FROM outbox WHERE ${WAITS}
     UNION ALL SELECT o.event_id, o.created_at FROM ${NUMBERED}`;

/**
 * Creation time of the oldest row that is not broadcast; NULL if no row is waiting. Fast for any number of rows, because
 * PostgreSQL reads one index entry, and one more for each feed.
 */
export const OLDEST_UNPUBLISHED = `least(
      (SELECT created_at FROM outbox WHERE ${WAITS} ORDER BY id LIMIT 1),
      (SELECT min(o.created_at) FROM ${NUMBERED} AND o.sequence = f.published_sequence + 1))`;

/** Reserves the next positions for all rows of `rows`. Returns no row if there are none. */
const reserved = (
  rows: string,
) => `INSERT INTO outbox_head (position) SELECT count(*) FROM ${rows} HAVING count(*) > 0
      ON CONFLICT (id) DO UPDATE SET position = outbox_head.position + excluded.position
      RETURNING position - (SELECT count(*) FROM ${rows}) AS before`;

/**
 * Numbers the oldest waiting rows above an id, and announces their events to all processes. Runs only on the leader's own
 * connection, so no other process numbers rows at the same time, and each number is committed before its row is broadcast.
 * If one of these rows is not about a new donation, the statement numbers the oldest of all waiting rows. A change of a
 * donation must come after the donation, even if the donation was committed late.
 * Each row also gets a position among the rows of all events. Positions have no gaps, and each position is committed before a
 * larger one.
 */
export const HAND_OUT: Statement = {
  name: 'outbox_hand_out',
  text: `WITH near AS MATERIALIZED (
      SELECT id, event_id, topic FROM outbox WHERE ${WAITS} AND id > $2 ORDER BY id LIMIT $1
    ), kind AS (
      SELECT bool_or(topic <> 'donation.created') AS follows FROM near
    ), oldest AS (
      SELECT id, event_id FROM near WHERE NOT (SELECT follows FROM kind)
      UNION ALL
      (SELECT id, event_id FROM outbox WHERE ${WAITS} AND (SELECT follows FROM kind) ORDER BY id LIMIT $1)
    ), batch AS (
      SELECT id, event_id,
             row_number() OVER (ORDER BY id) AS rank,
             row_number() OVER (PARTITION BY event_id ORDER BY id) AS number,
             count(*) OVER (PARTITION BY event_id) AS size
        FROM oldest
    ), feed AS (
      INSERT INTO event_feed AS f (event_id, last_sequence)
      SELECT DISTINCT event_id, size FROM batch
      ON CONFLICT (event_id) DO UPDATE SET last_sequence = f.last_sequence + excluded.last_sequence
      RETURNING f.event_id, f.last_sequence
    ), head AS (
      ${reserved('batch')}
    ), announced AS (
      SELECT pg_notify('${CHANGES_CHANNEL}', event_id::text) FROM feed
    )
    UPDATE outbox AS o SET sequence = feed.last_sequence - batch.size + batch.number, position = head.before + batch.rank
      FROM batch JOIN feed USING (event_id) CROSS JOIN head
     WHERE o.id = batch.id AND (SELECT count(*) FROM announced) > 0
    RETURNING o.id, o.event_id, o.topic, o.donation_id, o.round_id, o.subject_id, o.sequence`,
};

/** Gives positions to rows that an earlier release numbered. */
export const PLACE_NUMBERED: Statement = {
  name: 'outbox_place_numbered',
  text: `WITH unplaced AS MATERIALIZED (
      SELECT id, row_number() OVER (ORDER BY id) AS rank FROM outbox WHERE sequence IS NOT NULL AND position IS NULL
    ), head AS (
      ${reserved('unplaced')}
    )
    UPDATE outbox AS o SET position = head.before + unplaced.rank FROM unplaced CROSS JOIN head WHERE o.id = unplaced.id`,
};

/** Numbered rows of all events except $2 that were perhaps not broadcast, because of a crash or a failed delivery. */
export const LEFT_BEHIND: Statement = {
  name: 'outbox_left_behind',
  text: `SELECT o.id, o.event_id, o.topic, o.donation_id, o.round_id, o.subject_id, o.sequence FROM ${NUMBERED}
       AND f.event_id <> ALL($2::uuid[])
     ORDER BY o.sequence, o.id LIMIT $1`,
};

/** Marks all rows of each event in $1 up to its sequence in $2 as broadcast. */
export const MARK_PUBLISHED: Statement = {
  name: 'outbox_mark_published',
  text: `UPDATE event_feed AS f SET published_sequence = told.sequence
      FROM unnest($1::uuid[], $2::bigint[]) AS told (event_id, sequence)
     WHERE f.event_id = told.event_id AND f.published_sequence < told.sequence`,
};

/**
 * Deletes rows that are broadcast, that every follower has handled, and that are older than $1; at most $2 rows. If the oldest
 * row is younger than $1, reads no other row.
 */
export const PRUNE: Statement = {
  name: 'outbox_prune',
  text: `DELETE FROM outbox WHERE id IN (
      SELECT oldest.id FROM (SELECT id, event_id, sequence, created_at FROM outbox ORDER BY id LIMIT $2) AS oldest
        JOIN event_feed f ON f.event_id = oldest.event_id
       WHERE oldest.created_at < now() - $1::interval AND oldest.sequence <= f.published_sequence
         AND NOT EXISTS (SELECT FROM follower LEFT JOIN follower_position p
               ON p.follower = follower.name AND p.event_id = oldest.event_id
              WHERE coalesce(p.sequence, 0) < oldest.sequence)
         AND (SELECT created_at FROM outbox ORDER BY id LIMIT 1) < now() - $1::interval)
    RETURNING 1 AS one`,
};

export const WAKE: Statement = {
  name: 'outbox_wake',
  text: `SELECT pg_notify('${WAKE_CHANNEL}', '')`,
};

export const BEAT: Statement = { name: 'outbox_beat', text: 'SELECT 1 AS one' };

const [LOCK_CLASS, LOCK_OBJECT] = RELAY_LEADER_LOCK.split(', ');

/**
 * Ends the session of a leader that was silent for the given time, because its process is frozen or disconnected. This releases
 * the leader's lock. The next leader broadcasts the unfinished rows again.
 */
export const END_SILENT_LEADER: Statement = {
  name: 'outbox_end_silent_leader',
  text: `SELECT pg_terminate_backend(a.pid) AS ended
      FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
       AND l.classid = ${LOCK_CLASS} AND l.objid = ${LOCK_OBJECT} AND l.objsubid = 2
       AND l.database = a.datid AND a.state = 'idle' AND a.state_change < clock_timestamp() - $1::interval`,
};

/** Time after its creation in which a broadcast row can be replayed. */
export const KEPT = '48 hours';
