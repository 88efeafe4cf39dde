/** What a provider keeps of a payment, as the charity states it. */
export interface FeeRate {
  /** In hundredths of a percent: 150 is 1.5 %. */
  readonly basisPoints: number;
  /** Of each payment, in minor units. */
  readonly fixed: number;
}

const WHOLE = 10_000;

/**
 * What a donor adds so that the charity gets the whole donation although the provider keeps its fee of the sum:
 * the least integer that will do. Pages state it before the donor agrees, so they work it out by this too.
 * `donation + added - (added + donation) * rate - fixed >= donation`
 */
export function coveringFee(donation: number, { basisPoints, fixed }: FeeRate): number {
  if (donation <= 0) return 0;
  return Math.ceil((donation * basisPoints + fixed * WHOLE) / (WHOLE - basisPoints));
}
