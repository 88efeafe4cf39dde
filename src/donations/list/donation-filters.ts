/** Filter values that are not values of a column. */

export const DISPUTE_FILTERS = ['open', 'won', 'lost', 'any'] as const;
export type DisputeFilter = (typeof DISPUTE_FILTERS)[number];

/** Reason for the cancellation of a donation. */
export const CANCELLATIONS = ['unpaid', 'corrected', 'undone', 'paid_online'] as const;
export type Cancellation = (typeof CANCELLATIONS)[number];

/** History reason of an undone record. Sums and filters use this text to find undone records. */
export const UNDONE = 'undone';

/** State of a paddle raise pledge. For a pledge paid online, the donation that paid the pledge decides the state. */
export const PLEDGE_FATES = ['open', 'kept_at_till', 'kept_online', 'returned', 'withdrawn'] as const;
export type PledgeFate = (typeof PLEDGE_FATES)[number];

/** The donations of a match pool: those that drew, pledges with kept money, and the payments of the matcher. */
export const MATCH_PARTS = ['drawn', 'kept', 'settled'] as const;
export type MatchPart = (typeof MATCH_PARTS)[number];
