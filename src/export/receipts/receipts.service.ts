import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { ConflictError } from '../../common/errors/domain-errors.js';
import { Database } from '../../data/database.js';
import { assertDonationId, maySee, noSuchDonation } from '../../donations/donation-access.js';
import { receiptContent, receiptNumber, type ReceiptSubject } from './receipt-content.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { ReceiptNumbers } from './receipt-numbers.service.js';
import { receiptPdf } from './receipt-pdf.js';
import { earlierReceipt, type IssuedReceipt, type ReceiptRow } from './receipt-row.js';
import { RECEIPT_BY_DONATION } from './receipts.sql.js';

export interface RenderedReceipt {
  /** `YYYY-NNNNNN`. */
  readonly number: string;
  readonly pdf: Buffer;
}

/** Receipts one at a time. */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly database: Database,
    private readonly numbers: ReceiptNumbers,
    private readonly issuers: ReceiptIssuers,
  ) {}

  /**
   * The receipt of a donation, issued if it was not before. The request that issues the number gets the
   * original, every later one a copy; after a correction of the donor there is a new original.
   * @throws NotFoundError `DONATION_NOT_FOUND`; for staff also for what they did not record in their event
   * @throws ConflictError `DONATION_NOT_COMPLETED` where there is none and none can be issued
   */
  async render(caller: Principal, donationId: string): Promise<RenderedReceipt> {
    const found = await this.find(caller, donationId);
    const receipt = earlierReceipt(found) ?? (await this.issue(found));
    const subject = receiptSubject(found, receipt);
    const issuer = await this.issuers.of(found.overrides);
    return { number: subject.number, pdf: await receiptPdf(receiptContent(subject, issuer)) };
  }

  /**
   * Whether `render` would answer, without issuing anything.
   * @throws as `render`
   */
  async assertAvailable(caller: Principal, donationId: string): Promise<void> {
    const found = await this.find(caller, donationId);
    if (!earlierReceipt(found) && found.status !== 'COMPLETED') throw notCompleted();
  }

  private async issue({ id, status }: ReceiptRow): Promise<IssuedReceipt> {
    const receipt = status === 'COMPLETED' ? (await this.numbers.issue([id])).get(id) : undefined;
    // Without one, the donation is not completed, or was refunded or cancelled a moment ago.
    if (!receipt) throw notCompleted();
    return receipt;
  }

  private async find(caller: Principal, donationId: string): Promise<ReceiptRow> {
    assertDonationId(donationId);
    const [found] = await this.database.query<ReceiptRow>(RECEIPT_BY_DONATION, [donationId]);
    if (!found || !maySee(caller, found)) throw noSuchDonation();
    return found;
  }
}

const notCompleted = () =>
  new ConflictError('DONATION_NOT_COMPLETED', 'Only a completed donation has a receipt');

/** What a receipt says about a donation. */
export function receiptSubject(row: ReceiptRow, receipt: IssuedReceipt): ReceiptSubject {
  return {
    donationId: row.id,
    number: receiptNumber(receipt.year, receipt.number),
    issuedAt: receipt.issued_at,
    copy: receipt.copy,
    status: row.status,
    amount: row.amount,
    refundedAmount: row.refunded_amount,
    currency: row.currency,
    type: row.type,
    replaces: receipt.replaces,
    // What it said when its number was given: one number never stands for two documents.
    donorName: receipt.printed ? receipt.printed.donorName : row.donor_name,
    message: receipt.printed ? receipt.printed.message : row.message,
    receivedAt: row.completed_at ?? row.created_at,
    eventName: row.event_name,
  };
}
