/** The provider's fee for each payment, as the charity configures it. */
export interface FeeRate {
  /** In hundredths of a percent: 150 is 1.5 %. */
  readonly basisPoints: number;
  /** Fixed fee per payment, in minor units. */
  readonly fixed: number;
  /** The payment and the added fee must be multiples of this number of minor units; 1 if absent. */
  readonly step?: number;
}

const WHOLE = 10_000;

/**
 * Returns the smallest fee that a donor must add so that the charity receives the whole donation. The result is a
 * multiple of `step`. Donation pages use the same function, because they show the fee before the donor agrees.
 * `donation + added - (added + donation) * rate - fixed >= donation`
 */
export function coveringFee(donation: number, { basisPoints, fixed, step = 1 }: FeeRate): number {
  if (donation <= 0) return 0;
  const least = Math.ceil((donation * basisPoints + fixed * WHOLE) / (WHOLE - basisPoints));
  return Math.ceil(least / step) * step;
}
