import { Injectable } from '@nestjs/common';
import { answerCache } from '../common/caching/answer-cache.js';
import { Database } from '../data/database.js';
import { READ } from './books.sql.js';

/** State of the books for operators. No number of rows is larger than 10,000. */
export interface BooksState {
  readonly unsettledDonations: number;
  readonly unsettledRefunds: number;
  readonly openReviewItems: number;
  /** Number of followers that cannot handle the next messages of an event, and have waited for more than a minute. */
  readonly stalledFollowers: number;
  /** Age in seconds of the oldest outbox row that is not broadcast; 0 if no row is waiting. */
  readonly oldestUnpublished: number;
  /** Time of the last successful backup, in seconds since 1970; 0 without a recorded backup. */
  readonly lastBackup: number;
}

/** The gauges made from the state: name, help text, and field. */
export const BOOK_GAUGES: readonly [name: string, help: string, count: keyof BooksState][] = [
  ['donations_unsettled', 'Online donations that are pending or failed, up to 10000', 'unsettledDonations'],
  ['refunds_unsettled', 'Refunds that the provider has not settled, up to 10000', 'unsettledRefunds'],
  ['review_items_open', 'Open review items, up to 10000', 'openReviewItems'],
  [
    'followers_stalled',
    'Feeds that a follower, such as the match pools, has not read for more than a minute',
    'stalledFollowers',
  ],
  [
    'outbox_oldest_unpublished_seconds',
    'Age of the oldest outbox row that is not broadcast',
    'oldestUnpublished',
  ],
  [
    'backup_last_success_timestamp_seconds',
    'Time of the last successful backup; 0 if scripts/database/backup.sh never recorded one',
    'lastBackup',
  ],
];

const KEEP_MS = 1_000;

/** Reads the state of the books for the metrics, once per scrape for all gauges. */
@Injectable()
export class Books {
  private readonly kept = answerCache<'books', BooksState>({ max: 1, keptMs: KEEP_MS }, async () => {
    return (await this.database.pool.query<BooksState>(READ)).rows[0];
  });

  constructor(private readonly database: Database) {}

  async read(): Promise<BooksState> {
    const state = await this.kept.fetch('books');
    if (!state) throw new Error('the books could not be read');
    return state;
  }
}
