import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database } from '../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../review/review-items.js';
import { MOVING_AGAIN, STANDING_STILL } from './books.sql.js';

/** A broadcast takes a second; what waits for longer than this stands still. */
export const RELAY_LATE_SECONDS = 60;
/** Whatever makes the relay stand still, a person needs to see it once for a few events and not for all. */
const REPORTED = 20;

/** Puts events whose broadcasts stand still on the list of what a person must look at. */
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
