/** Words by which donations are filtered, beside the values of their columns. */

export const DISPUTE_FILTERS = ['open', 'won', 'lost', 'any'] as const;
export type DisputeFilter = (typeof DISPUTE_FILTERS)[number];

/** How a CANCELLED donation came to be that. */
export const CANCELLATIONS = ['unpaid', 'corrected', 'undone', 'paid_online'] as const;
export type Cancellation = (typeof CANCELLATIONS)[number];

/** The reason in the history of a record that was undone: the one that figures are told apart by. */
export const UNDONE = 'undone';

/** What became of a pledge of a paddle raise; an online payment stands for the pledge that it paid. */
export const PLEDGE_FATES = ['open', 'kept_at_till', 'kept_online', 'returned', 'withdrawn'] as const;
export type PledgeFate = (typeof PLEDGE_FATES)[number];
