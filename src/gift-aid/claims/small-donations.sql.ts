import { notRehearsal } from '../../common/crypto/rehearsal-ids.js';
import type { Statement } from '../../data/database.js';
import { GIVEN_AT } from '../../donations/list/donation-filters.sql.js';
import { COVERING } from '../covering.sql.js';

/** SQL statements on small donations without a declaration (GASDS). Amounts in pence. */

const GIVEN = `coalesce(${GIVEN_AT}, donation.created_at)`;

/**
 * Donations in cash or at a card terminal of at most £30, without a declaration and without a benefit, with the rest after refunds.
 * $1: given from; $2: given before
 */
const SMALL = `small AS (
    SELECT donation.type, donation.shift_id, donation.amount - donation.refunded_amount AS amount
    FROM donation LEFT JOIN ${COVERING} ON true
    WHERE donation.type IN ('cash', 'card_terminal') AND donation.status = 'COMPLETED' AND donation.currency = 'gbp'
      AND donation.amount <= 3000 AND donation.amount > donation.refunded_amount AND NOT donation.is_past_donation
      AND coalesce(donation.benefit_value, 0) = 0 AND covering.declaration_id IS NULL
      AND ${notRehearsal('donation.event_id')} AND ${GIVEN} >= $1 AND ${GIVEN} < $2)`;

export interface SmallSumRow {
  readonly type: 'cash' | 'card_terminal';
  readonly donations: number;
  readonly amount: bigint;
}

export const SMALL_SUMS: Statement = {
  name: 'gift_aid_small_sums',
  text: `WITH ${SMALL} SELECT type::text, count(*)::int AS donations, sum(amount)::bigint AS amount FROM small GROUP BY type`,
};

export interface CollectionRow {
  readonly shift_id: string;
  readonly event_name: string;
  readonly opened_at: Date;
  readonly amount: bigint;
  readonly staff_name: string;
  readonly signed_by_name: string | null;
  readonly is_counted: boolean;
}

/** The shifts that received this cash, oldest first. Parameters as in `SMALL`. */
export const COLLECTIONS: Statement = {
  name: 'gift_aid_small_collections',
  text: `WITH ${SMALL}
    SELECT shift.id AS shift_id, event.name AS event_name, shift.opened_at, sum(small.amount)::bigint AS amount, shift.staff_name,
      shift.signed_by_name, shift.counted_at IS NOT NULL AS is_counted
    FROM small JOIN shift ON shift.id = small.shift_id JOIN event ON event.id = shift.event_id
    WHERE small.type = 'cash' GROUP BY shift.id, event.name ORDER BY shift.opened_at, shift.id`,
};

/** Claimed donations that were given on the days $1 to $2, without what was refunded later. */
export const CLAIMED_SUM: Statement = {
  name: 'gift_aid_claimed_sum',
  text: `SELECT coalesce(sum(least(claimed.amount, donation.amount - donation.refunded_amount)), 0)::bigint AS amount
    FROM gift_aid_claim_donation claimed JOIN donation ON donation.id = claimed.donation_id
    WHERE claimed.given_on BETWEEN $1::date AND $2::date AND donation.status = 'COMPLETED'`,
};
