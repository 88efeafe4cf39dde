/** Limits of the totals of one event and currency. JSON represents integers exactly up to 2^53. */

/**
 * Maximum total for manual records: half of that range. The other half is for payments reported by providers, which
 * are real money and never refused, and for simultaneous writes of several processes.
 */
export const MOST_RECORDED = 2n ** 52n;

/** Maximum sum of an event's pledges. The pledges and their payments together use at most half of that range. */
const MOST_PROMISED = 2n ** 51n;

/** Pledges up to this amount are not summed: only millions of them could exceed the limit. */
const PROMISED_UNASKED = 1_000_000_000n;

/** True if a manual record would exceed the limit. `before`: the total so far; both in minor units. */
export const passesRecorded = (before: bigint, added: bigint): boolean =>
  added > 0n && before + added > MOST_RECORDED;

/** True if a pledge is so large that the event's pledges must be summed. */
export const asksForPromised = (amount: bigint): boolean => amount > PROMISED_UNASKED;

/** True if a pledge would exceed the limit, given the sum of the event's pledges so far. */
export const passesPromised = (promised: bigint, amount: bigint): boolean =>
  asksForPromised(amount) && promised + amount > MOST_PROMISED;
