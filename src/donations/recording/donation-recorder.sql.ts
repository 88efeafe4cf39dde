import { notRehearsal } from '../../common/crypto/rehearsal-ids.js';
import type { Statement } from '../../data/database.js';
import { addNewDonations, raised } from '../../totals/totals.sql.js';
import { columnsWhere, DONATION_COLUMNS, type DonationColumn } from '../store/donation-columns.js';
import { recordsOf } from '../store/donations.sql.js';
import { CLOCKS_DIFFER_MS } from './given-at.js';

/** Sum of the event's pledges so far. */
const PROMISED = `SELECT coalesce(sum(pledge.amount), 0)::bigint FROM donation pledge
      WHERE pledge.event_id = event.id AND pledge.type = 'pledge' AND pledge.status <> 'CANCELLED'`;

/**
 * Event data for the recording rules. Until the records are written, the lock prevents a change of the event's currency and a
 * delete of the event.
 * $1: event; $2: true to sum its pledges; $3: pledge rounds of the records
 *
 * The condition on the id of the global settings keeps the planner's cost estimate below 100,000. Above this value PostgreSQL
 * would JIT-compile the statement at each call.
 */
export const LOCK_EVENT: Statement = {
  name: 'donations_event',
  text: `SELECT event.currency, event.date, event.status, event.overrides,
      (SELECT value FROM global_settings WHERE id = 1) AS global,
      (${raised('event.id', 'event.currency')}) AS raised,
      CASE WHEN $2 THEN (${PROMISED}) ELSE 0 END AS promised,
      (SELECT json_object_agg(round.id, round.currency) FROM pledge_round round
        WHERE round.event_id = event.id AND round.id = ANY($3::uuid[])) AS rounds
    FROM event WHERE event.id = $1 FOR KEY SHARE OF event`,
};

/** Time of the donation at the terminal. */
const TAKEN_AT = 'coalesce(input.recorded_at, input.created_at)';

// Finds the shift in which the donation was recorded. This shift decides the drawer. The tolerance is for clocks that differ
// just after the start of a shift. FOR SHARE waits for a running count and then reads the time of the count, because a record
// made after this time is not a late record of the drawer. The lock of the foreign key comes too late for this decision.
const SHIFT_OF = `(SELECT shift.id FROM shift
      WHERE shift.event_id = input.event_id AND shift.staff_id = input.staff_id
        AND shift.terminal_id IS NOT DISTINCT FROM input.terminal_id
        AND shift.opened_at - interval '${CLOCKS_DIFFER_MS} milliseconds' <= ${TAKEN_AT}
        AND (shift.counted_at IS NULL OR ${TAKEN_AT} < shift.counted_at)
      ORDER BY (shift.opened_at <= ${TAKEN_AT}) DESC, shift.opened_at DESC LIMIT 1 FOR SHARE)`;

/** Columns of a donation row. All values except the shift are in the input. */
const COLUMNS = columnsWhere(() => true);
const VALUES = COLUMNS.map((column) => (column === 'shift_id' ? SHIFT_OF : `input.${column}`));

/** Input of each donation in addition to its columns. A missing field means NULL. */
const EXTRA_INPUT = {
  history_id: 'uuid',
  actor_kind: 'actor_kind',
  actor_id: 'text',
  reason: 'text',
  topic: 'text',
  round_topic: 'text',
  /** Amount added to the totals. */
  adds: 'bigint',
  review_id: 'uuid',
  review_detail: 'jsonb',
  key_scope: 'text',
  key: 'text',
  key_digest: 'bytea',
  answer: 'text',
} as const;

/**
 * One donation in the JSON input of the statement. Bytes are written as `\\x` and hexadecimal digits. Fields with the value
 * NULL are omitted.
 */
export type RecordInput = Partial<Record<DonationColumn | keyof typeof EXTRA_INPUT, unknown>>;

const TYPES: Record<string, string> = {
  ...Object.fromEntries(COLUMNS.map((column) => [column, DONATION_COLUMNS[column].type])),
  ...EXTRA_INPUT,
};
const INPUT = Object.keys(TYPES).join(', ');

/**
 * Writes donations of one event that arrived together: idempotency keys, rows, history, donors, totals, outbox and review
 * items. The caller has made all decisions. The statement only finds each shift and skips donations whose key was already used.
 * Returns the ids of the written donations.
 * $1: donations as a JSON array; $2: shard of the totals
 *
 * The statement reads the input only once. With a join by id, the planner expected one row, so PostgreSQL compared every
 * donation with every other.
 */
export const RECORD: Statement = {
  name: 'donations_record',
  text: `
  WITH input AS (
    SELECT ${INPUT} FROM ${recordsOf('donation', TYPES)}
  ), claimed AS (
    INSERT INTO idempotency_key (scope, key, request_digest, donation_id, answer, answered_at)
    SELECT key_scope, key, key_digest, id, answer, now() FROM input WHERE key IS NOT NULL ORDER BY 1, 2
    ON CONFLICT DO NOTHING RETURNING donation_id
  ), booked AS (
    SELECT ${INPUT} FROM input WHERE key IS NULL OR id IN (SELECT donation_id FROM claimed)
  ), donation AS (
    INSERT INTO donation (${COLUMNS.join(', ')})
    SELECT ${VALUES.join(', ')} FROM booked AS input ORDER BY input.id
    RETURNING id
  ), history AS (
    INSERT INTO donation_history (id, donation_id, from_status, to_status, actor_kind, actor_id, reason, created_at)
    SELECT history_id, id, NULL, status, actor_kind, actor_id, reason, clock_timestamp() FROM booked
    RETURNING 1
  ), message AS (
    INSERT INTO outbox (event_id, topic, donation_id)
    SELECT event_id, topic, id FROM booked WHERE topic IS NOT NULL ORDER BY id
    RETURNING 1
  ), round_message AS (
    INSERT INTO outbox (event_id, topic, round_id)
    SELECT DISTINCT event_id, round_topic, round_id FROM booked WHERE round_topic IS NOT NULL
    RETURNING 1
  ), kept_message AS (
    -- A pool that keeps money for pledges follows each new pledge. The plan reads the pools only for pledges.
    INSERT INTO outbox (event_id, topic, donation_id, subject_id)
    SELECT booked.event_id, 'match.changed', booked.id, pool.id FROM booked CROSS JOIN LATERAL (
      SELECT id FROM match_pool WHERE match_pool.event_id = booked.event_id AND match_pool.keeps_pledges
        AND match_pool.status IN ('scheduled', 'open') ORDER BY id LIMIT 1) AS pool
    WHERE booked.type = 'pledge' ORDER BY booked.id
    RETURNING 1
  ), reported AS (
    INSERT INTO review_item (id, kind, subject, donation_id, detail)
    SELECT review_id, 'recorded_at_rejected', id::text, id, review_detail FROM booked
    WHERE review_id IS NOT NULL AND ${notRehearsal('event_id')}
    RETURNING 1
  ), written AS (
    SELECT (SELECT count(*) FROM donation) + (SELECT count(*) FROM history) + (SELECT count(*) FROM message)
      + (SELECT count(*) FROM round_message) + (SELECT count(*) FROM kept_message)
      + (SELECT count(*) FROM reported) AS rows
  ), counted AS (
    -- The totals are written after all other rows, because all transactions need their lock.
    SELECT event_id, currency, adds AS amount, donor_key FROM booked
    WHERE adds IS NOT NULL AND (SELECT rows FROM written) > 0
  ), ${addNewDonations('counted', '$2::smallint')}
  SELECT id FROM donation`,
};
