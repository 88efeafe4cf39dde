/** How much the totals of one event and currency may hold: JSON carries integers exactly up to 2^53. */

/**
 * The most that people may record: half of those integers. The other half is for what providers report, which is money
 * that exists and is never refused, and for what several processes write at the same moment.
 */
export const MOST_RECORDED = 2n ** 52n;

/** The most that an event's pledges may promise together: with what is paid of them, still half of those integers. */
const MOST_PROMISED = 2n ** 51n;

/** Pledges up to this amount are not added up: it would take millions of them to pass the bound. */
const PROMISED_UNASKED = 1_000_000_000n;

/** Whether people may not add so much to a total that is `before`; both in minor units. */
export const passesRecorded = (before: bigint, added: bigint): boolean =>
  added > 0n && before + added > MOST_RECORDED;

/** Whether a pledge is so large that what the event's pledges promise has to be added up. */
export const asksForPromised = (amount: bigint): boolean => amount > PROMISED_UNASKED;

/** Whether a pledge is too much beside what the event's pledges promise so far. */
export const passesPromised = (promised: bigint, amount: bigint): boolean =>
  asksForPromised(amount) && promised + amount > MOST_PROMISED;
