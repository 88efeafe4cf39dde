/** Limits of the totals of one event and currency. JSON represents integers exactly only up to 2^53. */

/**
 * Maximum total for manual records: half of the range of JSON. The other half is for payments that providers report, because
 * the server never refuses such payments. It is also for several processes that write at the same time.
 */
export const MOST_RECORDED = 2n ** 52n;

/** Maximum sum of an event's pledges. The pledges and their payments together use at most half of the range of JSON. */
const MOST_PROMISED = 2n ** 51n;

/**
 * For a pledge up to this amount, the server does not check the sum of pledges. Only millions of such pledges could exceed the
 * limit.
 */
const PROMISED_UNASKED = 1_000_000_000n;

/**
 * True if a manual record would exceed the limit.
 * @param before the total so far, in minor units
 */
export const passesRecorded = (before: bigint, added: bigint): boolean =>
  added > 0n && before + added > MOST_RECORDED;

/** True if a pledge is so large that the server must check the sum of the event's pledges. */
export const asksForPromised = (amount: bigint): boolean => amount > PROMISED_UNASKED;

/**
 * True if a pledge would exceed the limit.
 * @param promised the sum of the event's pledges so far
 */
export const passesPromised = (promised: bigint, amount: bigint): boolean =>
  asksForPromised(amount) && promised + amount > MOST_PROMISED;
