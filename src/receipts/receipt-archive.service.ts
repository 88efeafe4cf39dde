import { Injectable } from '@nestjs/common';
import { firstIdAt } from '../common/crypto/ids.js';
import { Database } from '../data/database.js';
import type { EventRecord } from '../events/event-lookup.service.js';
import type { ReceiptBatch } from './receipt-batch.js';
import { ReceiptFiles } from './receipt-files.service.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { ReceiptNumbers } from './receipt-numbers.service.js';
import { RECEIPTS_OF_EVENT, type ReceiptsOfEvent } from './receipts.sql.js';

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
    yield* this.files.zip(await this.issuers.of(event.overrides), this.batches(event.id));
  }

  private async *batches(eventId: string): AsyncGenerator<ReceiptBatch, void, undefined> {
    // An event that goes on while this runs would otherwise never end.
    const end = firstIdAt(new Date());
    for await (const { rows, unnumbered } of this.read(eventId, end)) {
      const issued = await this.numbers.issue(unnumbered);
      yield { rows, issued: [...issued.values()] };
    }
  }

  /** Each batch is read while the one before is drawn. */
  private async *read(eventId: string, end: string): AsyncGenerator<ReceiptsOfEvent, void, undefined> {
    const readAfter = (id: string) => {
      const batch = this.database.query<ReceiptsOfEvent>(RECEIPTS_OF_EVENT, [eventId, id, end, BATCH]);
      // Where nobody takes it any more, its failure is nobody's.
      batch.catch(() => undefined);
      return batch;
    };
    let next: Promise<ReceiptsOfEvent[]> | undefined = readAfter(BEFORE_ALL);
    while (next) {
      const [batch]: ReceiptsOfEvent[] = await next;
      next = batch?.last && batch.count === BATCH ? readAfter(batch.last) : undefined;
      if (batch) yield batch;
    }
  }
}
