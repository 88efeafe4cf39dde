import { Injectable } from '@nestjs/common';
import { answerCache } from '../common/caching/answer-cache.js';
import { Database } from '../data/database.js';
import { READ } from './books.sql.js';

/** What an operator watches in the books; counts stop at 10,000. */
export interface BooksState {
  readonly unsettledDonations: number;
  readonly unsettledRefunds: number;
  readonly openReviewItems: number;
  /** Age in seconds of the oldest outbox row that is not broadcast yet; 0 when none waits. */
  readonly oldestUnpublished: number;
  /** When the last backup succeeded, in seconds since 1970; 0 where none is recorded. */
  readonly lastBackup: number;
}

/** The gauges made of it: name, help, and which number. */
export const BOOK_GAUGES: readonly [name: string, help: string, count: keyof BooksState][] = [
  ['donations_unsettled', 'Online donations that are pending or failed, up to 10000', 'unsettledDonations'],
  ['refunds_unsettled', 'Refunds that the provider has not settled, up to 10000', 'unsettledRefunds'],
  ['review_items_open', 'Money matters that wait for a person, up to 10000', 'openReviewItems'],
  [
    'outbox_oldest_unpublished_seconds',
    'Age of the oldest outbox row that is not broadcast',
    'oldestUnpublished',
  ],
  [
    'backup_last_success_timestamp_seconds',
    'When the last backup succeeded; 0 where scripts/database/backup.sh never recorded one',
    'lastBackup',
  ],
];

const KEEP_MS = 1_000;

/** Reads the state of the books for the metrics, once for all gauges of a scrape. */
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
