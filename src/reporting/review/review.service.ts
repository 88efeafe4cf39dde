import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { InvalidInputError, NotFoundError } from '../../common/errors/domain-errors.js';
import { isId } from '../../common/crypto/ids.js';
import { Database, type SqlExecutor } from '../../data/database.js';
import type { ReviewItem } from '../../data/generated/client.js';
import type { ListOpenReviewItemsDto, OpenReviewItemsDto } from './dto/open-review-items.dto.js';
import {
  type ReviewDonationDto,
  type ReviewItemDto,
  toReviewDonation,
  toReviewItem,
} from './dto/review-item.dto.js';
import { REVIEW_DONATIONS, type ReviewDonationRow } from './review-donations.sql.js';
import { PaymentProviders } from '../../payments/providers/payment-providers.js';
import { NEWEST, ONE, OPEN_COUNT, OPEN_PAGE, RESOLVE } from '../../review/review-items.sql.js';

const SHOWN = 500;
const DEFAULT_LIMIT = 50;

/** Lists and resolves review items. */
@Injectable()
export class ReviewService {
  constructor(
    private readonly database: Database,
    private readonly audit: Audit,
    private readonly providers: PaymentProviders,
  ) {}

  /** Returns the unresolved items, newest first, at most 500. */
  async open(): Promise<ReviewItemDto[]> {
    const items = await this.database.query<ReviewItem>(NEWEST, [SHOWN]);
    return await this.withDonations(items);
  }

  /**
   * Returns a page of the unresolved items, and the number of all unresolved items. Items with a deadline come first, then the
   * newest items.
   * @throws InvalidInputError `CURSOR_INVALID`
   */
  async page({ limit = DEFAULT_LIMIT, cursor }: ListOpenReviewItemsDto): Promise<OpenReviewItemsDto> {
    const after = cursor ? readCursor(cursor) : { dueBy: null, id: null };
    const [rows, counted] = await Promise.all([
      this.database.query<ReviewItem>(OPEN_PAGE, [after.dueBy, after.id, limit + 1]),
      this.database.query<{ total: number }>(OPEN_COUNT),
    ]);
    const items = rows.slice(0, limit);
    const last = rows.length > limit ? items.at(-1) : undefined;
    return {
      data: await this.withDonations(items),
      total: counted[0]?.total ?? 0,
      nextCursor: last ? cursorOf(last) : null,
    };
  }

  /** @throws NotFoundError `REVIEW_ITEM_NOT_FOUND` */
  async one(id: string): Promise<ReviewItemDto> {
    const item = await find(this.database, id);
    const [shown] = await this.withDonations([item]);
    return shown ?? toReviewItem(item);
  }

  /** Resolves an item and records the user. A repeat changes nothing. */
  async resolve(caller: Principal, id: string): Promise<ReviewItemDto> {
    return await this.database.transaction(async (tx) => {
      const found = await find(tx, id);
      const [resolved] = await tx.query<ReviewItem>(RESOLVE, [id, caller.id]);
      // No row was changed, because another user has already resolved the item.
      if (!resolved) return toReviewItem(await find(tx, id));
      const { kind, subject } = found;
      await this.audit.record(actorOf(caller), 'review.resolve', id, { kind, subject }, tx);
      return toReviewItem(resolved);
    });
  }

  private async withDonations(items: readonly ReviewItem[]): Promise<ReviewItemDto[]> {
    const ids = new Set(items.flatMap(({ donationId }) => donationId ?? []));
    const rows =
      ids.size === 0 ? [] : await this.database.query<ReviewDonationRow>(REVIEW_DONATIONS, [[...ids]]);
    const donations = new Map(rows.map((row) => [row.id, this.donationOf(row)]));
    return items.map((item) => {
      const donation = donations.get(item.donationId ?? '');
      return Object.assign(toReviewItem(item), donation && { donation });
    });
  }

  private donationOf(row: ReviewDonationRow): ReviewDonationDto {
    const { provider, payment_id: paymentId, capture_id: captureId } = row;
    const names = { paymentId, captureId };
    return toReviewDonation(
      row,
      provider === null ? undefined : this.providers.dashboardUrl(provider, names),
    );
  }
}

async function find(db: SqlExecutor, id: string): Promise<ReviewItem> {
  const [item] = isId(id) ? await db.query<ReviewItem>(ONE, [id]) : [];
  if (!item) throw noSuchItem();
  return item;
}

const noSuchItem = () => new NotFoundError('REVIEW_ITEM_NOT_FOUND', 'There is no such review item');

const cursorOf = ({ dueBy, id }: ReviewItem): string =>
  Buffer.from(`${dueBy?.toISOString() ?? ''}|${id}`).toString('base64url');

function readCursor(cursor: string): { dueBy: Date | null; id: string } {
  const [due = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString('utf8').split('|');
  const dueBy = due === '' ? null : new Date(due);
  if (!isId(id) || rest.length > 0 || (dueBy && !isSame(dueBy, due)))
    throw new InvalidInputError('CURSOR_INVALID', 'cursor does not belong to this list');
  return { dueBy, id };
}

const isSame = (time: Date, text: string): boolean =>
  !Number.isNaN(time.getTime()) && time.toISOString() === text;
