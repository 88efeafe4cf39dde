import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currencyExponent, toDecimalString } from '../common/money/money.js';
import { BOM, csvRecord } from '../documents/csv/csv-text.js';
import type { ReceiptSubject } from './receipt-content.js';
import type { ZipEntry } from './receipt-zip.js';

const NAME = 'manifest.csv';
const COLUMNS = [
  'receiptNumber',
  'file',
  'donationId',
  'donorName',
  'amount',
  'refundedAmount',
  'amountDecimal',
  'refundedAmountDecimal',
  'currency',
  'type',
  'receivedAt',
  'issuedAt',
  'copy',
];

/** Stands in the place of the file's name where there is none. */
const FAILED = 'failed';

/** The list of what is in a ZIP, kept in a temporary file while the ZIP grows so that memory does not. */
export class ReceiptManifest {
  private pending = BOM + csvRecord(COLUMNS);

  private constructor(private readonly file: FileHandle) {}

  static async create(): Promise<ReceiptManifest> {
    const folder = await mkdtemp(join(tmpdir(), 'donation-receipts-'));
    try {
      return new ReceiptManifest(await open(join(folder, NAME), 'wx+', 0o600));
    } finally {
      // It lives on without a name while it is open: whatever ends the process, no list of donors stays behind.
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** A receipt that could not be drawn: its number was given, so it is listed, without a file. */
  addFailed(subject: ReceiptSubject): void {
    this.pending += csvRecord([
      subject.number,
      FAILED,
      subject.donationId,
      subject.donorName,
      subject.amount,
      subject.refundedAmount,
      '',
      '',
      subject.currency,
      subject.type,
      subject.receivedAt.toISOString(),
      subject.issuedAt.toISOString(),
      subject.copy,
    ]);
  }

  add(file: string, subject: ReceiptSubject): void {
    const decimal = (amount: bigint) => toDecimalString(amount, currencyExponent(subject.currency));
    this.pending += csvRecord([
      subject.number,
      file,
      subject.donationId,
      subject.donorName,
      subject.amount,
      subject.refundedAmount,
      decimal(subject.amount),
      decimal(subject.refundedAmount),
      subject.currency,
      subject.type,
      subject.receivedAt.toISOString(),
      subject.issuedAt.toISOString(),
      subject.copy,
    ]);
  }

  /** Writes what was added; to be called now and then. */
  async flush(): Promise<void> {
    const text = this.pending;
    this.pending = '';
    await this.file.appendFile(text);
  }

  /** The whole list. Nothing is added after this. */
  async entry(): Promise<ZipEntry> {
    await this.flush();
    const content = this.file.createReadStream({ start: 0, autoClose: false });
    return { name: NAME, date: new Date(), content };
  }

  /** Closes the file, which is then gone. */
  async remove(): Promise<void> {
    await this.file.close();
  }
}
