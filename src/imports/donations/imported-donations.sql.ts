import type { Statement } from '../../data/database.js';

/** $1: event; $2: keys in hexadecimal digits. Returns the keys of rows that were imported earlier. */
export const KNOWN_KEYS: Statement = {
  name: 'imported_donations_known',
  text: `SELECT encode(import_key, 'hex') AS key FROM imported_donation
    WHERE event_id = $1 AND import_key = ANY(SELECT decode(key, 'hex') FROM unnest($2::text[]) AS asked (key))`,
};

/** $1: event; $2: import; $3: donations; $4: numbers of their rows; $5: keys in hexadecimal digits */
export const KEEP_KEYS: Statement = {
  name: 'imported_donations_keep',
  text: `INSERT INTO imported_donation (donation_id, event_id, import_id, row_number, import_key)
    SELECT donation_id, $1, $2, row_number, decode(key, 'hex')
    FROM unnest($3::uuid[], $4::int[], $5::text[]) AS row (donation_id, row_number, key)`,
};

/** $1: import; $2: rows done so far; $3: rows; $4: created; $5: same; $6: wrong. No row if another process has continued the import. */
export const ADVANCE: Statement = {
  name: 'table_import_advance',
  text: `UPDATE table_import SET rows_done = rows_done + $3, created_count = created_count + $4, same_count = same_count + $5,
      wrong_count = wrong_count + $6
    WHERE id = $1 AND status = 'running' AND rows_done = $2`,
};

/** $1: import. No row unless the import is done. */
export const MARK_UNDONE: Statement = {
  name: 'table_import_undone',
  text: `UPDATE table_import SET status = 'undone', undone_at = now() WHERE id = $1 AND status = 'done' RETURNING id`,
};

/** $1: import. The donations of an import. */
export const IMPORTED: Statement = {
  name: 'imported_donations',
  text: 'SELECT donation_id AS id FROM imported_donation WHERE import_id = $1 ORDER BY donation_id',
};

/** $1: import. The donations that something changed after the import. */
export const CHANGED_LATER: Statement = {
  name: 'imported_donations_changed',
  text: `SELECT imported.row_number AS number, coalesce(donation.donor_name, '') AS name
    FROM imported_donation imported JOIN donation ON donation.id = imported.donation_id
    WHERE imported.import_id = $1 AND (donation.updated_at <> donation.created_at OR donation.receipt_number IS NOT NULL
      OR EXISTS (SELECT FROM card_charge charge WHERE charge.pledge_id = donation.id AND charge.state IN ('announced', 'charging')))
    ORDER BY 1`,
};

/** $1: import. After an undo, the list can be imported again. */
export const FORGET_KEYS: Statement = {
  name: 'imported_donations_forget',
  text: 'DELETE FROM imported_donation WHERE import_id = $1',
};

/** $1: event */
export const NAMED_ROUNDS: Statement = {
  name: 'pledge_rounds_named',
  text: 'SELECT id, name FROM pledge_round WHERE event_id = $1 AND name IS NOT NULL ORDER BY id',
};
