import { notRehearsal } from '../../common/crypto/rehearsal-ids.js';
import type { Statement } from '../../data/database.js';
import type { PlayFigures, PlayProfile, StopReason } from './dto/play.dto.js';

export interface PlayRow {
  readonly event_id: string;
  readonly mark: string;
  readonly profile: PlayProfile;
  readonly started_by: string;
  readonly started_at: Date;
  readonly done: number;
  readonly round_id: string | null;
  readonly figures: Partial<PlayFigures>;
  readonly intent_ms: number[];
  readonly record_ms: number[];
  readonly wall_ms: number[];
  readonly ended_at: Date | null;
  readonly reason: StopReason | null;
}

/** $1: the rehearsal; $2: mark; $3: profile; $4: admin. Returns no row while an evening is played, or if the rehearsal ended. */
export const START_PLAY: Statement = {
  name: 'rehearsal_play_start',
  text: `INSERT INTO rehearsal_play (event_id, mark, profile, started_by)
    SELECT event_id, $2, $3, $4 FROM rehearsal WHERE event_id = $1 AND ended_at IS NULL
    ON CONFLICT (event_id) DO UPDATE SET mark = excluded.mark, profile = excluded.profile, started_by = excluded.started_by,
      started_at = now(), done = 0, round_id = NULL, figures = '{}', intent_ms = '{}', record_ms = '{}', wall_ms = '{}',
      ended_at = NULL, reason = NULL
    WHERE rehearsal_play.ended_at IS NOT NULL
    RETURNING event_id`,
};

/** $1: the rehearsal */
export const PLAY_OF: Statement = {
  name: 'rehearsal_play_of',
  text: `SELECT event_id, mark, profile, started_by, started_at, done, round_id, figures, intent_ms, record_ms, wall_ms, ended_at,
      reason
    FROM rehearsal_play WHERE event_id = $1`,
};

/** The evenings that are being played. */
export const UNFINISHED: Statement = {
  name: 'rehearsal_play_unfinished',
  text: `SELECT event_id FROM rehearsal_play JOIN rehearsal USING (event_id)
    WHERE rehearsal_play.ended_at IS NULL AND rehearsal.ended_at IS NULL`,
};

/** $1: the rehearsal; $2: reason */
export const END_PLAY: Statement = {
  name: 'rehearsal_play_end',
  text: 'UPDATE rehearsal_play SET ended_at = now(), reason = $2 WHERE event_id = $1 AND ended_at IS NULL RETURNING event_id',
};

/** $1: the rehearsal; $2: round of the paddle raise */
export const KEEP_ROUND: Statement = {
  name: 'rehearsal_play_round',
  text: 'UPDATE rehearsal_play SET round_id = $2 WHERE event_id = $1',
};

/**
 * Adds the results of the next guests. $1: the rehearsal; $2: mark; $3: guests before; $4: guests after; $5: all figures; $6 to
 * $8: durations of intents, records and messages to walls
 */
export const PLAYED: Statement = {
  name: 'rehearsal_play_played',
  text: `UPDATE rehearsal_play SET done = $4, figures = $5, intent_ms = intent_ms || $6::int[],
      record_ms = record_ms || $7::int[], wall_ms = wall_ms || $8::int[]
    WHERE event_id = $1 AND mark = $2 AND done = $3`,
};

/** A recent donation of a real event. $1: the lowest id of a donation that counts as recent */
export const REAL_DONATION_SINCE: Statement = {
  name: 'rehearsal_real_donation_since',
  text: `SELECT id FROM donation WHERE id >= $1 AND NOT is_past_donation AND ${notRehearsal('event_id')} ORDER BY id LIMIT 1`,
};

/** True if an active real event begins within a day. */
export const EVENT_WITHIN_A_DAY: Statement = {
  name: 'rehearsal_event_within_a_day',
  text: `SELECT EXISTS (SELECT FROM event WHERE status = 'active' AND rehearsal_of IS NULL
      AND date BETWEEN now() AND now() + interval '1 day') AS found`,
};

export interface PlayedRows {
  readonly cash: number;
  readonly pledges: number;
  readonly online: number;
  readonly refunded: number;
}

/** The played donations by kind. $1: the rehearsal; $2: mark */
export const PLAYED_ROWS: Statement = {
  name: 'rehearsal_played_rows',
  text: `SELECT count(*) FILTER (WHERE type = 'cash')::int AS cash, count(*) FILTER (WHERE type = 'pledge')::int AS pledges,
      count(*) FILTER (WHERE provider IS NOT NULL)::int AS online,
      count(*) FILTER (WHERE status = 'REFUNDED')::int AS refunded
    FROM donation WHERE event_id = $1 AND (reference = $2 OR source = $2)`,
};
