import type { Statement } from '../../data/database.js';

/** Deletes the Gift Aid declaration of a donation that was never paid. $1: donation */
export const DELETE_UNPAID_DECLARATION: Statement = {
  name: 'donations_delete_unpaid_declaration',
  text: 'DELETE FROM gift_aid_declaration WHERE donation_id = $1',
};

/**
 * Unpaid donations that still contain donor data after the number of days in their event's settings. Excludes open pledges and
 * pledges that were paid online.
 * $1: maximum number of rows
 */
export const UNPAID_TO_ERASE: Statement = {
  name: 'donations_unpaid_to_erase',
  text: `SELECT d.id FROM donation d JOIN event e ON e.id = d.event_id LEFT JOIN global_settings g ON true
    WHERE d.status IN ('PENDING', 'FAILED', 'CANCELLED') AND d.paid_at IS NULL AND d.completed_at IS NULL
      AND NOT (d.status = 'PENDING' AND d.type = 'pledge') AND d.paid_by IS NULL
      AND (d.donor_name IS NOT NULL OR d.donor_email IS NOT NULL OR d.message IS NOT NULL
        OR d.donor_address IS NOT NULL OR d.address IS NOT NULL OR d.gift_aid IS NOT NULL
        OR d.reference IS NOT NULL OR d.note IS NOT NULL OR d.tribute IS NOT NULL)
      AND d.created_at < now() - make_interval(days => coalesce(
        (e.overrides #>> '{privacy,retainUnpaidDays}')::int, (g.value #>> '{privacy,retainUnpaidDays}')::int))
    ORDER BY d.id LIMIT $1`,
};
