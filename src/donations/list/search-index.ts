import { Injectable, Logger } from '@nestjs/common';
import { isUnavailable } from '../../common/errors/unavailable.js';
import { Database, type Statement } from '../../data/database.js';
import { OutboxRelay } from '../../outbox/outbox-relay.js';

/** Pages that waited and are sorted in now; only the index's owner may ask for it. */
const SORT_IN: Statement = {
  name: 'donations_search_sort_in',
  text: `SELECT gin_clean_pending_list('donation_event_search_idx')::int AS pages`,
};

/** Of 8 KB each: half of what the list has room for (`gin_pending_list_limit`). */
const PAGES = 128;
/** Rows that fill so many pages: some three thousand names of two words, nine hundred of forty letters with an address of as many. */
const ROWS = { least: 250, first: 500, most: 4_000 };

/**
 * Sorts what is new into the index of the search, before its list is full: who fills it sorts all of it in, which takes longer
 * than a batch of records, and everybody behind him waits. Done by the process that relays, which counts the changes of all.
 */
@Injectable()
export class SearchIndex {
  private readonly logger = new Logger(SearchIndex.name);
  private changed = 0;
  private due = ROWS.first;
  private works = false;
  private isOurs = true;

  constructor(
    private readonly database: Database,
    relay: OutboxRelay,
  ) {
    relay.onRelayed((rows) => {
      this.changed += rows;
      if (this.changed >= this.due && !this.works && this.isOurs) void this.sortIn();
    });
  }

  private async sortIn(): Promise<void> {
    const rows = this.changed;
    this.changed = 0;
    this.works = true;
    try {
      const [found] = await this.database.query<{ pages: number }>(SORT_IN);
      const pages = found?.pages ?? 0;
      // None where somebody else did it just before.
      if (pages > 0) this.due = Math.min(ROWS.most, Math.max(ROWS.least, Math.round((rows * PAGES) / pages)));
    } catch (error) {
      // Without the database nothing is written either.
      if (isUnavailable(error)) return;
      this.isOurs = false;
      this.logger.warn(`The index of the search is sorted by those who record: ${(error as Error).message}`);
    } finally {
      this.works = false;
    }
  }
}
