import type { Statement } from '../data/database.js';
import { totalsOfEvent } from '../totals/totals.sql.js';
import { EVENT_COLUMNS } from './event-record.js';

/** The statements of events, except those of the lookup. */

export interface PublicRow {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly goalAmount: bigint;
  readonly currency: string;
  /** Null for an event without totals. */
  readonly totalCurrency: string | null;
  readonly totalRaised: bigint;
  readonly donorCount: number;
}

/** One row for each active event and currency it has totals in; events newest first, currencies by code. */
export const LIST_PUBLIC: Statement = {
  name: 'events_list_public',
  text: `SELECT e.id, e.slug, e.name, e.goal_amount AS "goalAmount", e.currency,
      t.currency AS "totalCurrency", t.total_raised AS "totalRaised", t.donor_count::int AS "donorCount"
    FROM event e LEFT JOIN LATERAL (${totalsOfEvent('e.id')}) AS t ON true
    WHERE e.status = 'active'
    ORDER BY e.created_at DESC, e.id DESC, t.currency`,
};

/** An event with its totals of all currencies, which come as JSON: one statement, so one moment. */
const withTotals = (where: string): string => `SELECT ${EVENT_COLUMNS}, (
      SELECT json_agg(json_build_object('currency', t.currency, 'totalRaised', t.total_raised::text,
        'donorCount', t.donor_count) ORDER BY t.currency)
      FROM (${totalsOfEvent('event.id')}) AS t) AS totals
    FROM event WHERE ${where}`;

export const WITH_TOTALS_BY_ID: Statement = {
  name: 'event_with_totals_by_id',
  text: withTotals('event.id = $1'),
};

export const WITH_TOTALS_BY_SLUG: Statement = {
  name: 'event_with_totals_by_slug',
  text: withTotals('event.slug = $1'),
};

/** Against other changes of the event; donations, which take a key share, do not wait for it. */
export const LOCK: Statement = {
  name: 'event_lock',
  text: `SELECT ${EVENT_COLUMNS} FROM event WHERE id = $1 FOR NO KEY UPDATE`,
};

/** Against new donations and shifts too: both take a key share of the event in the statement that reads its currency. */
export const LOCK_AGAINST_DONATIONS: Statement = {
  name: 'event_lock_against_donations',
  text: 'SELECT id FROM event WHERE id = $1 FOR UPDATE',
};

export const HAS_DONATIONS: Statement = {
  name: 'event_has_donations',
  text: 'SELECT EXISTS (SELECT 1 FROM donation WHERE event_id = $1) AS found',
};

/** A drawer with a float in it, and perhaps money that a terminal has not sent yet. */
export const HAS_UNSIGNED_SHIFTS: Statement = {
  name: 'event_has_unsigned_shifts',
  text: "SELECT EXISTS (SELECT 1 FROM shift WHERE event_id = $1 AND status <> 'closed') AS found",
};

// An override of the payment currency says what the event's currency is, so it moves along.
export const UPDATE: Statement = {
  name: 'event_update',
  text: `UPDATE event SET slug = $2, name = $3, description = $4, date = $5, goal_amount = $6, currency = $7,
      status = $8, updated_at = now(),
      overrides = CASE WHEN overrides #> '{payment,currency}' IS NULL THEN overrides
        ELSE jsonb_set(overrides, '{payment,currency}', to_jsonb($7::text)) END
    WHERE id = $1 RETURNING ${EVENT_COLUMNS}`,
};

export const SET_OVERRIDES: Statement = {
  name: 'event_set_overrides',
  text: `UPDATE event SET overrides = $2::jsonb, currency = $3, updated_at = now()
    WHERE id = $1 RETURNING ${EVENT_COLUMNS}`,
};

/** The assignments would go with the event; taken first, they tell whose sessions end. */
export const UNASSIGN_ALL: Statement = {
  name: 'event_unassign_all',
  text: 'DELETE FROM event_staff WHERE event_id = $1 RETURNING staff_id',
};

export const DELETE: Statement = {
  name: 'event_delete',
  text: 'DELETE FROM event WHERE id = $1 RETURNING id',
};
