import { notRehearsal } from '../../common/crypto/rehearsal-ids.js';
import type { Statement } from '../../data/database.js';
import { CANCELLED_AS, LOST } from '../../donations/list/donation-filters.sql.js';
import { TOTALS_OF_ALL, totalsOfEvent } from '../../totals/totals.sql.js';

/**
 * One statement reads a total and its lines. Two statements would read different snapshots. A donation committed between them
 * could then be missing in one of the results.
 */

/**
 * @param scope a condition on `donation` that uses an index
 * @param totals the running totals: `currency`, `total_raised`, `donor_count`
 */
const explained = (scope: string, totals: string): string => `
  WITH total AS (${totals}),
  sums AS (
    SELECT currency, type, status, count(*) AS count, sum(amount) AS amount,
      count(*) FILTER (WHERE refunded_amount > 0) AS returns, sum(refunded_amount) AS returned
    FROM donation WHERE ${scope} GROUP BY currency, type, status
  ), lost AS (
    SELECT currency, type, status, count(*) AS count, sum(lost) AS amount,
      count(*) FILTER (WHERE lost = refunded_amount) AS wholly
    FROM (
      SELECT currency, type, status, refunded_amount, ${LOST} AS lost FROM donation
      WHERE id IN (SELECT donation_id FROM dispute WHERE status = 'lost') AND refunded_amount > 0 AND ${scope}
    ) AS disputed WHERE lost > 0 GROUP BY currency, type, status
  ), cancelled AS (
    SELECT currency, type, ${CANCELLED_AS} AS how, count(*) AS count, sum(amount) AS amount
    FROM donation WHERE ${scope} AND status = 'CANCELLED' GROUP BY currency, type, how
  ), open_dispute AS (
    SELECT currency, count(*) AS count, sum(amount - refunded_amount) AS amount FROM donation
    WHERE id IN (SELECT donation_id FROM dispute WHERE status = 'open') AND status = 'COMPLETED' AND ${scope}
    GROUP BY currency
  )
  SELECT 'total' AS part, currency, NULL::donation_type AS type, NULL::donation_status AS status, NULL::text AS how,
    donor_count::int AS count, total_raised::bigint AS amount, 0 AS returns, 0::bigint AS returned FROM total
  UNION ALL SELECT 'sum', currency, type, status, NULL, count::int, amount::bigint, returns::int, returned::bigint
    FROM sums WHERE status <> 'CANCELLED'
  UNION ALL SELECT 'lost', currency, type, status, NULL, count::int, amount::bigint, wholly::int, 0 FROM lost
  UNION ALL SELECT 'cancelled', currency, type, 'CANCELLED', how, count::int, amount::bigint, 0, 0 FROM cancelled
  UNION ALL SELECT 'disputed', currency, NULL, NULL, NULL, count::int, amount::bigint, 0, 0 FROM open_dispute`;

/** $1: event */
export const EXPLAIN_EVENT: Statement = {
  name: 'explain_event',
  text: explained('event_id = $1', totalsOfEvent('$1')),
};

export const EXPLAIN_ALL: Statement = {
  name: 'explain_all',
  text: explained(notRehearsal('event_id'), TOTALS_OF_ALL),
};

/**
 * $1: event. Fees of the event's payments and disputes, one row for each currency. This is a separate statement, because
 * without the fees PostgreSQL can read `EXPLAIN_EVENT` from an index alone.
 */
export const EVENT_FEES: Statement = {
  name: 'explain_fees',
  text: `SELECT currency, sum(known)::int AS known, sum(unknown)::int AS unknown, sum(elsewhere)::int AS elsewhere,
      sum(fees)::bigint AS fees, sum(disputes)::int AS disputes, sum(dispute_fees)::bigint AS "disputeFees"
    FROM (
      SELECT currency, count(*) FILTER (WHERE fee_currency = currency) AS known,
        count(*) FILTER (WHERE fee_currency IS NULL) AS unknown,
        count(*) FILTER (WHERE fee_currency <> currency) AS elsewhere,
        coalesce(sum(fee) FILTER (WHERE fee_currency = currency), 0) AS fees, 0 AS disputes, 0 AS dispute_fees
      FROM donation WHERE event_id = $1 AND provider IS NOT NULL AND status IN ('COMPLETED', 'REFUNDED')
      GROUP BY currency
      UNION ALL
      SELECT donation.currency, 0, 0, count(*) FILTER (WHERE dispute.fee_currency <> donation.currency), 0,
        count(*) FILTER (WHERE dispute.fee_currency = donation.currency),
        coalesce(sum(dispute.fee) FILTER (WHERE dispute.fee_currency = donation.currency), 0)
      FROM dispute JOIN donation ON donation.id = dispute.donation_id
      WHERE dispute.fee > 0 AND dispute.fee_currency IS NOT NULL AND donation.event_id = $1
      GROUP BY donation.currency
    ) AS fee GROUP BY currency`,
};

/** Sums of the donations that match a condition. The statement has no name, because its text depends on the filters. */
export const sumsOf = (where: string): Statement => ({
  name: '',
  text: `SELECT currency, count(*)::int AS count, sum(amount)::bigint AS amount, sum(refunded_amount)::bigint AS refunded,
      coalesce(sum(amount - refunded_amount) FILTER (WHERE status = 'COMPLETED'), 0)::bigint AS counted,
      coalesce(sum(amount) FILTER (WHERE status IN ('COMPLETED', 'REFUNDED')), 0)::bigint AS received,
      coalesce(sum(amount) FILTER (WHERE status = 'PENDING'), 0)::bigint AS unpaid
    FROM donation WHERE ${where} GROUP BY currency ORDER BY currency`,
});
