import { RELAY_LEADER_LOCK } from '../data/advisory-locks.js';
import type { Statement } from '../data/database.js';

/** Channel that wakes the leading relay. */
export const WAKE_CHANNEL = 'donations_outbox';
/**
 * Channel that says what was committed: an event's id where donations were, nothing where an event or the settings
 * were changed, by anybody (a trigger says so). Never within a donation's own transaction: all commits that notify
 * queue behind each other.
 */
export const CHANGES_CHANNEL = 'donations_changes';
/** Channel on which a leader says that it stepped down. */
export const VACANCY_CHANNEL = 'donations_relay_vacant';

/** Topic, ids and place in the feed; never personal data. */
export interface NumberedRow {
  readonly id: bigint;
  readonly event_id: string;
  readonly topic: string;
  readonly donation_id: string | null;
  readonly round_id: string | null;
  /** 1, 2, 3 … within the event. */
  readonly sequence: bigint;
}

export const APPEND: Statement = {
  name: 'outbox_append',
  text: 'INSERT INTO outbox (event_id, topic, donation_id, round_id) VALUES ($1, $2, $3, $4)',
};

const WAITS = 'published_at IS NULL AND sequence IS NULL';

/**
 * Gives the oldest waiting rows above an id their numbers, and announces to every process whose they are. Runs on the leader's own connection only, so
 * that no other process numbers at the same time, and a number is durable before it is broadcast.
 *
 * Where one of them is more than a new donation, the oldest of all that wait: what happened to a donation is told after the
 * donation, however late that was committed.
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
             row_number() OVER (PARTITION BY event_id ORDER BY id) AS position,
             count(*) OVER (PARTITION BY event_id) AS size
        FROM oldest
    ), feed AS (
      INSERT INTO event_feed AS f (event_id, last_sequence)
      SELECT DISTINCT event_id, size FROM batch
      ON CONFLICT (event_id) DO UPDATE SET last_sequence = f.last_sequence + excluded.last_sequence
      RETURNING f.event_id, f.last_sequence
    ), announced AS (
      SELECT pg_notify('${CHANGES_CHANNEL}', event_id::text) FROM feed
    )
    UPDATE outbox AS o SET sequence = feed.last_sequence - batch.size + batch.position
      FROM batch JOIN feed USING (event_id)
     WHERE o.id = batch.id AND (SELECT count(*) FROM announced) > 0
    RETURNING o.id, o.event_id, o.topic, o.donation_id, o.round_id, o.sequence`,
};

/** Rows that were numbered and perhaps never broadcast, of any event but $2: what a crash or a failed delivery left. */
export const LEFT_BEHIND: Statement = {
  name: 'outbox_left_behind',
  text: `SELECT id, event_id, topic, donation_id, round_id, sequence FROM outbox
     WHERE published_at IS NULL AND sequence IS NOT NULL AND event_id <> ALL($2::uuid[])
     ORDER BY sequence, id LIMIT $1`,
};

export const MARK_PUBLISHED: Statement = {
  name: 'outbox_mark_published',
  text: 'UPDATE outbox SET published_at = now() WHERE id = ANY($1::bigint[]) AND published_at IS NULL',
};

export const PRUNE: Statement = {
  name: 'outbox_prune',
  text: `DELETE FROM outbox WHERE id IN (
      SELECT id FROM outbox WHERE published_at < now() - $1::interval ORDER BY published_at LIMIT $2)
    RETURNING 1 AS one`,
};

export const WAKE: Statement = {
  name: 'outbox_wake',
  text: `SELECT pg_notify('${WAKE_CHANNEL}', '')`,
};

export const BEAT: Statement = { name: 'outbox_beat', text: 'SELECT 1 AS one' };

const [LOCK_CLASS, LOCK_OBJECT] = RELAY_LEADER_LOCK.split(', ');

/**
 * Ends the session of a leader that has asked nothing for the given time, which frees its lock. Its process is frozen,
 * or cut off without the server knowing; what it had in hand is broadcast again by the next leader.
 */
export const END_SILENT_LEADER: Statement = {
  name: 'outbox_end_silent_leader',
  text: `SELECT pg_terminate_backend(a.pid) AS ended
      FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
       AND l.classid = ${LOCK_CLASS} AND l.objid = ${LOCK_OBJECT} AND l.objsubid = 2
       AND l.database = a.datid AND a.state = 'idle' AND a.state_change < clock_timestamp() - $1::interval`,
};

/** How long a published row can be replayed. */
export const KEPT = '48 hours';
