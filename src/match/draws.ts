import type { DonationType } from '../donations/store/donation-columns.js';

/** Hundredths of a percent: 10,000 adds as much as was given. */
export const RATIO_ONE = 10_000n;

/** `one`: each part of a donation is matched by one pool at most; `all`: each open pool matches the whole donation. */
export const MATCH_MODES = ['one', 'all'] as const;
export type MatchMode = (typeof MATCH_MODES)[number];

/** A donation as the rule sees it. Amounts in minor units, times in milliseconds since 1970. */
export interface Gift {
  readonly eventId: string;
  readonly currency: string;
  readonly type: DonationType;
  /** `given`: counts in the totals; `pledged`: an open pledge; `gone`: everything else. */
  readonly state: 'given' | 'pledged' | 'gone';
  readonly amount: bigint;
  readonly refunded: bigint;
  readonly coveredFee: bigint;
  /** True for the payment of a matcher to a pool. */
  readonly isSettlement: boolean;
  /** Keyed digest of the donor's e-mail address as text. */
  readonly donorKey: string | null;
  /** When the donor gave, or made the pledge. */
  readonly at: number;
  /** When the service learned of it. */
  readonly arrivedAt: number;
}

/** A time in which a pool was open: from `from` to just before `to`. */
export interface OpenTime {
  readonly from: number;
  readonly to: number | null;
}

/** A pool as the rule sees it. Amounts in minor units, times in milliseconds since 1970. */
export interface Pool {
  readonly id: string;
  readonly eventId: string;
  readonly currency: string;
  readonly priority: number;
  readonly opensAt: number | null;
  /** Null: all types. */
  readonly kinds: readonly DonationType[] | null;
  readonly matcherKey: string | null;
  readonly ratio: bigint;
  readonly perGiftCap: bigint | null;
  readonly minGift: bigint | null;
  readonly perDonorCap: bigint | null;
  /** Not drawn and not kept. */
  readonly left: bigint;
  /** Sum of the draws of other donations of the same donor. */
  readonly donorDrew: bigint;
  readonly openTimes: readonly OpenTime[];
  /** Null until the pool has ended. */
  readonly endedAt: number | null;
  readonly graceMs: number;
  /** For how long the pool keeps money for an unpaid pledge; null if it keeps none. */
  readonly keepMs: number | null;
  readonly isSettled: boolean;
}

/** Sum that a donation has drawn from a pool. Amounts in minor units. */
export interface Draw {
  readonly poolId: string;
  readonly amount: bigint;
  /** Kept for an unpaid pledge. */
  readonly kept: bigint;
  /** The part of the donation that the pool was asked to match. */
  readonly base: bigint;
  readonly state: 'drawn' | 'kept' | 'released';
}

/** A stored draw. */
export interface HeldDraw extends Draw {
  /** When the donor gave, or made the pledge; milliseconds since 1970. */
  readonly at: number;
}

/**
 * Returns the draws of a donation after a change of it, in the order of the pools. A pool without a result has nothing to do with
 * the donation. Without side effects: the same input gives the same draws.
 * @param held the draws of the donation so far
 */
export function draws(
  gift: Gift,
  pools: readonly Pool[],
  held: readonly HeldDraw[],
  mode: MatchMode = 'one',
): Draw[] {
  const heldOf = new Map(held.map((draw) => [draw.poolId, draw]));
  const eligible = eligibleOf(gift);
  const before = held.reduce((largest, { base }) => (base > largest ? base : largest), 0n);
  const result: Draw[] = [];
  let offered = eligible;
  for (const pool of inOrder(pools)) {
    const asked = { eligible, offered, grown: positive(eligible - before) };
    const draw = drawFrom(pool, gift, heldOf.get(pool.id), asked);
    if (!draw) continue;
    result.push(draw);
    if (mode === 'one') offered -= matchedPart(pool, draw, offered);
  }
  return result;
}

/** The order in which pools match: by priority, then by opening, then by id. */
export const inOrder = <P extends Pick<Pool, 'id' | 'priority' | 'opensAt'>>(pools: readonly P[]): P[] =>
  [...pools].sort(
    (a, b) =>
      a.priority - b.priority ||
      (a.opensAt ?? Infinity) - (b.opensAt ?? Infinity) ||
      (a.id < b.id ? -1 : Number(a.id > b.id)),
  );

/** The part of a donation that can be matched: without refunds, and without the part for the provider's fee. */
export const eligibleOf = ({ amount, refunded, coveredFee }: Gift): bigint =>
  positive(amount - refunded - coveredFee);

interface Asked {
  readonly eligible: bigint;
  /** The part of `eligible` that no earlier pool has matched. */
  readonly offered: bigint;
  /** By how much `eligible` is higher than ever before. */
  readonly grown: bigint;
}

function drawFrom(pool: Pool, gift: Gift, held: HeldDraw | undefined, asked: Asked): Draw | undefined {
  if (gift.state === 'gone' || !isMatched(gift, pool)) return held && released(pool, 0n);
  const base = isEnough(pool, asked.eligible) ? asked.offered : 0n;
  if (!held) {
    if (!isKind(gift, pool) || !isInTime(gift, pool)) return undefined;
    return firstDraw(pool, gift, base);
  }
  if (gift.state === 'pledged') return heldPledge(pool, gift, held);
  if (held.state === 'kept') return paidPledge(pool, gift, held, base);
  // A lower amount shrinks the draw; a draw never grows by that.
  if (base <= held.base) {
    const amount = base < held.base ? least(held.amount, wanted(pool, base)) : held.amount;
    return { poolId: pool.id, amount, kept: 0n, base, state: held.state };
  }
  // Only the part that was not there before can draw more. A part that an empty pool did not match stays unmatched.
  const matchedBefore = greatest(held.base, base - asked.grown);
  const more = isOpenAt(pool, gift.arrivedAt) ? wanted(pool, base) - wanted(pool, matchedBefore) : 0n;
  const amount = held.amount + least(positive(more), pool.left);
  return { poolId: pool.id, amount, kept: 0n, base, state: 'drawn' };
}

/** True if this pool may match this donation at all, whatever its type. */
const isMatched = (gift: Gift, pool: Pool): boolean =>
  gift.eventId === pool.eventId &&
  gift.currency === pool.currency &&
  !gift.isSettlement &&
  (pool.matcherKey === null || gift.donorKey !== pool.matcherKey);

/** Checked only at first: a pledge gets the type of its payment. */
const isKind = (gift: Gift, pool: Pool): boolean => pool.kinds === null || pool.kinds.includes(gift.type);

const isEnough = (pool: Pool, eligible: bigint): boolean => pool.minGift === null || eligible >= pool.minGift;

function isInTime({ at, arrivedAt }: Gift, pool: Pool): boolean {
  if (pool.isSettled || !isOpenAt(pool, at)) return false;
  return pool.endedAt === null || arrivedAt < pool.endedAt + pool.graceMs;
}

const isOpenAt = ({ openTimes }: Pool, time: number): boolean =>
  openTimes.some(({ from, to }) => from <= time && (to === null || time < to));

/** Sum that a pool would add to this part of a donation if it had enough money. */
function wanted(pool: Pool, base: bigint): bigint {
  const { ratio, perGiftCap, perDonorCap, donorDrew } = pool;
  let amount = byRatio(base, ratio);
  if (perGiftCap !== null) amount = least(amount, perGiftCap);
  if (perDonorCap !== null) amount = least(amount, positive(perDonorCap - donorDrew));
  return amount;
}

function firstDraw(pool: Pool, gift: Gift, base: bigint): Draw | undefined {
  const got = least(wanted(pool, base), pool.left);
  if (gift.state === 'given') return { poolId: pool.id, amount: got, kept: 0n, base, state: 'drawn' };
  if (pool.keepMs === null) return undefined;
  return { poolId: pool.id, amount: 0n, kept: got, base, state: 'kept' };
}

function heldPledge(pool: Pool, gift: Gift, held: HeldDraw): Draw {
  if (held.state === 'kept' && isLate(pool, gift.arrivedAt, held)) return released(pool, held.base);
  const { poolId, amount, kept, base, state } = held;
  return { poolId, amount, kept, base, state };
}

function paidPledge(pool: Pool, gift: Gift, held: HeldDraw, base: bigint): Draw {
  if (isLate(pool, gift.at, held)) return released(pool, base);
  return { poolId: pool.id, amount: least(held.kept, wanted(pool, base)), kept: 0n, base, state: 'drawn' };
}

const isLate = ({ keepMs }: Pool, time: number, { at }: HeldDraw): boolean => time > at + (keepMs ?? 0);

const released = ({ id }: Pool, base: bigint): Draw => ({
  poolId: id,
  amount: 0n,
  kept: 0n,
  base,
  state: 'released',
});

/** The part of the offered amount that this draw has matched. The next pool is not asked to match it again. */
function matchedPart({ ratio }: Pool, { amount, kept }: Draw, offered: bigint): bigint {
  const got = amount + kept;
  if (got >= byRatio(offered, ratio)) return offered;
  // Rounded up, so that no part is matched twice.
  return least((got * RATIO_ONE + ratio - 1n) / ratio, offered);
}

const byRatio = (base: bigint, ratio: bigint) => (base * ratio) / RATIO_ONE;
const least = (a: bigint, b: bigint) => (a < b ? a : b);
const greatest = (a: bigint, b: bigint) => (a > b ? a : b);
const positive = (amount: bigint) => (amount > 0n ? amount : 0n);
