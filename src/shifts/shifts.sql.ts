import type { Statement } from '../data/database.js';
import type { DonationType } from '../donations/store/donation-columns.js';

export const SHIFT_STATUSES = ['open', 'counted', 'closed'] as const;
export type ShiftStatus = (typeof SHIFT_STATUSES)[number];

export interface CountedDenomination {
  readonly denomination: number;
  readonly quantity: number;
}

/** How many records of a type, and their amounts together; minor units as JSON carries them. */
export interface TypeSum {
  readonly type: DonationType;
  readonly count: number;
  readonly amount: number;
}

/** A shift as it is kept. Amounts in minor units. */
export interface ShiftRow {
  readonly id: string;
  readonly event_id: string;
  readonly terminal_id: string | null;
  readonly terminal_name: string | null;
  readonly staff_id: string;
  readonly staff_name: string;
  readonly currency: string;
  readonly opening_float: bigint;
  readonly status: ShiftStatus;
  readonly opened_at: Date;
  readonly counted_at: Date | null;
  readonly closed_at: Date | null;
  readonly counts: readonly CountedDenomination[] | null;
  readonly counted_amount: bigint | null;
  readonly expected_amount: bigint | null;
  readonly counted_sums: readonly TypeSum[] | null;
  readonly bag_number: string | null;
  readonly note: string | null;
  readonly signed_by_id: string | null;
  readonly signed_by_name: string | null;
}

const COLUMNS = `id, event_id, terminal_id,
  (SELECT terminal.name FROM terminal WHERE terminal.id = shift.terminal_id) AS terminal_name,
  staff_id, staff_name, currency, opening_float, status, opened_at, counted_at, closed_at, counts, counted_amount,
  expected_amount, counted_sums, bag_number, note, signed_by_id, signed_by_name`;

// The database's clock: what is recorded is held against these times. KEY SHARE: the currency does not change meanwhile.
export const OPEN_SHIFT: Statement = {
  name: 'shift_open',
  text: `INSERT INTO shift (id, event_id, terminal_id, staff_id, staff_name, currency, opening_float, opened_at)
    SELECT $1, event.id, $3, $4, $5, event.currency, $6, clock_timestamp() FROM event WHERE event.id = $2
    FOR KEY SHARE
    RETURNING ${COLUMNS}`,
};

export const SHIFT_BY_ID: Statement = {
  name: 'shift_by_id',
  text: `SELECT ${COLUMNS} FROM shift WHERE id = $1`,
};

/** Against those who record into it, undo out of it or pay a pledge into it. */
export const LOCK_SHIFT: Statement = {
  name: 'shift_lock',
  text: `SELECT ${COLUMNS} FROM shift WHERE id = $1 FOR UPDATE`,
};

/** event, member, terminal: the open one, or the last that waits for its signature. */
export const CURRENT_SHIFT: Statement = {
  name: 'shift_current',
  text: `SELECT ${COLUMNS} FROM shift
    WHERE event_id = $1 AND staff_id = $2 AND terminal_id IS NOT DISTINCT FROM $3::uuid AND status IN ('open', 'counted')
    ORDER BY (status = 'open') DESC, opened_at DESC LIMIT 1`,
};

/** event, member and status, each null for any; how many. Open ones first, then the newest. */
export const SHIFTS: Statement = {
  name: 'shifts_list',
  text: `SELECT ${COLUMNS} FROM shift
    WHERE ($1::uuid IS NULL OR event_id = $1) AND ($2::uuid IS NULL OR staff_id = $2)
      AND ($3::shift_status IS NULL OR status = $3)
    ORDER BY (status = 'open') DESC, opened_at DESC, id LIMIT $4`,
};

/** What belongs to shifts now, by type; what was taken back or cancelled does not. */
export interface ShiftSumRow {
  readonly shift_id: string;
  readonly type: DonationType;
  /** Whether the drawer was counted with it. */
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

/** shift, counts, amount in the drawer, bag, note: freezes what the drawer is held against. */
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
    RETURNING ${COLUMNS}`,
};

export const SIGN_SHIFT: Statement = {
  name: 'shift_sign',
  text: `UPDATE shift SET status = 'closed', closed_at = clock_timestamp(), signed_by_id = $2, signed_by_name = $3
    WHERE id = $1 AND status = 'counted' RETURNING ${COLUMNS}`,
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

/** event, its currency, member or null for all: what was recorded by hand. */
export const TILL_ROWS: Statement = {
  name: 'till_rows',
  text: `SELECT donation.terminal_id, terminal.name AS terminal_name, donation.staff_id,
      max(donation.staff_name) AS staff_name, donation.type, donation.status,
      count(*)::int AS count, sum(donation.amount)::bigint AS amount
    FROM donation LEFT JOIN terminal ON terminal.id = donation.terminal_id
    WHERE donation.event_id = $1 AND donation.currency = $2 AND donation.provider IS NULL
      AND ($3::uuid IS NULL OR donation.staff_id = $3)
    GROUP BY donation.terminal_id, terminal.name, donation.staff_id, donation.type, donation.status
    ORDER BY terminal.name NULLS LAST, staff_name NULLS LAST, donation.staff_id, donation.type, donation.status`,
};
