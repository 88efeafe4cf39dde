/**
 * What was promised in a round, as a subquery of one row: every pledge that was not taken back, those that were paid
 * at the till or by their link too.
 */
export const promisedIn = (round: string): string => `
  SELECT count(*)::int AS pledges, coalesce(sum(donation.amount), 0)::bigint AS promised FROM donation
    WHERE donation.round_id = ${round} AND (donation.status <> 'CANCELLED' OR donation.paid_by IS NOT NULL)`;
