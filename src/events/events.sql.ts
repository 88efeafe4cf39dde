import type { Statement } from '../data/database.js';
import { totalsOfEvent } from '../totals/totals.sql.js';
import { EVENT_COLUMNS } from './event-lookup.service.js';
import type { EventRecord } from './event-record.js';
import type { EventStatus } from './event-status.js';
import type { CurrencyTotal } from './event-totals.service.js';

/** SQL statements on events, except the statements of `EventLookup`. */

/** An event with its totals as JSON. Amounts are text because JSON has no bigint. */
export type EventRow = EventRecord & { readonly totals: readonly StoredTotal[] | null };
interface StoredTotal {
  readonly currency: string;
  readonly totalRaised: string;
  readonly donorCount: number;
}

export const totalsIn = ({ totals }: EventRow): CurrencyTotal[] =>
  (totals ?? []).map((total) => ({ ...total, totalRaised: BigInt(total.totalRaised) }));

export interface PublicRow {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly date: Date;
  readonly description: string;
  readonly goalAmount: bigint;
  readonly currency: string;
  readonly status: EventStatus;
  /** Null for an event without totals. */
  readonly totalCurrency: string | null;
  readonly totalRaised: bigint;
  readonly donorCount: number;
}

/** One row for each active event and currency; newest events first, then by currency code. */
export const LIST_PUBLIC: Statement = {
  name: 'events_list_public',
  text: `SELECT e.id, e.slug, e.name, e.date, e.description, e.goal_amount AS "goalAmount", e.currency, e.status,
      t.currency AS "totalCurrency", t.total_raised AS "totalRaised", t.donor_count::int AS "donorCount"
    FROM event e LEFT JOIN LATERAL (${totalsOfEvent('e.id')}) AS t ON true
    WHERE e.status = 'active' AND e.rehearsal_of IS NULL
    ORDER BY e.created_at DESC, e.id DESC, t.currency`,
};

/** An event with all its totals as JSON. A single statement reads both in one snapshot. */
const withTotals = (where: string): string => `SELECT ${EVENT_COLUMNS}, (
      SELECT json_agg(json_build_object('currency', t.currency, 'totalRaised', t.total_raised::text,
        'donorCount', t.donor_count) ORDER BY t.currency)
      FROM (${totalsOfEvent('event.id')}) AS t) AS totals
    FROM event WHERE ${where}`;

export const WITH_TOTALS_BY_ID: Statement = {
  name: 'event_with_totals_by_id',
  text: withTotals('event.id = $1'),
};

/**
 * Events with their totals, newest first, because ids start with the creation time.
 * $1: events before this id; $2: assigned to this staff member; $3: pattern in name or slug; $4: limit; $5: ids.
 * Null means no restriction.
 */
export const LIST_WITH_TOTALS: Statement = {
  name: 'events_list_with_totals',
  text: `${withTotals(`($1::uuid IS NULL OR event.id < $1)
      AND ($2::uuid IS NULL OR EXISTS (
        SELECT 1 FROM event_staff assigned WHERE assigned.event_id = event.id AND assigned.staff_id = $2))
      AND ($3::text IS NULL OR event.name ILIKE $3 OR event.slug ILIKE $3)
      AND CASE WHEN $5::uuid[] IS NULL THEN event.rehearsal_of IS NULL ELSE event.id = ANY($5) END`)}
    ORDER BY event.id DESC LIMIT $4`,
};

export const WITH_TOTALS_BY_SLUG: Statement = {
  name: 'event_with_totals_by_slug',
  text: withTotals('event.slug = $1'),
};

/** Lets other changes of the event wait. Donations do not wait, because they need only a key share lock. */
export const LOCK: Statement = {
  name: 'event_lock',
  text: `SELECT ${EVENT_COLUMNS} FROM event WHERE id = $1 FOR NO KEY UPDATE`,
};

/** Lets new donations and shifts wait too, because both need a key share lock when they read the event's currency. */
export const LOCK_AGAINST_DONATIONS: Statement = {
  name: 'event_lock_against_donations',
  text: 'SELECT id FROM event WHERE id = $1 FOR UPDATE',
};

export const HAS_DONATIONS: Statement = {
  name: 'event_has_donations',
  text: 'SELECT EXISTS (SELECT 1 FROM donation WHERE event_id = $1) AS found',
};

/** An unsigned shift has cash in its drawer, and its terminal may have records that are not sent yet. */
export const HAS_UNSIGNED_SHIFTS: Statement = {
  name: 'event_has_unsigned_shifts',
  text: "SELECT EXISTS (SELECT 1 FROM shift WHERE event_id = $1 AND status <> 'closed') AS found",
};

/** True if an event has a match pool beyond its draft. */
export const HAS_MATCH_POOLS: Statement = {
  name: 'event_has_match_pools',
  text: `SELECT EXISTS (SELECT 1 FROM match_pool WHERE event_id = $1 AND status NOT IN ('draft', 'cancelled')) AS found`,
};

/** Drafts of match pools follow the currency of their event. $1: event; $2: currency */
export const MOVE_DRAFT_POOLS: Statement = {
  name: 'event_move_draft_pools',
  text: `UPDATE match_pool SET currency = $2 WHERE event_id = $1 AND status IN ('draft', 'cancelled')`,
};

// If the overrides contain a payment currency, it must change together with the event's currency.
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
