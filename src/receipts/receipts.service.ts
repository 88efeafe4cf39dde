import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { ConflictError, ForbiddenError, ReceiptIncompleteError } from '../common/errors/domain-errors.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { Database } from '../data/database.js';
import { assertDonationId, maySee, noSuchDonation } from '../donations/store/donation-store.js';
import { donationOfToken } from '../donations/donors/donor-token.js';
import { PaidMethods } from '../payments/booking/paid-methods.service.js';
import type { Settings } from '../settings/settings.js';
import { SettingsService } from '../settings/settings.service.js';
import { factsOf, type PackPlan } from './pack-plan.js';
import { findingsOf } from './packs/receipt-pack.js';
import type { ReceiptIssuer } from './receipt-content.js';
import { ReceiptFiles } from './receipt-files.service.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { IN_ANOTHER, ReceiptNumbers } from './receipt-numbers.service.js';
import { earlierReceipt, type IssuedReceipt, type ReceiptRow, receiptSubject } from './receipt-row.js';
import { IN_COLLECTIVE, RECEIPT_BY_DONATION } from './receipts.sql.js';

export interface RenderedReceipt {
  /** `YYYY-NNNNNN`. */
  readonly number: string;
  readonly pdf: Buffer;
}

/**
 * The document that is asked for: the receipt of the pack; the receipt, or an acknowledgement while fields are missing; or an
 * acknowledgement, unless the receipt was already issued.
 */
export type ReceiptForm = 'receipt' | 'any' | 'acknowledgement';

export interface EmailedReceipt extends RenderedReceipt {
  readonly row: ReceiptRow;
  readonly issuer: ReceiptIssuer;
  readonly isCopy: boolean;
  /** True for a document for the tax office, false for an acknowledgement. */
  readonly isPacked: boolean;
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
   * @throws ConflictError `DONATION_NOT_COMPLETED` if the donation has no receipt and is not completed; `RECEIPT_INCOMPLETE` if
   * the tax office would not accept the receipt
   */
  async render(caller: Principal, donationId: string, form: ReceiptForm): Promise<RenderedReceipt> {
    return await this.rendered(await this.find(caller, donationId), form);
  }

  /**
   * Like `render`, for the donor of an online donation, if the event's settings allow it.
   * @throws NotFoundError `DONATION_NOT_FOUND`, ForbiddenError `RECEIPT_DOWNLOAD_OFF`, ConflictError
   * `DONATION_NOT_COMPLETED`
   */
  async renderForDonor(token: string): Promise<RenderedReceipt> {
    return await this.rendered(await this.findForDonor(token), 'any');
  }

  /**
   * Checks that `renderForDonor` can succeed, without issuing a receipt.
   * @throws like `renderForDonor`
   */
  async assertAvailableForDonor(token: string): Promise<void> {
    assertHasReceipt(await this.findForDonor(token));
  }

  /**
   * Like `render`, for the owner of the donation's e-mail address, if the event gives its receipts to donors.
   * @throws like `renderForDonor`
   */
  async renderForOwner(donationId: string): Promise<RenderedReceipt> {
    return await this.rendered(await this.findForOwner(donationId), 'any');
  }

  /**
   * Checks that `renderForOwner` can succeed, without issuing a receipt.
   * @throws like `renderForDonor`
   */
  async assertAvailableForOwner(donationId: string): Promise<void> {
    assertHasReceipt(await this.findForOwner(donationId));
  }

  /**
   * Returns the receipt for an e-mail and issues it if necessary; undefined if the donation does not exist or is not COMPLETED.
   * @param knownCopy true if an earlier attempt to send the same e-mail found a copy; null for the first attempt
   */
  async renderForEmail(donationId: string, knownCopy: boolean | null): Promise<EmailedReceipt | undefined> {
    const row = await this.byId(donationId);
    if (row?.status !== 'COMPLETED' || row.is_past_donation) return undefined;
    const receipt = await this.receiptOf(row, 'any');
    const subject = receiptSubject(row, { ...receipt, copy: knownCopy ?? receipt.copy });
    const issuer = await this.issuers.of(row.overrides);
    const pdf = await this.files.pdf(issuer, subject);
    const isPacked = subject.pack !== undefined;
    return { row, issuer, number: subject.number, pdf, isCopy: subject.copy, isPacked };
  }

  private async rendered(found: ReceiptRow, form: ReceiptForm): Promise<RenderedReceipt> {
    const receipt = await this.receiptOf(found, form);
    const subject = receiptSubject(found, receipt);
    const issuer = await this.issuers.of(found.overrides);
    return { number: subject.number, pdf: await this.files.pdf(issuer, subject) };
  }

  /**
   * Checks that `render` can succeed, without issuing a receipt.
   * @throws like `render`
   */
  async assertAvailable(caller: Principal, donationId: string, form: ReceiptForm): Promise<void> {
    const found = await this.find(caller, donationId);
    assertHasReceipt(found);
    const plan = form === 'receipt' ? await this.planFor(found) : undefined;
    if (!plan) return;
    if (await this.isInCollective(donationId)) throw inCollective();
    const findings = findingsOf(plan.pack, factsOf(plan, found, new Date()));
    if (findings.length > 0) throw new ReceiptIncompleteError(findings);
  }

  /** Returns the valid receipt of a donation, or issues one. */
  private async receiptOf(row: ReceiptRow, form: ReceiptForm): Promise<IssuedReceipt> {
    const plan = form === 'acknowledgement' ? undefined : await this.planFor(row);
    return (plan ? undefined : earlierReceipt(row)) ?? (await this.issue(row, plan, form));
  }

  /** Returns the pack that is to issue a receipt; undefined if the donation keeps the receipt that it has, or gets an acknowledgement. */
  private async planFor(row: ReceiptRow): Promise<PackPlan | undefined> {
    const isIssued = (earlierReceipt(row)?.pack ?? null) !== null;
    return row.status === 'COMPLETED' && !isIssued ? await this.issuers.planOf(row.overrides) : undefined;
  }

  private async issue(
    { id, status, is_past_donation }: ReceiptRow,
    plan: PackPlan | undefined,
    form: ReceiptForm,
  ): Promise<IssuedReceipt> {
    // There is no receipt if the donation is not completed, or was refunded or cancelled a moment ago.
    if (status !== 'COMPLETED') throw notCompleted();
    if (is_past_donation) throw isPastDonation();
    await this.methods.readBeforeReceipt(id);
    const { receipts, incomplete } = await this.numbers.issueBy(
      [id],
      plan,
      form === 'receipt' ? 'skip' : 'acknowledge',
    );
    const receipt = receipts.get(id);
    const findings = incomplete.get(id);
    if (!receipt && findings === IN_ANOTHER) throw inCollective();
    if (!receipt && findings) throw new ReceiptIncompleteError(findings);
    if (!receipt) throw notCompleted();
    return receipt;
  }

  private async find(caller: Principal, donationId: string): Promise<ReceiptRow> {
    assertDonationId(donationId);
    const found = await this.byId(donationId);
    if (!found || !maySee(caller, found)) throw noSuchDonation();
    return found;
  }

  /**
   * Returns the donation of a donor token, if the event's settings allow donors to download receipts.
   * @throws NotFoundError `DONATION_NOT_FOUND`, ForbiddenError `RECEIPT_DOWNLOAD_OFF`
   */
  async findForDonor(token: string): Promise<ReceiptRow> {
    const id = donationOfToken(this.keys, token);
    const found = id === undefined ? undefined : await this.byId(id);
    if (!found) throw noSuchDonation();
    const { donation } = await this.settings.effective(found.overrides);
    if (!donation.receiptDownload) throw downloadOff();
    return found;
  }

  private async findForOwner(donationId: string): Promise<ReceiptRow> {
    const found = await this.byId(donationId);
    if (!found) throw noSuchDonation();
    if (!givesReceipts(await this.settings.effective(found.overrides))) throw downloadOff();
    return found;
  }

  /** True if a valid collective receipt confirms the donation. */
  async isInCollective(donationId: string): Promise<boolean> {
    return (await this.database.query(IN_COLLECTIVE, [[donationId]])).length > 0;
  }

  private async byId(donationId: string): Promise<ReceiptRow | undefined> {
    return (await this.database.query<ReceiptRow>(RECEIPT_BY_DONATION, [donationId]))[0];
  }
}

/** True if an event gives its receipts to donors, by e-mail or as a download. */
export const givesReceipts = ({ donation, receipts }: Pick<Settings, 'donation' | 'receipts'>): boolean =>
  donation.receiptDownload || receipts.email;

const downloadOff = () =>
  new ForbiddenError('RECEIPT_DOWNLOAD_OFF', 'Receipts are not available for this event');

function assertHasReceipt(found: ReceiptRow): void {
  if (earlierReceipt(found)) return;
  if (found.status !== 'COMPLETED') throw notCompleted();
  if (found.is_past_donation) throw isPastDonation();
}

/** Another system of the charity has issued the receipt of a past donation. */
export const isPastDonation = () =>
  new ConflictError('PAST_DONATION', 'An imported past donation gets no receipt');

const inCollective = () =>
  new ConflictError(
    'RECEIPT_COLLECTIVE',
    'The collective receipt of the donor already confirms this donation',
  );

export const notCompleted = () =>
  new ConflictError('DONATION_NOT_COMPLETED', 'Only a completed donation has a receipt');
