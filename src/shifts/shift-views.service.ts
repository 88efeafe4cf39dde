import { Injectable } from '@nestjs/common';
import { type OwnEvent, reachesEvent, scopeOf, type Principal } from '../common/access/principal.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/crypto/ids.js';
import { Database } from '../data/database.js';
import type { Prisma } from '../data/generated/client.js';
import { PrismaService } from '../data/prisma.service.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound } from '../events/event-record.js';
import type {
  ListShifts,
  ShiftDto,
  ShiftList,
  ShiftRecords,
  ShiftRecount,
  TillReport,
} from './dto/shift.dto.js';
import {
  type CountedDenomination,
  SHIFT_SUMS,
  type ShiftSumRow,
  TILL_ROWS,
  type TillRow,
  type TypeSum,
} from './shifts.sql.js';
import { toJsonAmount } from '../common/money/money.js';

const MOST_LISTED = 500;
const SHOWN = {
  include: {
    terminal: { select: { name: true } },
    recounts: { orderBy: [{ countedAt: 'asc' }, { id: 'asc' }] },
  },
  omit: { countedIds: true },
} as const satisfies Prisma.ShiftDefaultArgs;
const NEWEST_FIRST: Prisma.ShiftOrderByWithRelationInput[] = [{ openedAt: 'desc' }, { id: 'asc' }];

/** A shift row with the name of the terminal. Amounts are in minor units. */
type ShiftRow = Prisma.ShiftGetPayload<typeof SHOWN>;

/** Reads shifts. Staff see their own shifts. Before the count, staff do not see the expected amount. */
@Injectable()
export class ShiftViews {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaService,
    private readonly events: EventLookup,
  ) {}

  /** @throws NotFoundError `SHIFT_NOT_FOUND` */
  async get(caller: Principal, id: string): Promise<ShiftDto> {
    const row = isId(id)
      ? await (await this.prisma.client()).shift.findUnique({ where: { id }, ...SHOWN })
      : null;
    return await this.show(caller, seen(caller, row));
  }

  /**
   * Returns a member's open shift on a terminal. Without an open shift, returns the member's last shift there that waits for a
   * signature.
   */
  async current(
    caller: Principal,
    { eventId, staffId, terminalId }: OwnEvent,
  ): Promise<ShiftDto | undefined> {
    const { shift } = await this.prisma.client();
    const row = await shift.findFirst({
      where: { eventId, staffId, terminalId, status: { in: ['open', 'counted'] } },
      orderBy: [{ status: 'asc' }, { openedAt: 'desc' }],
      ...SHOWN,
    });
    return row ? await this.show(caller, row) : undefined;
  }

  async list(caller: Principal, { eventId, status }: ListShifts): Promise<ShiftList> {
    const scope = scopeOf(caller);
    const own = scope.kind === 'own-event' ? scope : undefined;
    const event = eventId ? await this.eventOf(caller, eventId) : undefined;
    const eventOf = event?.id ?? own?.eventId;
    const rows = await this.rows({
      ...(eventOf === undefined ? { event: { rehearsalOf: null } } : { eventId: eventOf }),
      staffId: own?.staffId,
      status,
    });
    return { data: await this.showAll(caller, rows) };
  }

  /** Returns the shifts and the manual records of an event, by terminal, member, kind and state. */
  async tillReport(caller: Principal, ref: string): Promise<TillReport> {
    const event = await this.eventOf(caller, ref);
    const scope = scopeOf(caller);
    const staffId = scope.kind === 'own-event' ? scope.staffId : null;
    const [rows, shifts] = await Promise.all([
      this.database.query<TillRow>(TILL_ROWS, [event.id, event.currency, staffId]),
      this.list(caller, { eventId: event.id }),
    ]);
    const isBlind = staffId !== null && shifts.data.some(({ status }) => status === 'open');
    return {
      currency: event.currency,
      rows: rows.map((row) => ({
        terminalId: row.terminal_id,
        terminalName: row.terminal_name,
        staffId: row.staff_id,
        staffName: row.staff_name,
        type: row.type,
        status: row.status,
        count: row.count,
        amount: isBlind && row.type === 'cash' ? null : toJsonAmount(row.amount),
      })),
      shifts: shifts.data,
    };
  }

  /** Returns open shifts first, and then the newest other shifts. */
  private async rows(where: Prisma.ShiftWhereInput): Promise<ShiftRow[]> {
    const { shift } = await this.prisma.client();
    const first = (status: Prisma.ShiftWhereInput['status'], take: number) =>
      shift.findMany({ where: { AND: [where, { status }] }, orderBy: NEWEST_FIRST, take, ...SHOWN });
    const open = await first('open', MOST_LISTED);
    const others = await first({ not: 'open' }, MOST_LISTED - open.length);
    // A shift that is counted between the two reads is in both results, but must be listed once.
    return [...open.filter(({ id }) => !others.some((other) => other.id === id)), ...others];
  }

  private async show(caller: Principal, row: ShiftRow): Promise<ShiftDto> {
    const [shift] = await this.showAll(caller, [row]);
    if (!shift) throw shiftMissing();
    return shift;
  }

  private async showAll(caller: Principal, rows: readonly ShiftRow[]): Promise<ShiftDto[]> {
    if (rows.length === 0) return [];
    const sums = await this.database.query<ShiftSumRow>(SHIFT_SUMS, [rows.map(({ id }) => id)]);
    const isStaff = scopeOf(caller).kind === 'own-event';
    return rows.map((row) =>
      toShift(
        row,
        sums.filter(({ shift_id }) => shift_id === row.id),
        isStaff,
      ),
    );
  }

  private async eventOf(caller: Principal, ref: string) {
    const event = await this.events.get(ref);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    return event;
  }
}

/**
 * Returns the shift if the caller may see it. Staff see their own shifts at their event.
 * @throws NotFoundError `SHIFT_NOT_FOUND`
 */
export function seen<Row extends { readonly eventId: string; readonly staffId: string }>(
  caller: Principal,
  row: Row | null | undefined,
): Row {
  const scope = scopeOf(caller);
  const isOthers =
    scope.kind === 'own-event' && (row?.staffId !== scope.staffId || row.eventId !== scope.eventId);
  if (!row || isOthers) throw shiftMissing();
  return row;
}

const shiftMissing = () => new NotFoundError('SHIFT_NOT_FOUND', 'There is no such shift');

const NONE: ShiftRecords = { count: 0, sums: [] };

function toShift(row: ShiftRow, now: readonly ShiftSumRow[], isStaff: boolean): ShiftDto {
  const isOpen = row.status === 'open';
  const sumsOf = (counted: boolean): TypeSum[] =>
    now
      .filter((sum) => sum.counted === counted)
      .map(({ type, count, amount }) => ({ type, count, amount: toJsonAmount(amount) }));
  const counted = (row.countedSums ?? []) as unknown as readonly TypeSum[];
  const counts = row.counts as unknown as readonly CountedDenomination[] | null;
  const fresh = sumsOf(false);
  const cash = fresh.find(({ type }) => type === 'cash')?.amount ?? 0;
  const openExpectation = isStaff ? null : toJsonAmount(row.openingFloat) + cash;
  const expected = row.expectedAmount === null ? openExpectation : toJsonAmount(row.expectedAmount);
  const found = row.countedAmount === null ? null : toJsonAmount(row.countedAmount);
  return {
    id: row.id,
    eventId: row.eventId,
    terminalId: row.terminalId,
    terminalName: row.terminal?.name ?? null,
    staffId: row.staffId,
    staffName: row.staffName,
    currency: row.currency,
    openingFloat: toJsonAmount(row.openingFloat),
    status: row.status,
    openedAt: row.openedAt.toISOString(),
    countedAt: row.countedAt?.toISOString() ?? null,
    closedAt: row.closedAt?.toISOString() ?? null,
    counts: counts?.map(({ denomination, quantity }) => ({ denomination, quantity })) ?? null,
    bagNumber: row.bagNumber,
    note: row.note,
    signedBy: row.signedById === null ? null : { id: row.signedById, name: row.signedByName ?? '' },
    records: recordsOf(isOpen ? fresh : counted, isOpen && isStaff),
    countedAmount: found,
    expectedAmount: expected,
    difference: found === null || expected === null ? null : found - expected,
    recounts: row.recounts.map((recount) => toRecount(recount, row.expectedAmount ?? 0n)),
    lateRecords: isOpen ? NONE : recordsOf(fresh, false),
    removedRecords: isOpen ? NONE : recordsOf(without(counted, sumsOf(true)), false),
  };
}

function toRecount(
  { countedAt, counts, countedAmount, bagNumber, note }: ShiftRow['recounts'][number],
  expected: bigint,
): ShiftRecount {
  return {
    countedAt: countedAt.toISOString(),
    counts: (counts as unknown as readonly CountedDenomination[]).map(({ denomination, quantity }) => ({
      denomination,
      quantity,
    })),
    countedAmount: toJsonAmount(countedAmount),
    difference: toJsonAmount(countedAmount - expected),
    bagNumber,
    note,
  };
}

function recordsOf(sums: readonly TypeSum[], isBlind: boolean): ShiftRecords {
  return {
    count: sums.reduce((all, { count }) => all + count, 0),
    sums: sums.map((sum) => (isBlind && sum.type === 'cash' ? { ...sum, amount: null } : { ...sum })),
  };
}

/** Returns the part of earlier sums that the current sums lack. */
const without = (before: readonly TypeSum[], now: readonly TypeSum[]): TypeSum[] =>
  before
    .map(({ type, count, amount }) => {
      const left = now.find((sum) => sum.type === type);
      return { type, count: count - (left?.count ?? 0), amount: amount - (left?.amount ?? 0) };
    })
    .filter(({ count }) => count > 0);
