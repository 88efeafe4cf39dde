import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import { checkInCode } from '../common/text/check-in-code.js';
import { withoutWildcards } from '../common/text/text.js';
import { Database, type Statement } from '../data/database.js';
import type { Prisma } from '../data/generated/client.js';
import { PrismaService } from '../data/prisma.service.js';
import type { GuestCount, GuestList, ListGuests, TableCount } from './dto/guest-list.dto.js';
import { BOM, csvRecord } from '../documents/csv/csv-text.js';
import { type GuestDto, toGuest, WITH_HOLDER } from './dto/guest.dto.js';
import { GuestScope } from './guest-scope.service.js';
import { seesContacts } from './guests.service.js';

const DEFAULT_LIMIT = 50;
/** Columns of the file of all guests. */
const FILE_FIELDS = [
  'id',
  'name',
  'email',
  'phone',
  'table',
  'seat',
  'paddle',
  'party',
  'note',
  'isVip',
  'needsHelp',
  'checkedInAt',
  'checkedInBy',
] as const satisfies readonly (keyof GuestDto)[];
/** Heading of the column with the code for the check-in, from which a mail merge makes QR codes. The import ignores it. */
const CODE_HEADING = 'checkInCode';
/** Maximum time between the time of a change and its commit. A list can miss changes of this period. */
const COMMITS_WITHIN_MS = 10_000;
const naturally = new Intl.Collator('en', { numeric: true });

interface TableRow extends TableCount {
  readonly contested: number;
}

/** $1: event */
const BY_TABLE: Statement = {
  name: 'guests_by_table',
  text: `SELECT table_name AS "table", count(*)::int AS expected, count(checked_in_at)::int AS "checkedIn",
      count(contested_paddle)::int AS contested
    FROM guest WHERE event_id = $1 GROUP BY table_name`,
};

/** Lists and counts the guests of an event. */
@Injectable()
export class GuestLists {
  constructor(
    private readonly prisma: PrismaService,
    private readonly database: Database,
    private readonly audit: Audit,
    private readonly scope: GuestScope,
  ) {}

  /**
   * Returns one page of guests, sorted by name.
   * @throws InvalidInputError `CURSOR_INVALID`
   */
  async list(caller: Principal, ref: string, query: ListGuests): Promise<GuestList> {
    const eventId = await this.scope.event(caller, ref);
    const asOf = new Date(Date.now() - COMMITS_WITHIN_MS).toISOString();
    const { guest } = await this.prisma.client();
    const where = condition(eventId, query, seesContacts(caller));
    const { cursor, limit = DEFAULT_LIMIT } = query;
    if (cursor !== undefined && !(await guest.findFirst({ where: { id: cursor, eventId } })))
      throw new InvalidInputError('CURSOR_INVALID', 'cursor does not belong to this list');
    const [total, rows] = await Promise.all([
      guest.count({ where }),
      guest.findMany({
        where,
        include: WITH_HOLDER,
        orderBy: [{ name: 'asc' }, { id: 'asc' }],
        ...(cursor === undefined ? {} : { cursor: { id: cursor }, skip: 1 }),
        take: limit + 1,
      }),
    ]);
    const shown = rows.slice(0, limit);
    return {
      data: shown.map((row) => toGuest(row, seesContacts(caller))),
      cursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
      asOf,
      total,
    };
  }

  /** Returns all guests of an event as a CSV file. The import accepts the columns of this file. */
  async file(caller: Principal, ref: string): Promise<Buffer> {
    const guests = await this.all(caller, ref);
    const records = guests.map((one) =>
      csvRecord([...FILE_FIELDS.map((field) => one[field] ?? null), checkInCode(one.id)]),
    );
    return Buffer.from(BOM + csvRecord([...FILE_FIELDS, CODE_HEADING]) + records.join(''));
  }

  /**
   * Returns all guests of an event, by name, for a file. The audit log records the export.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async all(caller: Principal, ref: string): Promise<GuestDto[]> {
    const eventId = await this.scope.event(caller, ref);
    await this.audit.record(actorOf(caller), 'guests.export', eventId);
    const { guest } = await this.prisma.client();
    const rows = await guest.findMany({
      where: { eventId },
      include: WITH_HOLDER,
      orderBy: [{ name: 'asc' }, { id: 'asc' }],
    });
    return rows.map((row) => toGuest(row, true));
  }

  /** Counts expected and checked-in guests, in total and by table. */
  async count(caller: Principal, ref: string): Promise<GuestCount> {
    const eventId = await this.scope.event(caller, ref);
    const tables = [...(await this.database.query<TableRow>(BY_TABLE, [eventId]))].sort(byTable);
    const sum = (of: (one: TableRow) => number) => tables.reduce((total, one) => total + of(one), 0);
    return {
      expected: sum(({ expected }) => expected),
      checkedIn: sum(({ checkedIn }) => checkedIn),
      contested: sum(({ contested }) => contested),
      tables: tables.map(({ contested: _, ...table }) => table),
    };
  }
}

/** Table 2 comes before table 10; guests without a table come last. */
function byTable({ table: one }: TableCount, { table: other }: TableCount): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return naturally.compare(one, other);
}

function condition(
  eventId: string,
  { search, table, checkedIn, contested, updatedFrom }: ListGuests,
  seesContacts: boolean,
): Prisma.GuestWhereInput {
  const contains = { contains: withoutWildcards(search ?? ''), mode: 'insensitive' } as const;
  const since = updatedFrom === undefined ? undefined : parseInstant(updatedFrom);
  return {
    eventId,
    ...(table ? { table } : {}),
    ...(checkedIn === undefined ? {} : { checkedInAt: checkedIn ? { not: null } : null }),
    ...(contested === undefined ? {} : { contestedPaddle: contested ? { not: null } : null }),
    ...(since ? { updatedAt: { gte: since } } : {}),
    ...(search
      ? {
          OR: [
            { name: contains },
            { table: contains },
            { party: contains },
            { paddle: search },
            ...(seesContacts ? [{ email: contains }, { phone: contains }] : []),
          ],
        }
      : {}),
  };
}
