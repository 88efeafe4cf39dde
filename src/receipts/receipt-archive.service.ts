import { Injectable } from '@nestjs/common';
import { firstIdAt } from '../common/crypto/ids.js';
import { Database } from '../data/database.js';
import type { EventRecord } from '../events/event-record.js';
import type { PackPlan } from './pack-plan.js';
import type { ReceiptBatch } from './receipt-batch.js';
import { ReceiptFiles } from './receipt-files.service.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { ReceiptNumbers } from './receipt-numbers.service.js';
import { RECEIPTS_OF_EVENT, type ReceiptsOfEvent } from './receipts.sql.js';

/** Number of donations that are read and numbered in one step. */
const BATCH = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Packs all receipts of an event into one ZIP. */
@Injectable()
export class ReceiptArchive {
  constructor(
    private readonly database: Database,
    private readonly numbers: ReceiptNumbers,
    private readonly issuers: ReceiptIssuers,
    private readonly files: ReceiptFiles,
  ) {}

  /**
   * Returns a ZIP with `manifest.csv` and a PDF for each donation that was completed before now. Batches are read and numbered
   * at the client's speed. If the client stops, at most one more batch is read.
   */
  async *zip(event: EventRecord): AsyncGenerator<Buffer, void, undefined> {
    const plan = await this.issuers.planOf(event.overrides);
    yield* this.files.zip(await this.issuers.of(event.overrides), this.batches(event.id, plan));
  }

  private async *batches(
    eventId: string,
    plan: PackPlan | undefined,
  ): AsyncGenerator<ReceiptBatch, void, undefined> {
    // Donations after this time are excluded. Otherwise the ZIP of a running event might never end.
    const end = firstIdAt(new Date());
    for await (const { rows, unnumbered } of this.read(eventId, end, plan !== undefined)) {
      const { receipts, incomplete } = await this.numbers.issueBy(unnumbered, plan, 'skip');
      yield {
        rows,
        issued: [...receipts.values()],
        incomplete: [...incomplete].map(([donationId, findings]) => ({
          donationId,
          fields: findings.map(({ field }) => field),
        })),
      };
    }
  }

  /** Reads the next batch while the thread draws the previous one. */
  private async *read(
    eventId: string,
    end: string,
    hasPack: boolean,
  ): AsyncGenerator<ReceiptsOfEvent, void, undefined> {
    const readAfter = (id: string) => {
      const batch = this.database.query<ReceiptsOfEvent>(RECEIPTS_OF_EVENT, [
        eventId,
        id,
        end,
        BATCH,
        hasPack,
      ]);
      // If the client has stopped, an error of the next read must not become an unhandled rejection.
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
