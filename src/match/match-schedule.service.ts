import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database } from '../data/database.js';
import { MatchFollower, reportOverpaid } from './match-follower.js';
import { DUE_EVENTS, LOCK_POOLS, OVERDUE_KEPT, type PoolRow } from './match.sql.js';
import { PoolClock } from './pool-clock.service.js';

const BATCH = 200;

/**
 * Opens and ends pools at their times, and releases money that was kept for pledges that are no longer open. The follower also
 * opens and ends the pools of its event, so a donation is never matched by the status of an earlier time.
 */
@Injectable()
export class MatchSchedule {
  private readonly logger = new Logger(MatchSchedule.name);

  constructor(
    private readonly database: Database,
    private readonly clock: PoolClock,
    private readonly follower: MatchFollower,
  ) {}

  /** If two instances run this at the same time, the row locks let only one change each pool. */
  @Cron('*/5 * * * * *')
  async advance(): Promise<void> {
    const due = await this.database.query<{ event_id: string }>(DUE_EVENTS);
    for (const { event_id: eventId } of due)
      await this.database.transaction(async (tx) => {
        const pools = await tx.query<PoolRow>(LOCK_POOLS, [eventId]);
        await reportOverpaid(tx, await this.clock.advance(tx, pools));
      });
  }

  /** Returns the number of pledges whose kept money was released. */
  @Cron('20 * * * * *')
  async releaseKept(): Promise<number> {
    const rows = await this.database.query<{ event_id: string; donation_id: string }>(OVERDUE_KEPT, [BATCH]);
    const byEvent = new Map<string, Set<string>>();
    for (const { event_id, donation_id } of rows)
      byEvent.set(event_id, (byEvent.get(event_id) ?? new Set()).add(donation_id));
    for (const [eventId, pledges] of byEvent)
      await this.database.transaction((tx) => this.follower.apply(tx, eventId, [...pledges]));
    if (rows.length > 0) this.logger.log({ msg: 'Kept money of pledges released', pledges: rows.length });
    return rows.length;
  }
}
