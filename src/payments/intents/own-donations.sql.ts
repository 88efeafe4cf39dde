import type { Statement } from '../../data/database.js';

/** Facts about a donation for the thank-you page. */
export interface StandingRow {
  /** True if the donation pays a pledge. */
  readonly pays_pledge: boolean;
  /** Number of donors of the event and currency up to this donor's first donation; null if it was not counted. */
  readonly donor_number: number | null;
}

// As in the totals, a donation without an e-mail address counts as one donor.
const PERSON = 'coalesce(donor_key, uuid_send(id))';

/** $1: donation; $2: true to count the donors */
export const STANDING: Statement = {
  name: 'own_donation_standing',
  text: `SELECT EXISTS (SELECT 1 FROM pledge_payment WHERE donation_id = $1::uuid) AS pays_pledge,
      CASE WHEN $2::boolean THEN (
        SELECT count(*)::int FROM (
          SELECT min(completed_at) AS first
          FROM donation WHERE event_id = own.event_id AND currency = own.currency AND status = 'COMPLETED'
          GROUP BY ${PERSON}
        ) AS person WHERE first <= (
          SELECT min(completed_at) FROM donation
          WHERE event_id = own.event_id AND currency = own.currency AND status = 'COMPLETED'
            AND (id = own.id OR donor_key = own.donor_key)
        )
      ) END AS donor_number
    FROM donation AS own WHERE own.id = $1::uuid`,
};
