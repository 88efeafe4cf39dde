/** Words by which donations are filtered, beside the values of their columns. */

export const DISPUTE_FILTERS = ['open', 'won', 'lost', 'any'] as const;
export type DisputeFilter = (typeof DISPUTE_FILTERS)[number];

/** How a CANCELLED donation came to be that. */
export const CANCELLATIONS = ['unpaid', 'corrected', 'undone', 'paid_online'] as const;
export type Cancellation = (typeof CANCELLATIONS)[number];
