import type { Statement } from '../../data/database.js';
import { GIVEN_AT, localHour } from '../../donations/list/donation-filters.sql.js';

/** events, the time zone of each: what counts, by hour and kind, and the whole with its spread */
export const STATISTICS: Statement = {
  name: 'statistics',
  text: `SELECT event_id AS "eventId", currency, type, hour,
      terminal_id AS "terminalId", max(terminal_name) AS "terminalName",
      CASE WHEN grouping(type) = 0 THEN 'type' WHEN grouping(hour) = 0 THEN 'hour'
        WHEN grouping(terminal_id) = 0 THEN 'terminal' ELSE 'all' END AS part,
      count(*)::int AS count, sum(net)::bigint AS amount, max(net)::bigint AS largest,
      CASE WHEN grouping(type, hour, terminal_id) = 7
        THEN percentile_disc(0.5) WITHIN GROUP (ORDER BY net) END AS median
    FROM (
      SELECT donation.event_id, donation.currency, donation.type, donation.terminal_id,
        terminal.name AS terminal_name, donation.amount - donation.refunded_amount AS net,
        ${localHour(GIVEN_AT, 'wanted.timezone')} AS hour
      FROM unnest($1::uuid[], $2::text[]) AS wanted (event_id, timezone)
      JOIN donation ON donation.event_id = wanted.event_id AND donation.status = 'COMPLETED'
      LEFT JOIN terminal ON terminal.id = donation.terminal_id
    ) AS counted
    GROUP BY GROUPING SETS ((event_id, currency, type), (event_id, currency, hour),
      (event_id, currency, terminal_id), (event_id, currency))
    ORDER BY event_id, currency, part, hour, sum(net) DESC, count(*) DESC, type, terminal_id`,
};
