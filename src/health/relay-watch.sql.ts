import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Database, type Statement } from '../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../review/review-items.js';

/** A broadcast takes a second; what waits for longer than this stands still. */
export const RELAY_LATE_SECONDS = 60;
/** Whatever makes the relay stand still, a person needs to see it once for a few events and not for all. */
const REPORTED = 20;

const STANDING_STILL: Statement = {
  name: 'relay_standing_still',
  text: `SELECT event_id, min(created_at) AS since FROM outbox WHERE published_at IS NULL
     GROUP BY event_id HAVING min(created_at) < now() - make_interval(secs => $1) ORDER BY since LIMIT ${REPORTED}`,
};

/** Items about events of which nothing waits any more. */
const MOVING_AGAIN: Statement = {
  name: 'relay_moving_again',
  text: `SELECT subject FROM review_item r WHERE kind = 'relay_stalled' AND resolved_at IS NULL
     AND NOT EXISTS (SELECT FROM outbox o WHERE o.published_at IS NULL AND 'event:' || o.event_id = r.subject)`,
};

/** Puts events whose broadcasts stand still on the list of what a person must look at. */
@Injectable()
export class RelayWatch {
  constructor(private readonly database: Database) {}

  @Cron('40 * * * * *')
  async look(): Promise<void> {
    const late = await this.database.query<{ event_id: string; since: Date }>(STANDING_STILL, [
      RELAY_LATE_SECONDS,
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
