import type { Statement } from '../data/database.js';
import { NEEDED, NOT_PRINTED } from './receipt-row.js';

const COLUMNS = Object.values(NEEDED).filter((column) => column !== null);
const PRINTED_COLUMNS = COLUMNS.filter((column) => !NOT_PRINTED.some((name) => column === NEEDED[name]));
const RECEIPT = 'e.name AS event_name, r.year, r.number, r.issued_at, r.printed, r.replaces';

/** What a receipt of the donation `d` would say now of what may change. */
const PRINTED = `jsonb_build_object('donorName', d.donor_name, 'message', d.message, 'amount', d.amount)`;
/** Whether the receipt `r` says it. The first receipts did not keep their amount, which could not change then. */
const IS_RIGHT = `(r.printed IS NULL OR jsonb_build_object('amount', d.amount) || r.printed = ${PRINTED})`;

// The receipt of a completed donation whose donor was corrected or whose amount grew since is not taken: it gets
// another one. What is refunded or cancelled gets none any more, so its last receipt stays, with what it said.
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
  /** Id of the last. */
  readonly last: string | null;
  /** Ids of those without a receipt in force. */
  readonly unnumbered: readonly string[];
}

/** event, after this id, before this id, how many */
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

// Issuing, in this order in one transaction. The donations are locked before the counter, so that whoever holds
// the counter waits for nobody; the numbers are given in a statement of its own, which sees what the holder
// before committed.

/** Answers the donations that can have a receipt, in the order of their numbers. */
export const LOCK_DONATIONS: Statement = {
  name: 'receipt_lock_donations',
  text: `SELECT id FROM donation WHERE id = ANY($1::uuid[]) AND status = 'COMPLETED' ORDER BY id FOR NO KEY UPDATE`,
};

/** Takes receipts out of force whose donors were corrected, or whose amounts grew, since they were issued. */
export const VOID_OUTDATED: Statement = {
  name: 'receipt_void_outdated',
  text: `UPDATE receipt r SET replaced_at = now() FROM donation d
    WHERE d.id = ANY($1::uuid[]) AND r.donation_id = d.id AND r.replaced_at IS NULL AND NOT ${IS_RIGHT}
    RETURNING r.donation_id, d.receipt_number AS number`,
};

/** The last number of the year, under lock until the commit. */
export const LOCK_COUNTER: Statement = {
  name: 'receipt_lock_counter',
  text: `INSERT INTO receipt_counter AS counter (year, last_number) VALUES ($1, 0)
    ON CONFLICT (year) DO UPDATE SET last_number = counter.last_number RETURNING last_number`,
};

/**
 * year, last number so far, donations in the order of their numbers, donations with a receipt that was taken out
 * of force, the numbers of those; answers the receipts in force of all donations
 */
export const ISSUE: Statement = {
  name: 'receipt_issue',
  text: `
    WITH wanted AS (
      SELECT id, position FROM unnest($3::uuid[]) WITH ORDINALITY AS donation (id, position)
    ), before AS (
      SELECT donation_id, year, number, issued_at, printed, replaces
      FROM receipt JOIN wanted ON donation_id = wanted.id WHERE replaced_at IS NULL
    ), fresh AS (
      SELECT id, $2::int + row_number() OVER (ORDER BY position) AS number
      FROM wanted WHERE id NOT IN (SELECT donation_id FROM before)
    ), issued AS (
      INSERT INTO receipt (donation_id, year, number, issued_at, printed, replaces)
      SELECT d.id, $1, fresh.number, now(), ${PRINTED}, replaced.number
      FROM fresh JOIN donation d ON d.id = fresh.id
      LEFT JOIN unnest($4::uuid[], $5::text[]) AS replaced (id, number) ON replaced.id = fresh.id
      RETURNING donation_id, year, number, issued_at, printed, replaces
    ), counted AS (
      UPDATE receipt_counter SET last_number = last_number + (SELECT count(*) FROM issued) WHERE year = $1
    )
    SELECT donation_id, year, number, issued_at, printed, replaces, false AS copy FROM issued
    UNION ALL
    SELECT donation_id, year, number, issued_at, printed, replaces, true AS copy FROM before`,
};

/** $1 year. The last number that was given, under lock until the commit. */
export const LAST_NUMBER: Statement = {
  name: 'receipt_counter_last',
  text: 'SELECT last_number FROM receipt_counter WHERE year = $1 FOR UPDATE',
};

/** $1 year, $2 number. Never back: a number given twice is repaired by nothing. */
export const RESUME_AFTER: Statement = {
  name: 'receipt_counter_resume',
  text: `INSERT INTO receipt_counter AS counter (year, last_number) VALUES ($1, $2)
    ON CONFLICT (year) DO UPDATE SET last_number = greatest(counter.last_number, excluded.last_number)
    RETURNING last_number`,
};
