import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currencyExponent, toDecimalString } from '../common/money/money.js';
import { BOM, csvRecord } from '../documents/csv/csv-text.js';
import { givenAt } from '../donations/recording/given-at.js';
import type { IncompleteRow } from './receipt-batch.js';
import type { ReceiptSubject } from './receipt-content.js';
import type { ZipEntry } from '../documents/zip/zip.js';

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
  'pack',
  'missing',
];

/** Replaces the file name in the list if drawing of the receipt failed. */
const FAILED = 'failed';
/** Replaces the file name of a donation whose receipt lacks fields. */
const INCOMPLETE = 'incomplete';

/** The list of files in a ZIP. While the ZIP grows, the list is in a temporary file, to save memory. */
export class ReceiptManifest {
  private pending = BOM + csvRecord(COLUMNS);

  private constructor(private readonly file: FileHandle) {}

  static async create(): Promise<ReceiptManifest> {
    const folder = await mkdtemp(join(tmpdir(), 'donation-receipts-'));
    try {
      return new ReceiptManifest(await open(join(folder, NAME), 'wx+', 0o600));
    } finally {
      // The open file no longer has a name on disk. So no list of donors remains when the process ends, even after a crash.
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Adds a receipt whose drawing failed. The list contains it without a file, because its number was issued. */
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
      subject.pack?.version ?? '',
      '',
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
      subject.pack?.version ?? '',
      '',
    ]);
  }

  /** Adds a donation whose receipt was not issued, because the tax office would not accept it. */
  addIncomplete({ row, fields }: IncompleteRow): void {
    const decimal = (amount: bigint) => toDecimalString(amount, currencyExponent(row.currency));
    this.pending += csvRecord([
      '',
      INCOMPLETE,
      row.id,
      row.donor_name,
      row.amount,
      row.refunded_amount,
      decimal(row.amount),
      decimal(row.refunded_amount),
      row.currency,
      row.type,
      givenAt(row).toISOString(),
      '',
      '',
      '',
      fields.join(' '),
    ]);
  }

  /** Writes the added records to the temporary file. Call it from time to time. */
  async flush(): Promise<void> {
    const text = this.pending;
    this.pending = '';
    await this.file.appendFile(text);
  }

  /** Returns the complete list. Add no records after this call. */
  async entry(): Promise<ZipEntry> {
    await this.flush();
    const content = this.file.createReadStream({ start: 0, autoClose: false });
    return { name: NAME, date: new Date(), content };
  }

  /** Closes the file, which also deletes it. */
  async remove(): Promise<void> {
    await this.file.close();
  }
}
