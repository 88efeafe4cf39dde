import type { Gift, HeldDraw, Pool } from './draws.js';
import type { DrawRow, GiftRow, PoolRow } from './match.sql.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A stored time in which a pool was open. */
export interface IntervalRow {
  readonly pool_id: string;
  readonly opened_at: Date;
  readonly closed_at: Date | null;
}

/**
 * The time of a donation for the pools. Online: the time of the payment. By hand: the believed time of the terminal, or the time
 * of the record. For a pledge or a transfer that was paid later, and for an open pledge: the time of the payment or of the pledge.
 */
export function matchTimeOf(row: GiftRow): Date {
  const { provider, completed_at: completed, created_at: created, recorded_at: recorded } = row;
  const cameAtOnce = completed === null || completed.getTime() === created.getTime();
  if (provider === null && cameAtOnce) return recorded ?? created;
  return completed ?? created;
}

/** The state of a donation for the rule. */
function stateOf({ status, type }: GiftRow): Gift['state'] {
  if (status === 'COMPLETED') return 'given';
  return status === 'PENDING' && type === 'pledge' ? 'pledged' : 'gone';
}

export const toGift = (row: GiftRow): Gift => ({
  eventId: row.event_id,
  currency: row.currency,
  type: row.type,
  state: stateOf(row),
  amount: row.amount,
  refunded: row.refunded_amount,
  coveredFee: row.covered_fee ?? 0n,
  isSettlement: row.match_pool_id !== null,
  donorKey: row.donor_key?.toString('hex') ?? null,
  at: matchTimeOf(row).getTime(),
  arrivedAt: row.arrived_at.getTime(),
});

export const toPool = (row: PoolRow, intervals: readonly IntervalRow[], donorDrew: bigint): Pool => ({
  id: row.id,
  eventId: row.event_id,
  currency: row.currency,
  priority: row.priority,
  opensAt: row.opens_at?.getTime() ?? null,
  kinds: row.kinds,
  matcherKey: row.matcher_key?.toString('hex') ?? null,
  ratio: BigInt(row.ratio),
  perGiftCap: row.per_gift_cap,
  minGift: row.min_gift,
  perDonorCap: row.per_donor_cap,
  left: row.cap - row.drawn - row.kept,
  donorDrew,
  openTimes: intervals
    .filter(({ pool_id }) => pool_id === row.id)
    .map(({ opened_at: from, closed_at: to }) => ({ from: from.getTime(), to: to?.getTime() ?? null })),
  endedAt: row.ended_at?.getTime() ?? null,
  graceMs: row.grace_minutes * MINUTE_MS,
  keepMs: row.keeps_pledges ? row.keep_days * DAY_MS : null,
  isSettled: row.status === 'settled',
});

export const toHeldDraw = (row: DrawRow): HeldDraw => ({
  poolId: row.pool_id,
  amount: row.amount,
  kept: row.kept,
  base: row.base,
  state: row.state,
  at: row.given_at.getTime(),
});
