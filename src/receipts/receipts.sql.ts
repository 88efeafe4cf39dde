import type { Statement } from '../data/database.js';
import { NEEDED, NOT_PRINTED } from './receipt-row.js';

const COLUMNS = Object.values(NEEDED).filter((column) => column !== null);
const PRINTED_COLUMNS = COLUMNS.filter((column) => !NOT_PRINTED.some((name) => column === NEEDED[name]));
const RECEIPT =
  'e.name AS event_name, r.year, r.number, r.issued_at, r.printed, r.replaces, r.method, r.wallet';

/** Values of donation `d` that a receipt issued now would print. */
const PRINTED = `jsonb_build_object('donorName', d.donor_name, 'message', d.message, 'amount', d.amount)`;
/**
 * True if receipt `r` matches its donation. The first releases did not store the amount in receipts. These receipts also match,
 * because amounts could not change at that time.
 */
const IS_RIGHT = `(r.printed IS NULL OR jsonb_build_object('amount', d.amount) || r.printed = ${PRINTED})`;

// Omits the receipt of a completed donation if the donor was corrected or the amount grew after it was issued, because this
// donation gets a new receipt. A refunded or cancelled donation gets no new receipt, so its last receipt stays unchanged.
const FROM_DONATIONS = `FROM donation d
  JOIN event e ON e.id = d.event_id
  LEFT JOIN receipt r ON r.donation_id = d.id AND r.replaced_at IS NULL AND (d.status <> 'COMPLETED' OR ${IS_RIGHT})`;

export const RECEIPT_BY_DONATION: Statement = {
  name: 'receipt_by_donation',
  text: `SELECT ${COLUMNS.join(', ')}, e.overrides, ${RECEIPT} ${FROM_DONATIONS} WHERE d.id = $1`,
};

export interface ReceiptsOfEvent {
  /** JSON: see `ReceiptBatch`. */
  readonly rows: string;
  readonly count: number;
  /** Id of the last donation. */
  readonly last: string | null;
  /** Ids of donations without a valid receipt. */
  readonly unnumbered: readonly string[];
}

/** $1: event; $2: after this id; $3: before this id; $4: limit */
export const RECEIPTS_OF_EVENT: Statement = {
  name: 'receipts_of_event',
  text: `
    SELECT coalesce(json_agg(batch ORDER BY id), '[]')::text AS rows, count(*)::int AS count, max(id::text) AS last,
           coalesce(array_agg(id::text ORDER BY id) FILTER (WHERE year IS NULL), '{}') AS unnumbered
    FROM (
      SELECT ${PRINTED_COLUMNS.join(', ')}, ${RECEIPT} ${FROM_DONATIONS}
      WHERE d.event_id = $1 AND d.status = 'COMPLETED' AND d.id > $2 AND d.id < $3
      ORDER BY d.id
      LIMIT $4
    ) AS batch`,
};

// These statements issue receipts, in this order in one transaction. Donations are locked before the counter. So a transaction
// with the counter lock does not wait for another lock. ISSUE runs after the counter lock, so that it sees all numbers
// committed before.

/** Locks and returns the donations that can have a receipt, in number order. */
export const LOCK_DONATIONS: Statement = {
  name: 'receipt_lock_donations',
  text: `SELECT id FROM donation WHERE id = ANY($1::uuid[]) AND status = 'COMPLETED' ORDER BY id FOR NO KEY UPDATE`,
};

/** Makes receipts void if the donor was corrected or the amount grew after they were issued. */
export const VOID_OUTDATED: Statement = {
  name: 'receipt_void_outdated',
  text: `UPDATE receipt r SET replaced_at = now() FROM donation d
    WHERE d.id = ANY($1::uuid[]) AND r.donation_id = d.id AND r.replaced_at IS NULL AND NOT ${IS_RIGHT}
    RETURNING r.donation_id, d.receipt_number AS number`,
};

/** Locks the counter of the year until the commit and returns the last number. */
export const LOCK_COUNTER: Statement = {
  name: 'receipt_lock_counter',
  text: `INSERT INTO receipt_counter AS counter (year, last_number) VALUES ($1, 0)
    ON CONFLICT (year) DO UPDATE SET last_number = counter.last_number RETURNING last_number`,
};

/**
 * Issues the missing receipts and returns the valid receipts of all the donations.
 * $1: year; $2: last number; $3: donations in number order; $4: donations whose receipt was voided; $5: numbers of those
 * receipts
 */
export const ISSUE: Statement = {
  name: 'receipt_issue',
  text: `
    WITH wanted AS (
      SELECT id, position FROM unnest($3::uuid[]) WITH ORDINALITY AS donation (id, position)
    ), before AS (
      SELECT donation_id, year, number, issued_at, printed, replaces, method, wallet
      FROM receipt JOIN wanted ON donation_id = wanted.id WHERE replaced_at IS NULL
    ), fresh AS (
      SELECT id, $2::int + row_number() OVER (ORDER BY position) AS number
      FROM wanted WHERE id NOT IN (SELECT donation_id FROM before)
    ), issued AS (
      INSERT INTO receipt (donation_id, year, number, issued_at, printed, replaces, method, wallet)
      SELECT d.id, $1, fresh.number, now(), ${PRINTED}, replaced.number, d.method, d.wallet
      FROM fresh JOIN donation d ON d.id = fresh.id
      LEFT JOIN unnest($4::uuid[], $5::text[]) AS replaced (id, number) ON replaced.id = fresh.id
      RETURNING donation_id, year, number, issued_at, printed, replaces, method, wallet
    ), counted AS (
      UPDATE receipt_counter SET last_number = last_number + (SELECT count(*) FROM issued) WHERE year = $1
    )
    SELECT donation_id, year, number, issued_at, printed, replaces, method, wallet, false AS copy FROM issued
    UNION ALL
    SELECT donation_id, year, number, issued_at, printed, replaces, method, wallet, true AS copy FROM before`,
};

/** $1: year. Locks the counter until the commit and returns the last issued number. */
export const LAST_NUMBER: Statement = {
  name: 'receipt_counter_last',
  text: 'SELECT last_number FROM receipt_counter WHERE year = $1 FOR UPDATE',
};

/** $1: year; $2: number. The counter never decreases, because two receipts with the same number cannot be repaired. */
export const RESUME_AFTER: Statement = {
  name: 'receipt_counter_resume',
  text: `INSERT INTO receipt_counter AS counter (year, last_number) VALUES ($1, $2)
    ON CONFLICT (year) DO UPDATE SET last_number = greatest(counter.last_number, excluded.last_number)
    RETURNING last_number`,
};
