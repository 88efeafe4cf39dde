import { Injectable } from '@nestjs/common';
import { firstIdAt } from '../../common/ids.js';
import { Database } from '../../data/database.js';
import type { EventRecord } from '../../events/event-record.js';
import type { ReceiptSubject } from './receipt-content.js';
import { ReceiptFiles } from './receipt-files.service.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { ReceiptNumbers } from './receipt-numbers.service.js';
import { earlierReceipt, type ReceiptRow } from './receipt-row.js';
import { RECEIPTS_OF_EVENT } from './receipts.sql.js';
import { receiptSubject } from './receipts.service.js';

/** How many donations are read, and numbered, at a time. */
const BATCH = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** All receipts of an event in one ZIP. */
@Injectable()
export class ReceiptArchive {
  constructor(
    private readonly database: Database,
    private readonly numbers: ReceiptNumbers,
    private readonly issuers: ReceiptIssuers,
    private readonly files: ReceiptFiles,
  ) {}

  /**
   * A ZIP with one PDF for each completed donation made before now, and `manifest.csv`. Read and numbered batch by batch
   * as the reader takes it; nothing but one read goes on when the reader stops.
   */
  async *zip(event: EventRecord): AsyncGenerator<Buffer, void, undefined> {
    yield* this.files.zip(await this.issuers.of(event.overrides), this.subjects(event.id));
  }

  private async *subjects(eventId: string): AsyncGenerator<ReceiptSubject[], void, undefined> {
    // An event that goes on while this runs would otherwise never end.
    const end = firstIdAt(new Date());
    for await (const batch of this.batches(eventId, end)) {
      const issued = await this.numbers.issue(batch.filter(({ year }) => year === null).map(({ id }) => id));
      yield batch.flatMap((row) => {
        const receipt = earlierReceipt(row) ?? issued.get(row.id);
        // Refunded or cancelled since it was read, so that no number was given.
        return receipt ? [receiptSubject(row, receipt)] : [];
      });
    }
  }

  /** Each batch is read while the one before is drawn. */
  private async *batches(eventId: string, end: string): AsyncGenerator<ReceiptRow[], void, undefined> {
    const read = (after: string) => {
      const batch = this.database.query<ReceiptRow>(RECEIPTS_OF_EVENT, [eventId, after, end, BATCH]);
      // Where nobody takes it any more, its failure is nobody's.
      batch.catch(() => undefined);
      return batch;
    };
    let next: Promise<ReceiptRow[]> | undefined = read(BEFORE_ALL);
    while (next) {
      const batch: ReceiptRow[] = await next;
      const last = batch.at(-1);
      next = last && batch.length === BATCH ? read(last.id) : undefined;
      if (last) yield batch;
    }
  }
}
