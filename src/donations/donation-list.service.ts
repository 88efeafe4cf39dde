import { Injectable } from '@nestjs/common';
import { reachesEvent, scopeOf } from '../common/access/capabilities.js';
import type { Principal } from '../common/access/principal.js';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { firstIdAt, isId } from '../common/ids.js';
import { parseInstant } from '../common/validation/value.decorators.js';
import { Database } from '../data/database.js';
import { EventLookup, eventNotFound } from '../events/event-lookup.service.js';
import type { DonationRow } from './donation-columns.js';
import {
  cancelledAs,
  DISPUTED,
  inPayout,
  NOT_REFUNDED,
  pledgesThatAre,
  REFUNDED,
} from './donation-filters.sql.js';
import { isOnline, refundsPending } from './donation-store.js';
import {
  COUNT_LIMIT,
  listCount,
  listEstimate,
  type ListForm,
  listPage,
  SEARCH_COUNT_LIMIT,
} from './donations.sql.js';
import { columnsOf, type DonationDto, toDonation, toDonationPart } from './dto/donation.dto.js';
import type {
  DonationFilterDto,
  DonationListDto,
  ListDonationsDto,
  SORTS,
} from './dto/list-donations.dto.js';

const DEFAULT_LIMIT = 50;

type Sort = (typeof SORTS)[number];

const ID_FILTERS = [
  ['staffId', 'staff_id'],
  ['terminalId', 'terminal_id'],
  ['roundId', 'round_id'],
] as const;

/** Conditions with their values, for a WHERE clause; the texts are constants of this file. */
export interface DonationCondition {
  readonly where: string;
  readonly values: unknown[];
}

interface Counted {
  readonly total: number;
  readonly totalIsEstimate?: true;
}

@Injectable()
export class DonationListService {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
  ) {}

  /** A page of what the caller may see, newest first unless sorted otherwise; ties by id. */
  async list(caller: Principal, query: ListDonationsDto): Promise<DonationListDto> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const offset = query.offset ?? 0;
    const sort = query.sort ?? '-createdAt';
    const { fields } = query;
    const form: ListForm = { columns: fields && columnsOf(fields), isSearch: Boolean(query.search) };
    const filter = await this.condition(caller, query);
    const paging = this.page(filter, sort, limit + 1, offset, query.cursor ?? undefined, form);
    const isFirst = offset === 0 && !query.cursor;
    const [rows, counted] = form.isSearch
      ? await this.found(paging, filter, isFirst ? limit : undefined)
      : await Promise.all([paging, this.count(filter, COUNT_LIMIT, false)]);
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    const shown = rows.slice(0, limit);
    const online = !fields || fields.includes('refundPending') ? shown.filter(isOnline) : [];
    const pending = await refundsPending(
      this.database,
      online.map(({ id }) => id),
    );
    return {
      data: fields
        ? shown.map((row) => toDonationPart(row, fields, pending.get(row.id)) as DonationDto)
        : shown.map((row) => toDonation(row, pending.get(row.id))),
      ...counted,
      limit,
      offset,
      nextCursor: last ? cursorOf(last, sort) : null,
    };
  }

  /**
   * The filters as a condition on `donation`, limited to what the caller may see.
   * @throws NotFoundError for an event that does not exist for the caller.
   */
  async condition(caller: Principal, filter: DonationFilterDto): Promise<DonationCondition> {
    const where: string[] = [];
    const values: unknown[] = [];
    const add = (text: (placeholder: string) => string, value: unknown) => {
      values.push(value);
      where.push(text(`$${values.length}`));
    };
    const scope = scopeOf(caller);
    if (scope.kind === 'own-event') {
      add((p) => `event_id = ${p}`, scope.eventId);
      add((p) => `staff_id = ${p}`, scope.staffId);
    }
    if (filter.eventId) {
      const event = await this.events.get(filter.eventId);
      if (!reachesEvent(caller, event.id)) throw eventNotFound();
      if (scope.kind === 'all-events') add((p) => `event_id = ${p}`, event.id);
    }
    // One word by equality: then the index gives the order, too.
    if (filter.status)
      add((p) => oneOf('status', p, 'donation_status', filter.status), listed(filter.status));
    if (filter.type) add((p) => oneOf('type', p, 'donation_type', filter.type), listed(filter.type));
    if (filter.currency) add((p) => `currency = ${p}`, filter.currency);
    if (filter.provider) add((p) => `provider = ${p}`, filter.provider);
    if (filter.refunded !== undefined) where.push(filter.refunded ? REFUNDED : NOT_REFUNDED);
    if (filter.disputed) where.push(DISPUTED[filter.disputed]);
    if (filter.payoutId) add(inPayout, filter.payoutId);
    if (filter.cancelledAs) where.push(cancelledAs(filter.cancelledAs));
    if (filter.paddle) add((p) => `paddle = ${p}`, filter.paddle);
    if (filter.pledge) add(pledgesThatAre, listed(filter.pledge));
    for (const [field, column] of ID_FILTERS) {
      const id = filter[field];
      if (!id) continue;
      if (!isId(id)) throw new InvalidInputError('VALIDATION_FAILED', `${field} must be an id`);
      add((p) => `${column} = ${p}`, id);
    }
    // Ids begin with the time they were made at, so a range of time is a range of ids.
    if (filter.from) add((p) => `id >= ${p}`, firstIdAt(instant(filter.from)));
    if (filter.to) add((p) => `id < ${p}`, firstIdAt(instant(filter.to)));
    if (filter.search)
      add(
        (p) => `lower(coalesce(donor_name, '') || ' ' || coalesce(donor_email, '')) LIKE ${p}`,
        `%${filter.search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`,
      );
    return { where: where.length > 0 ? where.join(' AND ') : 'true', values };
  }

  private async page(
    filter: DonationCondition,
    sort: Sort,
    limit: number,
    offset: number,
    cursor: string | undefined,
    form: ListForm,
  ) {
    const values = [...filter.values];
    let { where } = filter;
    const descending = sort.startsWith('-');
    if (cursor !== undefined) {
      const after = readCursor(cursor, sort);
      const placeholders = after.map((value) => `$${values.push(value)}`);
      const columns = after.length === 2 ? '(amount, id)' : 'id';
      where += ` AND ${columns} ${descending ? '<' : '>'} (${placeholders.join(', ')})`;
    }
    const direction = descending ? 'DESC' : 'ASC';
    const order = sort.endsWith('amount') ? `amount ${direction}, id ${direction}` : `id ${direction}`;
    const statement = listPage(where, order, `$${values.push(limit)}`, `$${values.push(offset)}`, form);
    return await this.database.query<DonationRow>(statement, values);
  }

  /** A first page that has room left is all there is: nothing else is counted. */
  private async found(
    paging: Promise<DonationRow[]>,
    filter: DonationCondition,
    room: number | undefined,
  ): Promise<[DonationRow[], Counted]> {
    const rows = await paging;
    if (room !== undefined && rows.length <= room) return [rows, { total: rows.length }];
    return [rows, await this.count(filter, SEARCH_COUNT_LIMIT, true)];
  }

  private async count(
    { where, values }: DonationCondition,
    most: number,
    isSearch: boolean,
  ): Promise<Counted> {
    const [row] = await this.database.query<{ total: number }>(listCount(where, most, isSearch), values);
    const total = row?.total ?? 0;
    if (total <= most) return { total };
    const [plan] = await this.database.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      listEstimate(where),
      values,
    );
    // More than the limit are certain, whatever the planner believes.
    return { total: Math.max(total, plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0), totalIsEstimate: true };
  }
}

const oneOf = (column: string, placeholder: string, type: string, words: readonly string[] = []) =>
  words.length === 1
    ? `${column} = ${placeholder}::${type}`
    : `${column} = ANY(string_to_array(${placeholder}, ',')::${type}[])`;

/** As one text: what a condition's values are, a file's statement has as literals. */
const listed = (words: readonly string[] = []) => words.join(',');

function instant(text: string): Date {
  const time = parseInstant(text);
  if (!time) throw new InvalidInputError('VALIDATION_FAILED', 'from and to must be ISO 8601 timestamps');
  return time;
}

const cursorOf = (row: DonationRow, sort: Sort): string =>
  Buffer.from(sort.endsWith('amount') ? `${sort}|${row.amount}|${row.id}` : `${sort}|${row.id}`).toString(
    'base64url',
  );

function readCursor(cursor: string, sort: Sort): string[] {
  const [madeFor, ...values] = Buffer.from(cursor, 'base64url').toString('utf8').split('|');
  const expected = sort.endsWith('amount') ? 2 : 1;
  const usable =
    madeFor === sort &&
    values.length === expected &&
    isId(values.at(-1) ?? '') &&
    (expected === 1 || /^\d{1,18}$/.test(values[0] ?? ''));
  if (!usable) throw new InvalidInputError('CURSOR_INVALID', 'cursor does not belong to this list and sort');
  return values;
}
