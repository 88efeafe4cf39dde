import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database } from '../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../review/review-items.js';
import { MOVING_AGAIN, STANDING_STILL } from './books.sql.js';

/** A broadcast usually takes a second. If an event waits longer than this, its broadcasts are stuck. */
export const RELAY_LATE_SECONDS = 60;
/** Maximum number of stuck events to report. A few examples are enough for the operator. */
const REPORTED = 20;

/** Creates review items for events with stuck broadcasts. */
@Injectable()
export class RelayWatch {
  constructor(private readonly database: Database) {}

  @Cron('40 * * * * *')
  async look(): Promise<void> {
    const late = await this.database.query<{ event_id: string; since: Date }>(STANDING_STILL, [
      RELAY_LATE_SECONDS,
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
}
