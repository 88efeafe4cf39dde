import type { Statement } from '../data/database.js';
import type { DonationType } from '../donations/store/donation-columns.js';

export const SHIFT_STATUSES = ['open', 'counted', 'closed'] as const;
export type ShiftStatus = (typeof SHIFT_STATUSES)[number];

export interface CountedDenomination {
  readonly denomination: number;
  readonly quantity: number;
}

/** Number and sum of the records of a type. The sum is a JSON number in minor units. */
export interface TypeSum {
  readonly type: DonationType;
  readonly count: number;
  readonly amount: number;
}

// Uses the database clock, because the records also have times of this clock. KEY SHARE prevents a change of the event's
// currency.
export const OPEN_SHIFT: Statement = {
  name: 'shift_open',
  text: `INSERT INTO shift (id, event_id, terminal_id, staff_id, staff_name, currency, opening_float, opened_at)
    SELECT $1, event.id, $3, $4, $5, event.currency, $6, clock_timestamp() FROM event WHERE event.id = $2
    FOR KEY SHARE
    RETURNING currency`,
};

/** Input of a count, as stored. */
export interface StoredCount {
  readonly counts: readonly CountedDenomination[] | null;
  readonly bagNumber: string | null;
  readonly note: string | null;
}

/** Data of a shift that a count needs. */
export interface LockedShift extends StoredCount {
  readonly eventId: string;
  readonly staffId: string;
  readonly currency: string;
  readonly status: ShiftStatus;
}

/** The recounts of a shift, newest first. */
export const RECOUNTS_OF: Statement = {
  name: 'shift_recounts_of',
  text: `SELECT counts, bag_number AS "bagNumber", note FROM shift_recount WHERE shift_id = $1
    ORDER BY counted_at DESC, id DESC`,
};

/** $1: id; $2: shift; $3: counts; $4: amount in the drawer; $5: bag; $6: note. Returns the expected amount. */
export const RECOUNT_SHIFT: Statement = {
  name: 'shift_recount',
  text: `INSERT INTO shift_recount (id, shift_id, counted_at, counts, counted_amount, bag_number, note)
    SELECT $1, shift.id, clock_timestamp(), $3::jsonb, $4, $5, $6 FROM shift WHERE shift.id = $2
    RETURNING (SELECT expected_amount FROM shift WHERE id = $2) AS expected_amount`,
};

/** Locks the shift, so that no record, undo or pledge payment changes the shift meanwhile. */
export const LOCK_SHIFT: Statement = {
  name: 'shift_lock',
  text: `SELECT event_id AS "eventId", staff_id AS "staffId", currency, status, counts, bag_number AS "bagNumber", note
    FROM shift WHERE id = $1 FOR UPDATE`,
};

/** Current sums of shifts by type. Undone and cancelled records are not included. */
export interface ShiftSumRow {
  readonly shift_id: string;
  readonly type: DonationType;
  /** True for sums stored at the count. */
  readonly counted: boolean;
  readonly count: number;
  readonly amount: bigint;
}

export const SHIFT_SUMS: Statement = {
  name: 'shift_sums',
  text: `SELECT shift.id AS shift_id, donation.type, donation.id = ANY (shift.counted_ids) AS counted,
      count(*)::int AS count, sum(donation.amount)::bigint AS amount
    FROM shift JOIN donation ON donation.shift_id = shift.id AND donation.currency = shift.currency
    WHERE shift.id = ANY ($1::uuid[]) AND donation.status IN ('PENDING', 'COMPLETED', 'REFUNDED')
    GROUP BY 1, 2, 3 ORDER BY 1, 2`,
};

/** $1: shift; $2: counts; $3: amount in the drawer; $4: bag; $5: note. Stores the expected amounts permanently. */
export const COUNT_SHIFT: Statement = {
  name: 'shift_count',
  text: `WITH inside AS (
      SELECT donation.id, donation.type, donation.amount FROM donation JOIN shift ON shift.id = donation.shift_id
      WHERE shift.id = $1 AND donation.currency = shift.currency AND donation.status IN ('PENDING', 'COMPLETED', 'REFUNDED')
    )
    UPDATE shift SET status = 'counted', counted_at = clock_timestamp(), counts = $2::jsonb, counted_amount = $3,
      bag_number = $4, note = $5,
      expected_amount = opening_float + (SELECT coalesce(sum(amount), 0) FROM inside WHERE type = 'cash')::bigint,
      counted_ids = ARRAY(SELECT id FROM inside ORDER BY id),
      counted_sums = (SELECT coalesce(jsonb_agg(jsonb_build_object('type', type, 'count', count, 'amount', amount)), '[]')
        FROM (SELECT type, count(*) AS count, sum(amount) AS amount FROM inside GROUP BY type ORDER BY type) AS by_type)
    WHERE id = $1 AND status = 'open'
    RETURNING expected_amount`,
};

/** Uses the database clock, like the opening and the count. */
export const SIGN_SHIFT: Statement = {
  name: 'shift_sign',
  text: `UPDATE shift SET status = 'closed', closed_at = clock_timestamp(), signed_by_id = $2, signed_by_name = $3
    WHERE id = $1 AND status = 'counted' RETURNING id`,
};

export interface TillRow {
  readonly terminal_id: string | null;
  readonly terminal_name: string | null;
  readonly staff_id: string | null;
  readonly staff_name: string | null;
  readonly type: DonationType;
  readonly status: string;
  readonly count: number;
  readonly amount: bigint;
}

/** Manual records. A donor started a donation with an expected amount, so it is no record. $1: event; $2: its currency; $3: member, or null for all members. */
export const TILL_ROWS: Statement = {
  name: 'till_rows',
  text: `SELECT donation.terminal_id, terminal.name AS terminal_name, donation.staff_id,
      max(donation.staff_name) AS staff_name, donation.type, donation.status,
      count(*)::int AS count, sum(donation.amount)::bigint AS amount
    FROM donation LEFT JOIN terminal ON terminal.id = donation.terminal_id
    WHERE donation.event_id = $1 AND donation.currency = $2 AND donation.provider IS NULL
      AND donation.expected_amount IS NULL
      AND ($3::uuid IS NULL OR donation.staff_id = $3)
    GROUP BY donation.terminal_id, terminal.name, donation.staff_id, donation.type, donation.status
    ORDER BY terminal.name NULLS LAST, staff_name NULLS LAST, donation.staff_id, donation.type, donation.status`,
};
