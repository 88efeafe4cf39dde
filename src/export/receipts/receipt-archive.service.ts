import { setImmediate } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { firstIdAt } from '../../common/ids.js';
import { Database } from '../../data/database.js';
import type { EventRecord } from '../../events/event-record.js';
import { receiptContent, type ReceiptIssuer, type ReceiptSubject } from './receipt-content.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { ReceiptManifest } from './receipt-manifest.js';
import { ReceiptNumbers } from './receipt-numbers.service.js';
import { receiptPdf } from './draw-receipt.js';
import { earlierReceipt, type ReceiptRow } from './receipt-row.js';
import { RECEIPTS_OF_EVENT } from './receipts.sql.js';
import { receiptSubject } from './receipts.service.js';
import { type ZipEntry, zipOf } from './receipt-zip.js';

/** How many donations are read, and numbered, at a time. */
const BATCH = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** All receipts of an event in one ZIP. */
@Injectable()
export class ReceiptArchive {
  private readonly logger = new Logger(ReceiptArchive.name);

  constructor(
    private readonly database: Database,
    private readonly numbers: ReceiptNumbers,
    private readonly issuers: ReceiptIssuers,
  ) {}

  /**
   * A ZIP with one PDF for each completed donation made before now, and `manifest.csv`. Read, numbered and
   * drawn batch by batch as the reader takes it; nothing but one read goes on when the reader stops.
   */
  async *zip(event: EventRecord): AsyncGenerator<Buffer, void, undefined> {
    const manifest = await ReceiptManifest.create();
    try {
      yield* zipOf(this.entries(event, manifest));
    } finally {
      await manifest.remove();
    }
  }

  private async *entries(
    event: EventRecord,
    manifest: ReceiptManifest,
  ): AsyncGenerator<ZipEntry, void, undefined> {
    const issuer = await this.issuers.of(event.overrides);
    // An event that goes on while this runs would otherwise never end.
    const end = firstIdAt(new Date());
    for await (const batch of this.batches(event.id, end)) {
      const issued = await this.numbers.issue(batch.filter(({ year }) => year === null).map(({ id }) => id));
      for (const row of batch) {
        const receipt = earlierReceipt(row) ?? issued.get(row.id);
        // Refunded or cancelled since it was read, so that no number was given.
        if (!receipt) continue;
        const entry = await this.entry(receiptSubject(row, receipt), issuer, manifest);
        if (entry) yield entry;
        // Drawing is work of milliseconds: others get their turn in between.
        await setImmediate();
      }
      await manifest.flush();
    }
    yield await manifest.entry();
  }

  /** One receipt; undefined where it cannot be drawn, which must not cost the others theirs. */
  private async entry(
    subject: ReceiptSubject,
    issuer: ReceiptIssuer,
    manifest: ReceiptManifest,
  ): Promise<ZipEntry | undefined> {
    const name = `receipt-${subject.number}.pdf`;
    try {
      const content = await receiptPdf(receiptContent(subject, issuer));
      manifest.add(name, subject);
      return { name, date: subject.issuedAt, content };
    } catch (error) {
      this.logger.error({ msg: 'A receipt could not be drawn', donation: subject.donationId, err: error });
      manifest.addFailed(subject);
      return undefined;
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
