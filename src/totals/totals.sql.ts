import { notRehearsal } from '../common/crypto/rehearsal-ids.js';
import type { Statement } from '../data/database.js';

/** All statements on the running totals, and expressions that other statements use. */

/**
 * Number of rows for one total. Because there are several rows, donations of one event do not all wait for the same row lock.
 */
export const TOTAL_SHARDS = 16;

/** Subquery: amount raised by an event in a currency. */
export const raised = (event: string, currency: string): string =>
  `SELECT coalesce(sum(held.total_raised), 0)::bigint FROM event_total held
     WHERE held.event_id = ${event} AND held.currency = ${currency}`;

/** Subquery: sum of an event's unpaid pledges in a currency. */
export const openPledges = (event: string, currency: string): string =>
  `SELECT coalesce(sum(pledge.amount), 0)::bigint FROM donation pledge
     WHERE pledge.event_id = ${event} AND pledge.currency = ${currency} AND pledge.type = 'pledge'
       AND pledge.status = 'PENDING'`;

/**
 * Subquery: totals of one event with `currency`, `total_raised` and `donor_count`, one row for each currency whose total is not
 * zero.
 * @param event the SQL expression of the event's id
 */
export const totalsOfEvent = (event: string): string => `
  SELECT currency, sum(total_raised)::bigint AS total_raised, sum(donor_count)::bigint AS donor_count
    FROM event_total WHERE event_id = ${event}
   GROUP BY currency HAVING sum(total_raised) <> 0 OR sum(donor_count) <> 0`;

/** Like `totalsOfEvent`, but for all events. A donor at two events is counted twice. */
export const TOTALS_OF_ALL = `
  SELECT currency, sum(total_raised)::bigint AS total_raised, sum(donor_count)::bigint AS donor_count
    FROM event_total WHERE ${notRehearsal('event_id')}
    GROUP BY currency HAVING sum(total_raised) <> 0 OR sum(donor_count) <> 0`;

export const OF_EVENT: Statement = {
  name: 'event_totals',
  text: `SELECT currency, total_raised AS "totalRaised", donor_count::int AS "donorCount"
    FROM (${totalsOfEvent('$1')}) AS total ORDER BY currency`,
};

/** The result `changed` is true if the donor had no donation before. */
export const ADD_DONOR: Statement = {
  name: 'totals_add_donor',
  text: `INSERT INTO event_donor (event_id, currency, donor_key, donations) VALUES ($1, $2, $3, $4)
    ON CONFLICT (event_id, currency, donor_key) DO UPDATE SET donations = event_donor.donations + excluded.donations
    RETURNING donations = $4 AS changed`,
};

/** The result `changed` is true if the donor has no donation left. */
export const REMOVE_DONOR: Statement = {
  name: 'totals_remove_donor',
  text: `UPDATE event_donor SET donations = donations - $4 WHERE event_id = $1 AND currency = $2 AND donor_key = $3
    RETURNING donations = 0 AS changed`,
};

const ADD_TO_SHARD = `ON CONFLICT (event_id, currency, shard) DO UPDATE
      SET total_raised = event_total.total_raised + excluded.total_raised,
          donor_count = event_total.donor_count + excluded.donor_count`;

/** The result `before` is the total before this statement. */
export const ADD: Statement = {
  name: 'totals_add',
  text: `INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count) VALUES ($1, $2, $3, $4, $5)
    ${ADD_TO_SHARD}
    RETURNING (${raised('$1', '$2')}) AS before`,
};

/**
 * Adds many new donations to the totals, as common table expressions of a larger statement.
 * @param counted name of the expression with `event_id`, `currency`, `amount` and `donor_key` of the new donations
 * @param shard the SQL expression of the shard
 */
export const addNewDonations = (counted: string, shard: string): string => `known AS (
    SELECT event_id, currency, donor_key, count(*)::int AS donations FROM ${counted} WHERE donor_key IS NOT NULL
    GROUP BY event_id, currency, donor_key
  ), donor AS (
    INSERT INTO event_donor (event_id, currency, donor_key, donations)
    SELECT event_id, currency, donor_key, donations FROM known ORDER BY event_id, currency, donor_key
    ON CONFLICT (event_id, currency, donor_key) DO UPDATE SET donations = event_donor.donations + excluded.donations
    RETURNING event_id, currency, donor_key, donations
  ), new_donors AS (
    SELECT event_id, currency, count(*) AS donors FROM donor JOIN known USING (event_id, currency, donor_key)
    WHERE donor.donations = known.donations GROUP BY event_id, currency
  ), total AS (
    INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count)
    SELECT event_id, currency, ${shard}, sum(amount),
      count(*) FILTER (WHERE donor_key IS NULL)
        + coalesce((SELECT donors FROM new_donors n WHERE (n.event_id, n.currency) = (${counted}.event_id, ${counted}.currency)), 0)
    FROM ${counted} GROUP BY event_id, currency ORDER BY event_id, currency
    ${ADD_TO_SHARD}
  )`;

/**
 * Subquery with one row: count and sum of the pledges in a round. Includes paid pledges, at the till or online;
 * excludes withdrawn ones.
 */
export const promisedIn = (round: string): string => `
  SELECT count(*)::int AS pledges, coalesce(sum(coalesce(donation.pledged_amount, donation.amount)), 0)::bigint AS promised FROM donation
    WHERE donation.round_id = ${round} AND (donation.status <> 'CANCELLED' OR donation.paid_by IS NOT NULL)`;
