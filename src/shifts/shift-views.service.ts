import { Injectable } from '@nestjs/common';
import { reachesEvent, scopeOf, type Principal } from '../common/access/principal.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/crypto/ids.js';
import { Database, type SqlExecutor } from '../data/database.js';
import { EventLookup, eventNotFound } from '../events/event-lookup.service.js';
import type { ListShifts, ShiftDto, ShiftList, ShiftRecords, TillReport } from './dto/shift.dto.js';
import {
  SHIFT_BY_ID,
  SHIFT_SUMS,
  type ShiftRow,
  SHIFTS,
  type ShiftSumRow,
  TILL_ROWS,
  type TillRow,
  type TypeSum,
} from './shifts.sql.js';
import { toJsonAmount } from '../common/money/money.js';

const MOST_LISTED = 500;

/** What people see of shifts: staff their own, and of those nothing that says what the drawer must hold. */
@Injectable()
export class ShiftViews {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
  ) {}

  /** @throws NotFoundError `SHIFT_NOT_FOUND` */
  async get(caller: Principal, id: string): Promise<ShiftDto> {
    return await this.show(caller, await seenShift(this.database, caller, id));
  }

  async list(caller: Principal, { eventId, status }: ListShifts): Promise<ShiftList> {
    const scope = scopeOf(caller);
    const own = scope.kind === 'own-event' ? scope : undefined;
    const event = eventId ? await this.eventOf(caller, eventId) : undefined;
    const values = [event?.id ?? own?.eventId ?? null, own?.staffId ?? null, status ?? null, MOST_LISTED];
    return { data: await this.showAll(caller, await this.database.query<ShiftRow>(SHIFTS, values)) };
  }

  /** What was recorded by hand at an event, by terminal, person, kind and state, and its shifts. */
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

  async show(caller: Principal, row: ShiftRow): Promise<ShiftDto> {
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
 * A shift that the caller may see: staff their own at their event.
 * @throws NotFoundError `SHIFT_NOT_FOUND`
 */
export async function seenShift(
  db: SqlExecutor,
  caller: Principal,
  id: string,
  statement = SHIFT_BY_ID,
): Promise<ShiftRow> {
  const [row] = isId(id) ? await db.query<ShiftRow>(statement, [id]) : [];
  const scope = scopeOf(caller);
  if (
    !row ||
    (scope.kind === 'own-event' && (row.staff_id !== scope.staffId || row.event_id !== scope.eventId))
  )
    throw shiftMissing();
  return row;
}

export const shiftMissing = () => new NotFoundError('SHIFT_NOT_FOUND', 'There is no such shift');

const NONE: ShiftRecords = { count: 0, sums: [] };

function toShift(row: ShiftRow, now: readonly ShiftSumRow[], isStaff: boolean): ShiftDto {
  const isOpen = row.status === 'open';
  const sumsOf = (counted: boolean): TypeSum[] =>
    now
      .filter((sum) => sum.counted === counted)
      .map(({ type, count, amount }) => ({ type, count, amount: toJsonAmount(amount) }));
  const counted = row.counted_sums ?? [];
  const fresh = sumsOf(false);
  const cash = fresh.find(({ type }) => type === 'cash')?.amount ?? 0;
  const openExpectation = isStaff ? null : toJsonAmount(row.opening_float) + cash;
  const expected = row.expected_amount === null ? openExpectation : toJsonAmount(row.expected_amount);
  const found = row.counted_amount === null ? null : toJsonAmount(row.counted_amount);
  return {
    id: row.id,
    eventId: row.event_id,
    terminalId: row.terminal_id,
    terminalName: row.terminal_name,
    staffId: row.staff_id,
    staffName: row.staff_name,
    currency: row.currency,
    openingFloat: toJsonAmount(row.opening_float),
    status: row.status,
    openedAt: row.opened_at.toISOString(),
    countedAt: row.counted_at?.toISOString() ?? null,
    closedAt: row.closed_at?.toISOString() ?? null,
    counts: row.counts?.map(({ denomination, quantity }) => ({ denomination, quantity })) ?? null,
    bagNumber: row.bag_number,
    note: row.note,
    signedBy: row.signed_by_id === null ? null : { id: row.signed_by_id, name: row.signed_by_name ?? '' },
    records: recordsOf(isOpen ? fresh : counted, isOpen && isStaff),
    countedAmount: found,
    expectedAmount: expected,
    difference: found === null || expected === null ? null : found - expected,
    lateRecords: isOpen ? NONE : recordsOf(fresh, false),
    removedRecords: isOpen ? NONE : recordsOf(without(counted, sumsOf(true)), false),
  };
}

function recordsOf(sums: readonly TypeSum[], isBlind: boolean): ShiftRecords {
  return {
    count: sums.reduce((all, { count }) => all + count, 0),
    sums: sums.map((sum) => (isBlind && sum.type === 'cash' ? { ...sum, amount: null } : { ...sum })),
  };
}

/** What was there and is not any more. */
const without = (before: readonly TypeSum[], now: readonly TypeSum[]): TypeSum[] =>
  before
    .map(({ type, count, amount }) => {
      const left = now.find((sum) => sum.type === type);
      return { type, count: count - (left?.count ?? 0), amount: amount - (left?.amount ?? 0) };
    })
    .filter(({ count }) => count > 0);
