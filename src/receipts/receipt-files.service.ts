import { Injectable, Logger } from '@nestjs/common';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction, ThreadStream } from '../documents/thread/thread-messages.js';
import type { AnnualToDraw, CollectiveToDraw, ProofToDraw } from './pack-pdf.js';
import type { ReceiptBatch } from './receipt-batch.js';
import type { ReceiptIssuer, ReceiptSubject } from './receipt-content.js';
import type { FailedReceipt, ReceiptToDraw } from './receipt-files.js';

const FILE = threadFile('receipts/receipt-files.js');
const DRAW: ThreadFunction<ReceiptToDraw, Uint8Array> = { file: FILE, name: 'drawReceipt' };
const DRAW_PROOF: ThreadFunction<ProofToDraw, Uint8Array> = { file: FILE, name: 'drawProof' };
const DRAW_ANNUAL: ThreadFunction<AnnualToDraw, Uint8Array> = { file: FILE, name: 'drawAnnual' };
const DRAW_COLLECTIVE: ThreadFunction<CollectiveToDraw, Uint8Array> = { file: FILE, name: 'drawCollective' };
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

  async proof(proof: ProofToDraw): Promise<Buffer> {
    return await this.thread.bytes(DRAW_PROOF, proof);
  }

  async annual(document: AnnualToDraw): Promise<Buffer> {
    return await this.thread.bytes(DRAW_ANNUAL, document);
  }

  async collective(receipt: CollectiveToDraw): Promise<Buffer> {
    return await this.thread.bytes(DRAW_COLLECTIVE, receipt);
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
