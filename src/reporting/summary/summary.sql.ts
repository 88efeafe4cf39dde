import type { Statement } from '../../data/database.js';
import { GIVEN_AT, localHour } from '../../donations/list/donation-filters.sql.js';

/** $1: event; $2: time zone. Completed donations, grouped in several ways. PostgreSQL reads the donations only once. */
export const SUMMARY_GROUPS: Statement = {
  name: 'summary_groups',
  text: `SELECT currency, type, method, wallet, staff_id AS "staffId", max(staff_name) AS "staffName",
      terminal_id AS "terminalId", max(terminal_name) AS "terminalName", online, hour,
      CASE WHEN grouping(method) = 0 THEN 'method' WHEN grouping(type) = 0 THEN 'type' WHEN grouping(staff_id) = 0 THEN 'staff'
        WHEN grouping(terminal_id) = 0 THEN 'terminal' WHEN grouping(hour) = 0 THEN 'hour' ELSE 'online' END AS part,
      count(*)::int AS count, sum(amount)::bigint AS amount, sum(refunded_amount)::bigint AS refunded
    FROM (
      SELECT currency, type, method, wallet, donation.staff_id, staff_name, terminal_id, terminal.name AS terminal_name,
        provider IS NOT NULL AS online, ${localHour(GIVEN_AT, '$2')} AS hour, amount, refunded_amount
      FROM donation LEFT JOIN terminal ON terminal.id = donation.terminal_id
      WHERE donation.event_id = $1 AND status = 'COMPLETED'
    ) AS counted
    GROUP BY GROUPING SETS ((currency, type), (currency, type, method, wallet), (currency, staff_id), (currency, terminal_id), (currency, hour),
      (currency, online))
    ORDER BY currency, part, hour, sum(amount) DESC, count(*) DESC, type, method, wallet, staff_id,
      terminal_id`,
};

/** $1: event. Fees of the providers for payments, including payments that were refunded. */
export const SUMMARY_FEES: Statement = {
  name: 'summary_fees',
  text: `SELECT currency, fee_currency AS "feeCurrency", count(*)::int AS count, coalesce(sum(fee), 0)::bigint AS fee
    FROM donation WHERE event_id = $1 AND provider IS NOT NULL AND status IN ('COMPLETED', 'REFUNDED')
    GROUP BY currency, fee_currency ORDER BY currency, fee_currency`,
};

/**
 * $1: event. Cash of each shift. After recounts, the newest count is compared. Before the first count, nothing is known: the
 * members count without knowing the expected amount.
 */
export const SUMMARY_CASH: Statement = {
  name: 'summary_cash',
  text: `SELECT shift.id AS "shiftId", shift.staff_name AS "staffName", terminal.name AS "terminalName", shift.currency,
      shift.opened_at AS "openedAt", shift.expected_amount AS expected,
      coalesce(newest.counted_amount, shift.counted_amount) AS counted
    FROM shift LEFT JOIN terminal ON terminal.id = shift.terminal_id
    LEFT JOIN LATERAL (
      SELECT counted_amount FROM shift_recount WHERE shift_id = shift.id ORDER BY counted_at DESC, id DESC LIMIT 1
    ) AS newest ON true
    WHERE shift.event_id = $1 ORDER BY shift.opened_at, shift.id`,
};

/** $1: event. Pending refunds, and dispute fees. */
export const SUMMARY_ON_ITS_WAY: Statement = {
  name: 'summary_on_its_way',
  text: `SELECT 'refund' AS part, refund.currency, count(*)::int AS count, sum(refund.amount)::bigint AS amount
      FROM refund JOIN donation ON donation.id = refund.donation_id
      WHERE refund.status IN ('requested', 'pending') AND donation.event_id = $1 GROUP BY refund.currency
    UNION ALL
    SELECT 'dispute_fee', dispute.fee_currency, count(*)::int, sum(dispute.fee)::bigint
      FROM dispute JOIN donation ON donation.id = dispute.donation_id
      WHERE dispute.fee > 0 AND dispute.fee_currency IS NOT NULL AND donation.event_id = $1
      GROUP BY dispute.fee_currency`,
};
