import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Audit } from '../../audit/audit.js';
import { isId } from '../../common/crypto/ids.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { downloadHeaders } from '../../documents/http/send-download.js';
import { Database } from '../../data/database.js';
import { pledgeEmailTokenOf } from '../../donations/donors/donor-token.js';
import { givenAt } from '../../donations/recording/given-at.js';
import { donationById, noSuchDonation } from '../../donations/store/donation-store.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { isOpenPledge, PaymentLinks } from '../../pledges/payment-links.service.js';
import { IncompleteReceipts } from '../../receipts/incomplete-receipts.service.js';
import { ReceiptDownloads } from '../../receipts/receipt-downloads.service.js';
import { givesReceipts } from '../../receipts/receipts.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import { DonorStatements } from '../donor-statements.service.js';
import { type DonationAtEvent, DonorsService } from '../donors.service.js';
import { YEARS_OF_DONOR } from './own-page.sql.js';
import { DONOR, type OwnDonor } from './own-sessions.service.js';
import { statementFile, type StatementPeriod } from '../statement-period.js';

/** Gifts on the page. The annual statements contain all of them. */
const MOST_SHOWN = 1_000;
const PLEDGE_LINK_MS = 24 * 3_600_000;

export type OwnGiftState = 'received' | 'refunded' | 'waiting' | 'withdrawn' | 'cancelled';

/** A gift, as shown to its donor. Amounts in minor units. */
export interface OwnGift {
  readonly id: string;
  readonly eventName: string;
  /** When it was given; for an unpaid one, when it was created. */
  readonly at: Date;
  readonly amount: bigint;
  readonly refundedAmount: bigint;
  readonly currency: string;
  readonly state: OwnGiftState;
  readonly isAnonymous: boolean;
  readonly hasReceipt: boolean;
  /** True if the tax office does not accept the receipt, because it has no postal address. */
  readonly lacksAddress: boolean;
}

/** A pledge that is not paid yet. */
export interface OwnPledge {
  readonly id: string;
  readonly eventName: string;
  readonly at: Date;
  readonly amount: bigint;
  readonly currency: string;
  /** Path of the page to pay; undefined if the pledge cannot be paid online. */
  readonly payPath: string | undefined;
  readonly withdrawToken: string;
}

/** Everything that was given with one e-mail address. */
export interface OwnGifts {
  /** Newest first. */
  readonly gifts: readonly OwnGift[];
  /** True if older gifts are not in the list. */
  readonly hasMore: boolean;
  readonly pledges: readonly OwnPledge[];
  /** Years with an annual statement, newest first. */
  readonly years: readonly number[];
}

/** The gifts, receipts and statements of a donor, for that donor. */
@Injectable()
export class OwnGiftsService {
  constructor(
    private readonly database: Database,
    private readonly donors: DonorsService,
    private readonly statements: DonorStatements,
    private readonly receipts: ReceiptDownloads,
    private readonly incomplete: IncompleteReceipts,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly links: PaymentLinks,
    private readonly keys: KeyRing,
    private readonly audit: Audit,
  ) {}

  async of({ donorKey, key }: OwnDonor): Promise<OwnGifts> {
    const { timezone } = await this.settings.effective({});
    const [rows, withoutAddress, years] = await Promise.all([
      this.donors.donationsOf(key, MOST_SHOWN),
      this.incomplete.withoutAddressOf(donorKey),
      this.database.query<{ year: number }>(YEARS_OF_DONOR, [donorKey, timezone]),
    ]);
    const withReceipts = await this.eventsWithReceipts(rows);
    return {
      gifts: rows.flatMap((row) => giftOf(row, withReceipts, withoutAddress)),
      hasMore: rows.length === MOST_SHOWN,
      pledges: await Promise.all(rows.filter(isOpenPledge).map((row) => this.pledgeOf(row))),
      years: years.map(({ year }) => year),
    };
  }

  /**
   * Sends the receipt of a donation of this donor, and issues it if necessary.
   * @throws NotFoundError `DONATION_NOT_FOUND`, also for a donation of another donor; and as `ReceiptDownloads.ofOwner` does
   */
  async receipt({ donorKey }: OwnDonor, id: string, response: Response): Promise<void> {
    const donation = isId(id) ? await donationById(this.database, id) : undefined;
    if (!donation?.donor_key?.equals(donorKey)) throw noSuchDonation();
    if (response.req.method !== 'HEAD') await this.audit.record(DONOR, 'receipt.pdf', donation.id);
    await this.receipts.ofOwner(donation.id, response);
  }

  /**
   * Sends the statement of a period: the document for the tax office if it is complete, otherwise the list.
   * @param locale language of the statement, BCP 47
   * @throws ConflictError `STATEMENT_EMPTY` for a period without donations
   */
  async statement(
    { key }: OwnDonor,
    period: StatementPeriod,
    locale: string,
    response: Response,
  ): Promise<void> {
    const pdf = await this.statements.of(DONOR, key, period, 'any', locale);
    response.set(downloadHeaders(statementFile(period), 'application/pdf')).end(pdf);
  }

  private async eventsWithReceipts(rows: readonly DonationAtEvent[]): Promise<ReadonlySet<string>> {
    const ids = [...new Set(rows.map(({ event_id }) => event_id))];
    const offers = await Promise.all(
      ids.map(async (id) => {
        const { overrides } = await this.events.get(id);
        return givesReceipts(await this.settings.effective(overrides));
      }),
    );
    return new Set(ids.filter((_, index) => offers[index]));
  }

  private async pledgeOf(row: DonationAtEvent): Promise<OwnPledge> {
    const { id, event_id: eventId, event_name: eventName, amount, currency } = row;
    const { slug } = await this.events.get(eventId);
    const pay = (await this.links.isPayable(row)) ? new URL(this.links.linkTo(row, slug).url) : undefined;
    return {
      id,
      eventName,
      at: row.recorded_at ?? row.created_at,
      amount,
      currency,
      payPath: pay && `/donate/${slug}${pay.search}`,
      withdrawToken: pledgeEmailTokenOf(this.keys, id, new Date(Date.now() + PLEDGE_LINK_MS)),
    };
  }
}

/** Omits open pledges, pledges that another donation paid, and payments that failed or were not completed. */
function giftOf(
  row: DonationAtEvent,
  withReceipts: ReadonlySet<string>,
  withoutAddress: ReadonlySet<string>,
): OwnGift[] {
  const state = stateOf(row);
  if (state === undefined) return [];
  const canHaveReceipt = (row.status === 'COMPLETED' && !row.is_past_donation) || row.receipt_number !== null;
  return [
    {
      id: row.id,
      eventName: row.event_name,
      at: row.completed_at === null ? (row.recorded_at ?? row.created_at) : givenAt(row),
      amount: row.amount,
      refundedAmount: row.refunded_amount,
      currency: row.currency,
      state,
      isAnonymous: row.is_anonymous,
      hasReceipt: canHaveReceipt && withReceipts.has(row.event_id),
      lacksAddress: withoutAddress.has(row.id),
    },
  ];
}

function stateOf(row: DonationAtEvent): OwnGiftState | undefined {
  if (row.status === 'COMPLETED') return 'received';
  if (row.status === 'REFUNDED') return 'refunded';
  if (row.status === 'PENDING') return isOpenPledge(row) ? undefined : 'waiting';
  if (row.status === 'FAILED' || row.paid_by !== null) return undefined;
  if (row.completed_at !== null) return 'cancelled';
  return row.type === 'pledge' ? 'withdrawn' : undefined;
}
