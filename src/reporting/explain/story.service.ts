import { Injectable } from '@nestjs/common';
import { idsOf, Names } from '../../audit/names.service.js';
import { Database, type SqlExecutor } from '../../data/database.js';
import type { ReviewItem } from '../../data/generated/client.js';
import { assertDonationId, noSuchDonation, donationById } from '../../donations/store/donation-store.js';
import { claimsOn } from '../../donations/store/claims.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { DonationHistoryService } from '../../donations/lifecycle/donation-history.service.js';
import { toDonation } from '../../donations/dto/donation.dto.js';
import { type ShownEmail, toEmail } from '../../mail/dto/email.dto.js';
import { PaymentProviders } from '../../payments/providers/payment-providers.js';
import { toReviewItem } from '../review/dto/review-item.dto.js';
import type { DonationStoryDto, StoryPaymentDto } from './dto/story.dto.js';
import {
  STORY_AUDIT,
  STORY_DISPUTES,
  STORY_EMAILS,
  STORY_PAYOUTS,
  STORY_RECEIPTS,
  STORY_REFUNDS,
  STORY_REVIEW_ITEMS,
  STORY_WEBHOOK_EVENTS,
} from './story.sql.js';
import { toJsonAmount } from '../../common/money/money.js';

/** Reads all stored facts about a donation. */
@Injectable()
export class StoryService {
  constructor(
    private readonly database: Database,
    private readonly histories: DonationHistoryService,
    private readonly providers: PaymentProviders,
    private readonly names: Names,
  ) {}

  /**
   * Reads all facts in one snapshot. Names of people are the current names.
   * @throws NotFoundError `DONATION_NOT_FOUND`
   */
  async of(id: string): Promise<DonationStoryDto> {
    assertDonationId(id);
    const { ids, ...story } = await this.database.snapshot(async (db) => {
      const donation = await donationById(db, id);
      if (!donation) throw noSuchDonation();
      const claims = (await claimsOn(db, [donation])).get(id);
      const history = await this.histories.list(id, db);
      const details = await detailsOf(db, donation);
      return {
        ids: [...history.map(({ actorId }) => actorId), ...details.audit.flatMap(idsOf)],
        donation: toDonation(donation, claims),
        payment: this.paymentOf(donation),
        history,
        ...details,
      };
    });
    return { ...story, names: await this.names.of(ids) };
  }

  private paymentOf(donation: DonationRow): StoryPaymentDto | null {
    const { provider, payment_id: paymentId, capture_id: captureId, fee, fee_currency } = donation;
    if (provider === null) return null;
    const dashboardUrl = this.providers.dashboardUrl(provider, { paymentId, captureId });
    return {
      provider,
      paymentId,
      captureId,
      fee: fee === null ? null : toJsonAmount(fee),
      feeCurrency: fee_currency,
      ...(dashboardUrl !== undefined && { dashboardUrl }),
    };
  }
}

/** Converts rows for JSON: amounts become numbers and times become texts. The names of the columns do not change. */
async function rowsOf(db: SqlExecutor, ...query: Parameters<SqlExecutor['query']>): Promise<never[]> {
  const rows = await db.query(...query);
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, forJson(value)])),
  ) as never[];
}

const forJson = (value: unknown): unknown =>
  typeof value === 'bigint' ? toJsonAmount(value) : value instanceof Date ? value.toISOString() : value;

type Details = Omit<DonationStoryDto, 'donation' | 'payment' | 'history' | 'names'>;

async function detailsOf(db: SqlExecutor, donation: DonationRow): Promise<Details> {
  const { id, provider, payment_id: paymentId } = donation;
  const receipts = await db.query<ReceiptRow>(STORY_RECEIPTS, [id]);
  const emails = await db.query<ShownEmail>(STORY_EMAILS, [id]);
  const reviewItems = await db.query<ReviewItem>(STORY_REVIEW_ITEMS, [id]);
  return {
    webhookEvents: await rowsOf(db, STORY_WEBHOOK_EVENTS, [id]),
    refunds: await rowsOf(db, STORY_REFUNDS, [id]),
    disputes: await rowsOf(db, STORY_DISPUTES, [id]),
    receipts: receipts.map(({ year, number, issuedAt, replaces, replacedAt }) => ({
      number: `${year}-${String(number).padStart(6, '0')}`,
      issuedAt: issuedAt.toISOString(),
      replaces,
      replacedAt: replacedAt?.toISOString() ?? null,
    })),
    emails: emails.map(toEmail),
    payouts: paymentId === null ? [] : await rowsOf(db, STORY_PAYOUTS, [provider, paymentId]),
    reviewItems: reviewItems.map(toReviewItem),
    audit: await rowsOf(db, STORY_AUDIT, [id]),
  };
}

interface ReceiptRow {
  readonly year: number;
  readonly number: number;
  readonly issuedAt: Date;
  readonly replaces: string | null;
  readonly replacedAt: Date | null;
}
