import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database } from '../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../review/review-items.js';
import { GOING_ON, STALLED } from '../outbox/followers.sql.js';
import { LATE_SECONDS, MOVING_AGAIN, STANDING_STILL } from './books.sql.js';

/** Maximum number of stuck events to report. A few examples are enough for the operator. */
const REPORTED = 20;

interface StalledRow {
  readonly follower: string;
  readonly event_id: string;
  readonly held_since: Date;
  readonly problem: string | null;
}

/** Creates review items for events with stuck broadcasts, and for followers that cannot continue. */
@Injectable()
export class RelayWatch {
  constructor(private readonly database: Database) {}

  @Cron('40 * * * * *')
  async look(): Promise<void> {
    await this.lookAtBroadcasts();
    await this.lookAtFollowers();
  }

  private async lookAtBroadcasts(): Promise<void> {
    const late = await this.database.query<{ event_id: string; since: Date }>(STANDING_STILL, [
      LATE_SECONDS,
      REPORTED,
    ]);
    for (const { event_id: event, since } of late)
      await raiseReviewItem(this.database, {
        kind: 'relay_stalled',
        subject: `event:${event}`,
        donationId: null,
        detail: { event, since: since.toISOString() },
      });
    for (const { subject } of await this.database.query<{ subject: string }>(MOVING_AGAIN))
      await settleReviewItem(this.database, 'relay_stalled', subject);
  }

  private async lookAtFollowers(): Promise<void> {
    const stalled = await this.database.query<StalledRow>(STALLED, [LATE_SECONDS, REPORTED]);
    for (const { follower, event_id: event, held_since: since, problem } of stalled)
      await raiseReviewItem(this.database, {
        kind: 'follower_stalled',
        subject: `${follower} event:${event}`,
        donationId: null,
        detail: { follower, event, since: since.toISOString(), problem },
      });
    for (const { subject } of await this.database.query<{ subject: string }>(GOING_ON))
      await settleReviewItem(this.database, 'follower_stalled', subject);
  }
}
