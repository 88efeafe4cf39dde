import type { Statement } from '../../data/database.js';

const SELECT_RECEIPT = `
  SELECT d.id, d.event_id, d.staff_id, d.amount, d.refunded_amount, d.currency, d.type, d.status, d.donor_name,
         d.message, d.created_at, d.completed_at, e.name AS event_name, e.overrides, r.year, r.number, r.issued_at
  FROM donation d
  JOIN event e ON e.id = d.event_id
  LEFT JOIN receipt r ON r.donation_id = d.id`;

export const RECEIPT_BY_DONATION: Statement = {
  name: 'receipt_by_donation',
  text: `${SELECT_RECEIPT} WHERE d.id = $1`,
};

/** event, after this id, before this id, how many */
export const RECEIPTS_OF_EVENT: Statement = {
  name: 'receipts_of_event',
  text: `${SELECT_RECEIPT}
    WHERE d.event_id = $1 AND d.status = 'COMPLETED' AND d.id > $2 AND d.id < $3
    ORDER BY d.id
    LIMIT $4`,
};

// Issuing, in this order in one transaction. The donations are locked before the counter, so that whoever holds
// the counter waits for nobody; the numbers are given in a statement of its own, which sees what the holder
// before committed.

export const LOCK_DONATIONS: Statement = {
  name: 'receipt_lock_donations',
  text: `SELECT id FROM donation WHERE id = ANY($1::uuid[]) AND status = 'COMPLETED' ORDER BY id FOR NO KEY UPDATE`,
};

export const MAKE_COUNTER: Statement = {
  name: 'receipt_make_counter',
  text: 'INSERT INTO receipt_counter (year, last_number) VALUES ($1, 0) ON CONFLICT (year) DO NOTHING',
};

export const LOCK_COUNTER: Statement = {
  name: 'receipt_lock_counter',
  text: 'SELECT last_number FROM receipt_counter WHERE year = $1 FOR UPDATE',
};

/** year, last number so far, donations in the order of their numbers; answers the numbers of all of them */
export const ISSUE: Statement = {
  name: 'receipt_issue',
  text: `
    WITH wanted AS (
      SELECT id, position FROM unnest($3::uuid[]) WITH ORDINALITY AS donation (id, position)
    ), before AS (
      SELECT donation_id, year, number, issued_at FROM receipt JOIN wanted ON donation_id = wanted.id
    ), fresh AS (
      SELECT id, $2::int + row_number() OVER (ORDER BY position) AS number
      FROM wanted WHERE id NOT IN (SELECT donation_id FROM before)
    ), issued AS (
      INSERT INTO receipt (donation_id, year, number, issued_at)
      SELECT id, $1, number, now() FROM fresh
      RETURNING donation_id, year, number, issued_at
    ), counted AS (
      UPDATE receipt_counter SET last_number = last_number + (SELECT count(*) FROM issued) WHERE year = $1
    ), marked AS (
      UPDATE donation
      SET receipt_number = issued.year || '-' || lpad(issued.number::text, greatest(6, length(issued.number::text)), '0')
      FROM issued WHERE donation.id = issued.donation_id
    )
    SELECT donation_id, year, number, issued_at, false AS copy FROM issued
    UNION ALL
    SELECT donation_id, year, number, issued_at, true AS copy FROM before`,
};
