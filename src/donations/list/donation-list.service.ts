import { Injectable } from '@nestjs/common';
import { reachesEvent, scopeOf, type Principal } from '../../common/access/principal.js';
import { InvalidInputError } from '../../common/errors/domain-errors.js';
import { Semaphore } from '../../common/concurrency/concurrency.js';
import { parseInstant } from '../../common/validation/field.decorators.js';
import { isId } from '../../common/crypto/ids.js';
import { Database } from '../../data/database.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { eventNotFound } from '../../events/event-record.js';
import { conditionOf, type DonationCondition, type ListCondition } from './donation-condition.js';
import { claimsOn } from '../store/claims.js';
import {
  COUNT_LIMIT,
  countedListPage,
  listCount,
  listEstimate,
  type ListForm,
  listPage,
  type ListPage,
  SEARCH_COUNT_LIMIT,
} from '../store/donations.sql.js';
import { assertSeesDonors, shownTo } from '../donors/hidden-donors.js';
import { seenBy } from '../store/guest-email.js';
import type { DonationRow } from '../store/donation-columns.js';
import { type AnswerField, type DonationDto, toDonation } from '../dto/donation.dto.js';
import type {
  DonationFilterDto,
  DonationListDto,
  ListDonationsDto,
  SORTS,
} from '../dto/list-donations.dto.js';

const DEFAULT_LIMIT = 50;
/** The server reads only a few pages above this size at the same time. A thousand donations with long texts take megabytes. */
const LARGE_PAGE = 200;
const LARGE_AT_ONCE = 4;
/** Limits for requests of large pages that wait. Above these limits the response is 503 with `Retry-After`. */
const LARGE_WAITING = { length: 100, maxWaitMs: 10_000 };

type Sort = (typeof SORTS)[number];

interface Counted {
  readonly total: number;
  readonly totalIsEstimate?: true;
}

/** The rows of a page, and one extra row if another page follows. */
interface Found extends Counted {
  readonly rows: readonly DonationRow[];
}

@Injectable()
export class DonationListService {
  private readonly largePages = new Semaphore(LARGE_AT_ONCE, LARGE_WAITING);

  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
  ) {}

  /**
   * Returns one page of the donations that are visible to the caller, newest first by default. Equal values are sorted by id.
   */
  list(caller: Principal, query: ListDonationsDto): Promise<DonationListDto> {
    const isLarge = (query.limit ?? DEFAULT_LIMIT) > LARGE_PAGE;
    return isLarge ? this.largePages.run(() => this.read(caller, query)) : this.read(caller, query);
  }

  private async read(caller: Principal, query: ListDonationsDto): Promise<DonationListDto> {
    const scope = scopeOf(caller);
    if (query.search) assertSeesDonors(caller);
    const { eventId: ref, limit = DEFAULT_LIMIT, offset = 0, sort = '-createdAt', fields } = query;
    // If the list has donations, their event exists. The event is looked up only if the list is empty.
    const isTrusted = typeof ref === 'string' && isId(ref);
    const eventId = isTrusted ? ref.toLowerCase() : await this.eventId(ref);
    if (eventId !== undefined && !reachesEvent(caller, eventId)) throw eventNotFound();
    let found: Found;
    try {
      found = await this.page(conditionOf(scope, eventId, query), query);
    } catch (error) {
      // An unknown event is reported before any other error.
      if (isTrusted && error instanceof InvalidInputError) await this.events.get(ref);
      throw error;
    }
    const { rows, ...counted } = found;
    if (isTrusted && rows.length === 0) await this.events.get(ref);
    const shown = rows.slice(0, limit);
    const claims = await claimsOn(this.database, shown);
    const data = shown.map((row) =>
      chosen(shownTo(caller, toDonation(seenBy(caller, row), claims.get(row.id))), fields),
    );
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return { data, ...counted, limit, offset, nextCursor: last ? cursorOf(last, sort) : null };
  }

  /**
   * Combines the filters into a condition on `donation`, limited to the donations that are visible to the caller.
   * @throws NotFoundError if the event does not exist or is hidden from the caller
   * @throws ForbiddenError `PERSONAL_DATA_FORBIDDEN` for a search of an API key without personal data
   */
  async condition(caller: Principal, filter: DonationFilterDto): Promise<DonationCondition> {
    if (filter.search) assertSeesDonors(caller);
    const eventId = await this.eventId(filter.eventId);
    if (eventId !== undefined && !reachesEvent(caller, eventId)) throw eventNotFound();
    return conditionOf(scopeOf(caller), eventId, filter);
  }

  private async eventId(ref: string | null | undefined): Promise<string | undefined> {
    return ref ? (await this.events.get(ref)).id : undefined;
  }

  private async page({ where, values, by }: ListCondition, query: ListDonationsDto): Promise<Found> {
    const { limit = DEFAULT_LIMIT, offset = 0, sort = '-createdAt', cursor } = query;
    const form: ListForm = { where, by, sort: columnOf(sort) };
    const all = [...values];
    const page: ListPage = {
      after: cursor ? afterCursor(cursor, sort, all) : '',
      direction: sort.startsWith('-') ? 'DESC' : 'ASC',
      limit: `$${all.push(limit + 1)}`,
      offset: offset > 0 ? `$${all.push(offset)}` : undefined,
    };
    const isFirst = offset === 0 && !cursor;
    const most = query.search ? SEARCH_COUNT_LIMIT : COUNT_LIMIT;
    if (!query.search) {
      const rows = await this.database.query<DonationRow & { total: number }>(
        countedListPage(form, page),
        all,
      );
      const counted = rows[0]?.total ?? (isFirst ? 0 : await this.count(form, values, most));
      return { rows, ...(await this.told(counted, form, values, most)) };
    }
    const rows = await this.database.query<DonationRow>(listPage(form, page), all);
    // A first page that is not full contains all donations, so the total needs no query.
    if (isFirst && rows.length <= limit) return { rows, total: rows.length };
    return { rows, ...(await this.told(await this.count(form, values, most), form, values, most)) };
  }

  private async count(form: ListForm, values: unknown[], most: number): Promise<number> {
    const [row] = await this.database.query<{ total: number }>(listCount(form, most), values);
    return row?.total ?? 0;
  }

  private async told(total: number, form: ListForm, values: unknown[], most: number): Promise<Counted> {
    if (total <= most) return { total };
    const [plan] = await this.database.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      listEstimate(form),
      values,
    );
    // At least limit + 1 rows exist, even if the planner estimates fewer.
    return { total: Math.max(total, plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0), totalIsEstimate: true };
  }
}

/** Returns only the requested fields of a donation, or all fields if `fields` is undefined. */
const chosen = (donation: DonationDto, fields: readonly AnswerField[] | undefined): DonationDto =>
  fields
    ? (Object.fromEntries(fields.map((field) => [field, donation[field]])) as unknown as DonationDto)
    : donation;

const columnOf = (sort: Sort): ListForm['sort'] =>
  sort.endsWith('amount') ? 'amount' : sort.endsWith('updatedAt') ? 'updated_at' : 'id';

/** The value of a cursor before the id: text, so that nothing is rounded. */
interface SortValue {
  readonly of: (row: DonationRow) => string;
  readonly isValid: (text: string) => boolean;
}

const SORT_VALUES: Readonly<Record<ListForm['sort'], SortValue | undefined>> = {
  id: undefined,
  amount: { of: ({ amount }) => String(amount), isValid: (text) => /^\d{1,18}$/.test(text) },
  updated_at: {
    of: ({ updated_at }) => updated_at.toISOString(),
    isValid: (text) => parseInstant(text)?.toISOString() === text,
  },
};

function cursorOf(row: DonationRow, sort: Sort): string {
  const value = SORT_VALUES[columnOf(sort)];
  return Buffer.from([sort, ...(value ? [value.of(row)] : []), row.id].join('|')).toString('base64url');
}

/** Condition for the rows after a cursor; appends the cursor's values to `values`. */
function afterCursor(cursor: string, sort: Sort, values: unknown[]): string {
  const after = readCursor(cursor, sort);
  const placeholders = after.map((value) => `$${values.push(value)}`);
  const columns = after.length === 2 ? `(${columnOf(sort)}, id)` : 'id';
  return ` AND ${columns} ${sort.startsWith('-') ? '<' : '>'} (${placeholders.join(', ')})`;
}

function readCursor(cursor: string, sort: Sort): string[] {
  const [madeFor, ...values] = Buffer.from(cursor, 'base64url').toString('utf8').split('|');
  const value = SORT_VALUES[columnOf(sort)];
  const expected = value ? 2 : 1;
  const usable =
    madeFor === sort &&
    values.length === expected &&
    isId(values.at(-1) ?? '') &&
    (!value || value.isValid(values[0] ?? ''));
  if (!usable) throw new InvalidInputError('CURSOR_INVALID', 'cursor does not belong to this list and sort');
  return values;
}
