import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { FreshReads } from '../common/caching/fresh-reads.js';
import type { Settings } from '../settings/settings.js';
import { CatchUps, isHeld, type NewestRow } from './catch-up.service.js';
import type { PublicDonationRow } from './live-feed.service.js';
import { toState } from './wall-controls.js';

const KEPT = 500;
/**
 * Maximum wait for the database. Public pages must answer within 300 ms, and a page without the list is
 * better than a late page.
 */
const PATIENCE_MS = 250;

/**
 * The newest donations of an event with the names and messages that walls show. Cached for at most a second; a known change of a
 * donation ends the caching, also during a database outage. So a hidden name is never shown from the cache.
 */
@Injectable()
export class NewestDonations {
  private readonly logger = new Logger(NewestDonations.name);
  private readonly reads = new FreshReads<readonly NewestRow[]>(
    async (eventId) => ({ value: await this.catchUps.newestOf(eventId), subject: eventId }),
    { max: KEPT, changes: this.changes },
  );

  constructor(
    private readonly catchUps: CatchUps,
    private readonly changes: CommittedChanges,
  ) {}

  /**
   * Returns the newest donations that walls may show now, newest first. Excludes donations that arrived
   * during the current pause of the walls. Undefined if the database does not answer.
   */
  async shown(eventId: string, settings: Settings): Promise<readonly PublicDonationRow[] | undefined> {
    const wall = toState(settings);
    const rows = await Promise.race([this.read(eventId), sleep(PATIENCE_MS, undefined, { ref: false })]);
    return rows?.filter((row) => !isHeld(row.arrived_at, wall));
  }

  private async read(eventId: string): Promise<readonly NewestRow[] | undefined> {
    try {
      return (await this.reads.lastKnown(eventId))?.value;
    } catch (error) {
      this.logger.warn({ msg: 'Newest donations could not be read', event: eventId, err: error });
      return undefined;
    }
  }
}
