import type { Statement } from '../../data/database.js';

/**
 * Donations that were never paid, are older than the settings in force at their event keep them, and still say who
 * the donor is. An open pledge is a promise that is still waited for, and one that was paid online was kept. $1: how many
 * at most.
 */
export const UNPAID_TO_ERASE: Statement = {
  name: 'donations_unpaid_to_erase',
  text: `SELECT d.id FROM donation d JOIN event e ON e.id = d.event_id LEFT JOIN global_settings g ON true
    WHERE d.status IN ('PENDING', 'FAILED', 'CANCELLED') AND d.paid_at IS NULL AND d.completed_at IS NULL
      AND NOT (d.status = 'PENDING' AND d.type = 'pledge') AND d.paid_by IS NULL
      AND (d.donor_name IS NOT NULL OR d.donor_email IS NOT NULL OR d.message IS NOT NULL
        OR d.donor_address IS NOT NULL OR d.gift_aid IS NOT NULL)
      AND d.created_at < now() - make_interval(days => coalesce(
        (e.overrides #>> '{privacy,retainUnpaidDays}')::int, (g.value #>> '{privacy,retainUnpaidDays}')::int))
    ORDER BY d.id LIMIT $1`,
};
