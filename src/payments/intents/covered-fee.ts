/** What a provider keeps of a payment, as the charity states it. */
export interface FeeRate {
  /** In hundredths of a percent: 150 is 1.5 %. */
  readonly basisPoints: number;
  /** Of each payment, in minor units. */
  readonly fixed: number;
  /** Payments are multiples of so many minor units, and so is what is added; one where absent. */
  readonly step?: number;
}

const WHOLE = 10_000;

/**
 * What a donor adds so that the charity gets the whole donation although the provider keeps its fee of the sum:
 * the least that will do and can be paid. Pages state it before the donor agrees, so they work it out by this too.
 * `donation + added - (added + donation) * rate - fixed >= donation`
 */
export function coveringFee(donation: number, { basisPoints, fixed, step = 1 }: FeeRate): number {
  if (donation <= 0) return 0;
  const least = Math.ceil((donation * basisPoints + fixed * WHOLE) / (WHOLE - basisPoints));
  return Math.ceil(least / step) * step;
}
