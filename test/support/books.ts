import type { TestApp } from './app.js';
import { sql } from './fixtures.js';

export interface Total {
  readonly eventId: string;
  readonly currency: string;
  readonly totalRaised: string;
  readonly donorCount: string;
}

/** Returns the running totals without zero rows. */
export const keptTotals = (app: Pick<TestApp, 'databaseUrl'>) =>
  sql<Total>(
    app,
    `SELECT event_id AS "eventId", currency, sum(total_raised)::text AS "totalRaised", sum(donor_count)::text AS "donorCount"
     FROM event_total GROUP BY 1, 2 HAVING sum(total_raised) <> 0 OR sum(donor_count) <> 0 ORDER BY 1, 2`,
  );

/** Returns the same totals from a recount of all donations. */
export const recount = (app: Pick<TestApp, 'databaseUrl'>) =>
  sql<Total>(
    app,
    `SELECT event_id AS "eventId", currency, sum(amount - refunded_amount)::text AS "totalRaised",
       (count(DISTINCT donor_key) + count(*) FILTER (WHERE donor_key IS NULL))::text AS "donorCount"
     FROM donation WHERE status = 'COMPLETED' GROUP BY 1, 2 ORDER BY 1, 2`,
  );
