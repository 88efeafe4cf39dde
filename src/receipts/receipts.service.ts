import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { ConflictError, ForbiddenError } from '../common/errors/domain-errors.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { Database } from '../data/database.js';
import { assertDonationId, maySee, noSuchDonation } from '../donations/store/donation-store.js';
import { donationOfToken } from '../donations/donors/donor-token.js';
import { PaidMethods } from '../payments/booking/paid-methods.service.js';
import { SettingsService } from '../settings/settings.service.js';
import type { ReceiptIssuer } from './receipt-content.js';
import { ReceiptFiles } from './receipt-files.service.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { ReceiptNumbers } from './receipt-numbers.service.js';
import { earlierReceipt, type IssuedReceipt, type ReceiptRow, receiptSubject } from './receipt-row.js';
import { RECEIPT_BY_DONATION } from './receipts.sql.js';

export interface RenderedReceipt {
  /** `YYYY-NNNNNN`. */
  readonly number: string;
  readonly pdf: Buffer;
}

export interface EmailedReceipt extends RenderedReceipt {
  readonly row: ReceiptRow;
  readonly issuer: ReceiptIssuer;
  readonly isCopy: boolean;
}

/** Reads and issues single receipts. */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly database: Database,
    private readonly numbers: ReceiptNumbers,
    private readonly issuers: ReceiptIssuers,
    private readonly files: ReceiptFiles,
    private readonly keys: KeyRing,
    private readonly settings: SettingsService,
    private readonly methods: PaidMethods,
  ) {}

  /**
   * Returns the receipt of a donation and issues it if necessary. The request that issues the receipt gets the original. Later
   * requests get a copy. After a correction of the donor, a new original is issued.
   * @throws NotFoundError `DONATION_NOT_FOUND`; for staff also if another member recorded the donation or it belongs to another
   * event
   * @throws ConflictError `DONATION_NOT_COMPLETED` if the donation has no receipt and is not completed
   */
  async render(caller: Principal, donationId: string): Promise<RenderedReceipt> {
    return await this.rendered(await this.find(caller, donationId));
  }

  /**
   * Like `render`, for the donor of an online donation, if the event's settings allow it.
   * @throws NotFoundError `DONATION_NOT_FOUND`, ForbiddenError `RECEIPT_DOWNLOAD_OFF`, ConflictError
   * `DONATION_NOT_COMPLETED`
   */
  async renderForDonor(token: string): Promise<RenderedReceipt> {
    return await this.rendered(await this.findForDonor(token));
  }

  /**
   * Checks that `renderForDonor` can succeed, without issuing a receipt.
   * @throws like `renderForDonor`
   */
  async assertAvailableForDonor(token: string): Promise<void> {
    assertHasReceipt(await this.findForDonor(token));
  }

  /**
   * Returns the receipt for an e-mail and issues it if necessary; undefined if the donation does not exist or is not COMPLETED.
   * @param knownCopy true if an earlier attempt to send the same e-mail found a copy; null for the first attempt
   */
  async renderForEmail(donationId: string, knownCopy: boolean | null): Promise<EmailedReceipt | undefined> {
    const row = await this.byId(donationId);
    if (row?.status !== 'COMPLETED') return undefined;
    const receipt = earlierReceipt(row) ?? (await this.issue(row));
    const subject = receiptSubject(row, { ...receipt, copy: knownCopy ?? receipt.copy });
    const issuer = await this.issuers.of(row.overrides);
    const pdf = await this.files.pdf(issuer, subject);
    return { row, issuer, number: subject.number, pdf, isCopy: subject.copy };
  }

  private async rendered(found: ReceiptRow): Promise<RenderedReceipt> {
    const receipt = earlierReceipt(found) ?? (await this.issue(found));
    const subject = receiptSubject(found, receipt);
    const issuer = await this.issuers.of(found.overrides);
    return { number: subject.number, pdf: await this.files.pdf(issuer, subject) };
  }

  /**
   * Checks that `render` can succeed, without issuing a receipt.
   * @throws like `render`
   */
  async assertAvailable(caller: Principal, donationId: string): Promise<void> {
    assertHasReceipt(await this.find(caller, donationId));
  }

  private async issue({ id, status }: ReceiptRow): Promise<IssuedReceipt> {
    if (status === 'COMPLETED') await this.methods.readBeforeReceipt(id);
    const receipt = status === 'COMPLETED' ? (await this.numbers.issue([id])).get(id) : undefined;
    // There is no receipt if the donation is not completed, or was refunded or cancelled a moment ago.
    if (!receipt) throw notCompleted();
    return receipt;
  }

  private async find(caller: Principal, donationId: string): Promise<ReceiptRow> {
    assertDonationId(donationId);
    const found = await this.byId(donationId);
    if (!found || !maySee(caller, found)) throw noSuchDonation();
    return found;
  }

  private async findForDonor(token: string): Promise<ReceiptRow> {
    const id = donationOfToken(this.keys, token);
    const found = id === undefined ? undefined : await this.byId(id);
    if (!found) throw noSuchDonation();
    const { donation } = await this.settings.effective(found.overrides);
    if (!donation.receiptDownload)
      throw new ForbiddenError('RECEIPT_DOWNLOAD_OFF', 'Receipts are not available for this event');
    return found;
  }

  private async byId(donationId: string): Promise<ReceiptRow | undefined> {
    return (await this.database.query<ReceiptRow>(RECEIPT_BY_DONATION, [donationId]))[0];
  }
}

function assertHasReceipt(found: ReceiptRow): void {
  if (!earlierReceipt(found) && found.status !== 'COMPLETED') throw notCompleted();
}

export const notCompleted = () =>
  new ConflictError('DONATION_NOT_COMPLETED', 'Only a completed donation has a receipt');
