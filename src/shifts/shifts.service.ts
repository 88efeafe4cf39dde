import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Audit } from '../audit/audit.js';
import { StaffSignIn } from '../auth/staff-sign-in.service.js';
import { actorOf, scopeOf, type Principal } from '../common/access/principal.js';
import {
  ConflictError,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
  UnauthorizedError,
} from '../common/errors/domain-errors.js';
import { isId, newId } from '../common/crypto/ids.js';
import { Database, isUniqueViolation } from '../data/database.js';
import { eventNotFound } from '../events/event-record.js';
import { announceToWebhooks } from '../webhooks/webhook-messages.js';
import type { CountShift, ShiftDto } from './dto/shift.dto.js';
import { seen, ShiftViews } from './shift-views.service.js';
import {
  COUNT_SHIFT,
  type CountedDenomination,
  LOCK_SHIFT,
  type LockedShift,
  OPEN_SHIFT,
  RECOUNT_SHIFT,
  RECOUNTS_OF,
  SIGN_SHIFT,
  type StoredCount,
} from './shifts.sql.js';

/** Maximum number of recounts per shift, so that answers stay small. More recounts indicate another problem. */
const MOST_RECOUNTS = 20;

/** Manages a drawer from its opening float to the second signature. The count stores the expected amount permanently. */
@Injectable()
export class Shifts {
  constructor(
    private readonly database: Database,
    private readonly views: ShiftViews,
    private readonly signIns: StaffSignIn,
    private readonly audit: Audit,
  ) {}

  /** @throws ConflictError `SHIFT_OPEN` if the caller already has an open shift on this terminal */
  async open(caller: Principal, openingFloat: number): Promise<ShiftDto> {
    const scope = ownEvent(caller);
    const id = newId();
    const values = [id, scope.eventId, scope.terminalId, scope.staffId, scope.staffName, openingFloat];
    try {
      await this.database.transaction(async (tx) => {
        const [opened] = await tx.query<{ currency: string }>(OPEN_SHIFT, values);
        if (!opened) throw eventNotFound();
        const { currency } = opened;
        await this.audit.record(actorOf(caller), 'shift.open', id, { openingFloat, currency }, tx);
      });
    } catch (error) {
      if (isUniqueViolation(error, 'shift_open_key'))
        throw new ConflictError('SHIFT_OPEN', 'Your shift on this terminal is already open');
      throw error;
    }
    return await this.views.get(caller, id);
  }

  /**
   * Returns the caller's open shift on this terminal. Without an open shift, returns the caller's last shift here that waits
   * for a signature.
   * @throws NotFoundError `NO_OPEN_SHIFT`
   */
  async current(caller: Principal): Promise<ShiftDto> {
    const shift = await this.views.current(caller, ownEvent(caller));
    if (!shift) throw new NotFoundError('NO_OPEN_SHIFT', 'You have no open shift on this terminal');
    return shift;
  }

  /**
   * Stores the count of a drawer. Staff see the expected amount only after the count. A repeated call with the same count
   * changes nothing.
   * @throws InvalidInputError `DENOMINATION_UNKNOWN`
   * @throws ConflictError `SHIFT_COUNTED` for a different count of a counted drawer
   */
  async count(caller: Principal, id: string, sent: CountShift): Promise<ShiftDto> {
    const { counts, amount, bag, note } = readCount(sent);
    await this.database.transaction(async (tx) => {
      const [locked] = isId(id) ? await tx.query<LockedShift>(LOCK_SHIFT, [id]) : [];
      const shift = seen(caller, locked);
      assertDenominations(shift.currency, counts);
      if (shift.status !== 'open') {
        if (isSameCount(shift, counts, bag, note)) return;
        throw new ConflictError('SHIFT_COUNTED', 'This drawer was already counted');
      }
      const values = [id, JSON.stringify(counts), amount, bag, note];
      const [counted] = await tx.query<{ expected_amount: bigint }>(COUNT_SHIFT, values);
      if (!counted) throw new Error('the shift changed under its lock');
      const { currency } = shift;
      const detail = { counted: Number(amount), expected: Number(counted.expected_amount), currency };
      await this.audit.record(actorOf(caller), 'shift.count', id, detail, tx);
    });
    return await this.views.get(caller, id);
  }

  /**
   * Adds a later count of a counted drawer. The first count and the expected amount do not change. A repeated call with the
   * newest recount changes nothing.
   * @throws InvalidInputError `DENOMINATION_UNKNOWN`
   * @throws ConflictError `SHIFT_NOT_COUNTED`, `SHIFT_CLOSED` after the second signature, `TOO_MANY_RECOUNTS`
   */
  async recount(caller: Principal, id: string, sent: CountShift): Promise<ShiftDto> {
    const { counts, amount, bag, note } = readCount(sent);
    await this.database.transaction(async (tx) => {
      const [locked] = isId(id) ? await tx.query<LockedShift>(LOCK_SHIFT, [id]) : [];
      const shift = seen(caller, locked);
      assertDenominations(shift.currency, counts);
      if (shift.status === 'open') throw notCounted();
      const before = await tx.query<StoredCount>(RECOUNTS_OF, [id]);
      if (before[0] && isSameCount(before[0], counts, bag, note)) return;
      if (shift.status === 'closed')
        throw new ConflictError('SHIFT_CLOSED', 'This shift is signed; its count cannot change');
      if (before.length >= MOST_RECOUNTS)
        throw new ConflictError(
          'TOO_MANY_RECOUNTS',
          `A drawer can be counted again at most ${MOST_RECOUNTS} times`,
        );
      const values = [newId(), id, JSON.stringify(counts), amount, bag, note];
      const [recounted] = await tx.query<{ expected_amount: bigint }>(RECOUNT_SHIFT, values);
      if (!recounted) throw new Error('the shift changed under its lock');
      const { currency } = shift;
      const detail = { counted: Number(amount), expected: Number(recounted.expected_amount), currency };
      await this.audit.record(actorOf(caller), 'shift.recount', id, detail, tx);
    });
    return await this.views.get(caller, id);
  }

  /**
   * Closes a counted shift with the PIN of another member. A repeated call changes nothing.
   * @throws ForbiddenError `SIGNATURE_REFUSED` for a wrong PIN or the caller's own PIN; attempts are limited like sign-ins
   * @throws ConflictError `SHIFT_NOT_COUNTED`
   */
  async sign(caller: Principal, id: string, code: string, request: Request): Promise<ShiftDto> {
    const shift = await this.views.get(caller, id);
    if (shift.status === 'closed') return shift;
    if (shift.status === 'open') throw notCounted();
    const signer = await this.signer(caller, shift, code, request);
    await this.database.transaction(async (tx) => {
      const closed = await tx.query(SIGN_SHIFT, [id, signer.id, signer.name]);
      // Another member signed the same shift at the same moment.
      if (closed.length === 0) return;
      await this.audit.record(actorOf(caller), 'shift.close', id, { signedBy: signer.id }, tx);
      const { eventId, currency } = shift;
      await announceToWebhooks(tx, 'shift.closed', eventId, { id, eventId, currency, status: 'closed' });
    });
    return await this.views.get(caller, id);
  }

  private async signer(caller: Principal, shift: ShiftDto, code: string, request: Request) {
    try {
      return await this.signIns.witness(
        { caller: caller.id, eventId: shift.eventId, notBy: shift.staffId, code: code.trim() },
        request,
      );
    } catch (error) {
      // Answers 403, because a 401 would mean that the caller's own session has ended.
      if (error instanceof UnauthorizedError)
        throw new ForbiddenError('SIGNATURE_REFUSED', 'This is not the PIN of another member of this event');
      throw error;
    }
  }
}

function ownEvent(caller: Principal) {
  const scope = scopeOf(caller);
  if (scope.kind !== 'own-event') throw new ForbiddenError();
  return scope;
}

function assertDenominations(currency: string, counts: readonly CountedDenomination[]): void {
  const unknown = counts.filter(({ denomination }) => !isDenomination(currency, denomination));
  const twice = counts.some(({ denomination }, at) => counts[at + 1]?.denomination === denomination);
  if (unknown.length > 0 || twice)
    throw new InvalidInputError(
      'DENOMINATION_UNKNOWN',
      twice
        ? 'counts must name each denomination once'
        : `${unknown.map(({ denomination }) => denomination).join(', ')} is not a note or coin of ${currency}`,
    );
}

const notCounted = () => new ConflictError('SHIFT_NOT_COUNTED', 'The drawer must be counted first');

/** Returns the denominations of a count, largest first, with their sum. */
function readCount({ counts: sent, bagNumber, note }: CountShift) {
  const counts = sent
    .map(({ denomination, quantity }) => ({ denomination, quantity }))
    .sort((one, other) => other.denomination - one.denomination);
  const amount = counts.reduce((sum, one) => sum + BigInt(one.denomination) * BigInt(one.quantity), 0n);
  return { counts, amount, bag: bagNumber ?? null, note: note ?? null };
}

const isSameCount = (
  stored: StoredCount,
  counts: readonly CountedDenomination[],
  bag: string | null,
  note: string | null,
): boolean =>
  stored.bagNumber === bag &&
  stored.note === note &&
  stored.counts?.length === counts.length &&
  counts.every(
    ({ denomination, quantity }, at) =>
      stored.counts?.[at]?.denomination === denomination && stored.counts[at].quantity === quantity,
  );

/**
 * Notes and coins of the most common currencies, in minor units. For other currencies, every denomination above zero is
 * accepted, because a missing coin in a list would make a count impossible.
 */
const DENOMINATIONS: Readonly<Record<string, readonly number[]>> = {
  eur: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000],
  usd: [1, 5, 10, 25, 50, 100, 200, 500, 1000, 2000, 5000, 10_000],
  gbp: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000],
  chf: [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 100_000],
};

export function isDenomination(currency: string, amount: number): boolean {
  const known = Object.hasOwn(DENOMINATIONS, currency) ? DENOMINATIONS[currency] : undefined;
  return known?.includes(amount) ?? amount > 0;
}
