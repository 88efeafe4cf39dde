/** The sums that a milestone can be compared with. */
export const BASES = ['raised', 'with_promises', 'with_matches'] as const;
export type Basis = (typeof BASES)[number];

/** Sums of an event in its currency, minor units. */
export interface Sums {
  readonly raised: bigint;
  /** Unpaid pledges. */
  readonly promised: bigint;
  /** Sum that match pools added and their matchers have not paid yet. Paid matches are in `raised`. */
  readonly matched: bigint;
}

/** Returns the sum of each basis. */
export const reachedBasis = ({ raised, promised, matched }: Sums): Record<Basis, bigint> => ({
  raised,
  with_promises: raised + promised,
  with_matches: raised + matched,
});
