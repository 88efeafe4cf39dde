import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { ConflictError } from '../../common/errors/domain-errors.js';
import { Database } from '../../data/database.js';
import { assertDonationId, maySee, noSuchDonation } from '../../donations/donation-access.js';
import { receiptContent, receiptNumber, type ReceiptSubject } from './receipt-content.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { ReceiptNumbers } from './receipt-numbers.service.js';
import { receiptPdf } from './receipt-pdf.js';
import type { IssuedReceipt, ReceiptRow } from './receipt-row.js';
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
   * original, every later one a copy.
   * @throws NotFoundError `DONATION_NOT_FOUND`; for staff also for what they did not record in their event
   * @throws ConflictError `DONATION_NOT_COMPLETED` where there is none and none can be issued
   */
  async render(caller: Principal, donationId: string): Promise<RenderedReceipt> {
    assertDonationId(donationId);
    const found = await this.find(donationId);
    if (!found || !maySee(caller, found)) throw noSuchDonation();
    if (found.year !== null) return await this.draw(found, undefined);
    if (found.status !== 'COMPLETED') throw notCompleted();
    const issued = (await this.numbers.issue([donationId])).get(donationId);
    if (issued) return await this.draw(found, issued);
    // Another request issued it meanwhile, or the donation was refunded or cancelled.
    const now = await this.find(donationId);
    if (!now || now.year === null) throw notCompleted();
    return await this.draw(now, undefined);
  }

  private async find(donationId: string): Promise<ReceiptRow | undefined> {
    return (await this.database.query<ReceiptRow>(RECEIPT_BY_DONATION, [donationId]))[0];
  }

  private async draw(row: ReceiptRow, issued: IssuedReceipt | undefined): Promise<RenderedReceipt> {
    const subject = receiptSubject(row, issued);
    const issuer = await this.issuers.of(row.overrides);
    return { number: subject.number, pdf: await receiptPdf(receiptContent(subject, issuer)) };
  }
}

const notCompleted = () =>
  new ConflictError('DONATION_NOT_COMPLETED', 'Only a completed donation has a receipt');

/** What the receipt says: the original where it was issued just now, else a copy. */
export function receiptSubject(row: ReceiptRow, issued: IssuedReceipt | undefined): ReceiptSubject {
  return {
    donationId: row.id,
    number: receiptNumber(issued?.year ?? row.year ?? 0, issued?.number ?? row.number ?? 0),
    issuedAt: issued?.issued_at ?? row.issued_at ?? row.created_at,
    copy: issued === undefined,
    status: row.status,
    amount: row.amount,
    refundedAmount: row.refunded_amount,
    currency: row.currency,
    type: row.type,
    donorName: row.donor_name,
    message: row.message,
    receivedAt: row.completed_at ?? row.created_at,
    eventName: row.event_name,
  };
}
