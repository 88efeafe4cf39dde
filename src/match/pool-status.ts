/** The states of a match pool. */
export const POOL_STATUSES = [
  'draft',
  'scheduled',
  'open',
  'paused',
  'ended',
  'settled',
  'cancelled',
] as const;

export type PoolStatus = (typeof POOL_STATUSES)[number];

/** All allowed status changes of a match pool. */
export const NEXT_POOL_STATUS = {
  draft: ['scheduled', 'open', 'cancelled'],
  scheduled: ['open', 'cancelled'],
  open: ['paused', 'ended', 'cancelled'],
  paused: ['open', 'ended'],
  ended: ['settled'],
  settled: [],
  cancelled: [],
} as const satisfies Record<PoolStatus, readonly PoolStatus[]>;

export const canMovePool = (from: PoolStatus, to: PoolStatus): boolean =>
  (NEXT_POOL_STATUS[from] as readonly PoolStatus[]).includes(to);

/** The times of a pool, and whether nothing is left. */
export interface PoolTimes {
  readonly status: PoolStatus;
  readonly opensAt: Date | null;
  readonly closesAt: Date | null;
  readonly graceMinutes: number;
  readonly isUsedUp: boolean;
  readonly usedUpAt: Date | null;
}

export interface DueMove {
  readonly to: 'open' | 'ended';
  /** The time from which the new status holds. It can be earlier than now, because no check ran at that time. */
  readonly at: Date;
}

/** Returns the status changes that the clock causes, in order. */
export function dueMoves(times: PoolTimes, now: Date): DueMove[] {
  const { status, opensAt, closesAt, graceMinutes, isUsedUp, usedUpAt } = times;
  if (status === 'scheduled' && opensAt !== null && opensAt <= now)
    return [{ to: 'open', at: opensAt }, ...dueMoves({ ...times, status: 'open' }, now)];
  if (status !== 'open' && status !== 'paused') return [];
  if (closesAt !== null && closesAt <= now) return [{ to: 'ended', at: closesAt }];
  // Refunds make room again for some time.
  const over = usedUpAt && new Date(usedUpAt.getTime() + graceMinutes * 60_000);
  return status === 'open' && isUsedUp && over && over <= now ? [{ to: 'ended', at: now }] : [];
}
