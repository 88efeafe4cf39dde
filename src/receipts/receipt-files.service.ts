import { Injectable, Logger } from '@nestjs/common';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction, ThreadStream } from '../documents/thread/thread-messages.js';
import type { ReceiptBatch } from './receipt-batch.js';
import type { ReceiptIssuer, ReceiptSubject } from './receipt-content.js';
import type { FailedReceipt, ReceiptToDraw } from './receipt-files.js';

const FILE = threadFile('receipts/receipt-files.js');
const DRAW: ThreadFunction<ReceiptToDraw, Uint8Array> = { file: FILE, name: 'drawReceipt' };
const PACK: ThreadStream<ReceiptIssuer, ReceiptBatch, FailedReceipt> = {
  file: FILE,
  name: 'packReceipts',
};

/** Creates receipt files on the export thread. */
@Injectable()
export class ReceiptFiles {
  private readonly logger = new Logger(ReceiptFiles.name);

  constructor(private readonly thread: ExportThread) {}

  async pdf(issuer: ReceiptIssuer, subject: ReceiptSubject): Promise<Buffer> {
    return await this.thread.bytes(DRAW, { issuer, subject });
  }

  /**
   * Returns a ZIP with a PDF for each donation and with `manifest.csv`. The manifest also lists receipts without a PDF because
   * of an error. A piece is valid until the caller requests the next one.
   */
  zip(
    issuer: ReceiptIssuer,
    batches: AsyncGenerator<ReceiptBatch, void, undefined>,
  ): AsyncGenerator<Buffer, void, undefined> {
    return this.thread.stream(PACK, issuer, {
      batches,
      onNote: ({ donationId, error }) =>
        this.logger.error({ msg: 'Receipt could not be drawn', donation: donationId, err: error }),
    });
  }
}
