import type { Statement } from '../../data/database.js';
import { ALL_COLUMNS } from '../../donations/store/donation-columns.js';
import { GIVEN_AT, localHour } from '../../donations/list/donation-filters.sql.js';

/** $1: event; $2: limit */
export const RECENT: Statement = {
  name: 'tonight_recent',
  text: `SELECT ${ALL_COLUMNS} FROM donation WHERE event_id = $1 AND status = 'COMPLETED' ORDER BY id DESC LIMIT $2`,
};

export interface WaitingRow {
  readonly messages: number;
  readonly names: number;
  readonly tributes: number;
}

/** $1: event */
export const WAITING: Statement = {
  name: 'tonight_waiting',
  text: `SELECT count(*) FILTER (WHERE message_state = 'held' AND message IS NOT NULL)::int AS messages,
      count(*) FILTER (WHERE name_state = 'held' AND donor_name IS NOT NULL AND NOT is_anonymous)::int AS names,
      (SELECT count(*)::int FROM donation WHERE event_id = $1 AND status = 'COMPLETED' AND tribute_state = 'held') AS tributes
    FROM donation WHERE event_id = $1 AND status = 'COMPLETED' AND (message_state = 'held' OR name_state = 'held')`,
};

export const OPEN_REVIEW_ITEMS: Statement = {
  name: 'tonight_review_items',
  text: 'SELECT count(*)::int AS count FROM review_item WHERE resolved_at IS NULL',
};

export interface StaffRow {
  readonly staffId: string;
  readonly name: string;
  readonly terminalName: string | null;
  readonly lastSeenAt: Date | null;
  readonly recorded: number;
  readonly amount: bigint;
  readonly pledged: bigint;
}

/**
 * The members assigned to the event now, with their records in the period.
 * $1: event; $2: its currency; $3: first id of the period
 */
export const STAFF_ON: Statement = {
  name: 'tonight_staff',
  text: `SELECT member.id AS "staffId", member.name, place.name AS "terminalName",
      greatest(work.last_at, place.last_used_at) AS "lastSeenAt", work.recorded, work.amount, work.pledged
    FROM event_staff assigned JOIN staff_member member ON member.id = assigned.staff_id
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE status = 'COMPLETED')::int AS recorded, max(created_at) AS last_at,
        coalesce(sum(amount - refunded_amount) FILTER (WHERE status = 'COMPLETED' AND currency = $2), 0)::bigint AS amount,
        coalesce(sum(amount) FILTER (WHERE status = 'PENDING' AND currency = $2), 0)::bigint AS pledged
      FROM donation WHERE staff_id = member.id AND event_id = $1 AND id >= $3
    ) AS work
    LEFT JOIN LATERAL (
      SELECT name, last_used_at FROM terminal WHERE staff_id = member.id AND revoked_at IS NULL
      ORDER BY last_used_at DESC NULLS LAST LIMIT 1
    ) AS place ON true
    WHERE assigned.event_id = $1 AND member.deleted_at IS NULL
    ORDER BY "lastSeenAt" DESC NULLS LAST, member.name, member.id`,
};

export interface MinuteRow {
  readonly minute: Date;
  readonly count: number;
  readonly amount: bigint;
}

/** $1: event; $2: its currency; $3: first id of the period */
export const PER_MINUTE: Statement = {
  name: 'tonight_per_minute',
  text: `SELECT date_trunc('minute', ${GIVEN_AT}) AS minute, count(*)::int AS count,
      coalesce(sum(amount - refunded_amount) FILTER (WHERE currency = $2), 0)::bigint AS amount
    FROM donation WHERE event_id = $1 AND status = 'COMPLETED' AND id >= $3
      AND ${GIVEN_AT} > date_trunc('minute', now()) - interval '59 minutes' AND ${GIVEN_AT} <= now()
    GROUP BY 1 ORDER BY 1`,
};

export interface TillsRow {
  readonly shifts: number;
  readonly waiting: number;
}

/** $1: event. Number of drawers that are not counted yet, and of records that wait on terminals. */
export const TILLS: Statement = {
  name: 'tonight_tills',
  text: `SELECT (SELECT count(*)::int FROM shift WHERE event_id = $1 AND status = 'open') AS shifts,
      (SELECT coalesce(sum(waiting), 0)::int FROM terminal
        WHERE revoked_at IS NULL AND (event_id = $1 OR event_id IS NULL)) AS waiting`,
};

/**
 * Completed donations by hour, kind, method, terminal and source, with totals and distribution.
 * $1: events; $2: their time zones
 */
export const STATISTICS: Statement = {
  name: 'statistics',
  text: `SELECT event_id AS "eventId", currency, type, method, wallet, hour, source,
      terminal_id AS "terminalId", max(terminal_name) AS "terminalName",
      CASE WHEN grouping(method) = 0 THEN 'method' WHEN grouping(type) = 0 THEN 'type' WHEN grouping(hour) = 0 THEN 'hour'
        WHEN grouping(terminal_id) = 0 THEN 'terminal' WHEN grouping(source) = 0 THEN 'source' ELSE 'all' END AS part,
      count(*)::int AS count, sum(net)::bigint AS amount, max(net)::bigint AS largest,
      CASE WHEN grouping(type, hour, terminal_id, source) = 15
        THEN percentile_disc(0.5) WITHIN GROUP (ORDER BY net) END AS median
    FROM (
      SELECT donation.event_id, donation.currency, donation.type, donation.method, donation.wallet, donation.terminal_id,
        donation.source,
        terminal.name AS terminal_name, donation.amount - donation.refunded_amount AS net,
        ${localHour(GIVEN_AT, 'wanted.timezone')} AS hour
      FROM unnest($1::uuid[], $2::text[]) AS wanted (event_id, timezone)
      JOIN donation ON donation.event_id = wanted.event_id AND donation.status = 'COMPLETED'
      LEFT JOIN terminal ON terminal.id = donation.terminal_id
    ) AS counted
    GROUP BY GROUPING SETS ((event_id, currency, type), (event_id, currency, type, method, wallet), (event_id, currency, hour),
      (event_id, currency, terminal_id), (event_id, currency, source), (event_id, currency))
    ORDER BY event_id, currency, part, hour, sum(net) DESC, count(*) DESC, type, method, wallet, terminal_id, source`,
};
