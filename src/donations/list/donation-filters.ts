/** Filter words in addition to the column values. */

export const DISPUTE_FILTERS = ['open', 'won', 'lost', 'any'] as const;
export type DisputeFilter = (typeof DISPUTE_FILTERS)[number];

/** Reason for the cancellation of a donation. */
export const CANCELLATIONS = ['unpaid', 'corrected', 'undone', 'paid_online'] as const;
export type Cancellation = (typeof CANCELLATIONS)[number];

/** History reason of an undone record. Figures and filters use it to find undone records. */
export const UNDONE = 'undone';

/** State of a paddle raise pledge. A pledge paid online is represented by the donation that paid it. */
export const PLEDGE_FATES = ['open', 'kept_at_till', 'kept_online', 'returned', 'withdrawn'] as const;
export type PledgeFate = (typeof PLEDGE_FATES)[number];
