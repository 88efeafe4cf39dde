import { digestOf } from '../images/dto/image-path.js';
import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { EditConflicts } from '../audit/edit-conflicts.service.js';
import { actorOf, type Principal, reachesEvent, scopeOf } from '../common/access/principal.js';
import { isId, newId } from '../common/crypto/ids.js';
import {
  ConflictError,
  EditConflictError,
  InvalidInputError,
  NotFoundError,
} from '../common/errors/domain-errors.js';
import { unexpectedValues, type Values } from '../common/validation/expected.js';
import { Database, isUniqueViolation, type Statement, type Transaction } from '../data/database.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound, type EventRecord } from '../events/event-record.js';
import { LOCK } from '../events/events.sql.js';
import { Outbox } from '../outbox/outbox.js';
import {
  type CreateMilestone,
  type DeletedMilestone,
  isHeld,
  type MilestoneDto,
  type MilestoneList,
  type MilestoneRow,
  MOST_MILESTONES,
  toMilestone,
  type UpdateMilestone,
} from './dto/milestone.dto.js';
import {
  ANNOUNCE,
  COUNT,
  DELETE,
  HAS_IMAGE,
  INSERT,
  LOCK_MILESTONE,
  MILESTONE_BY_ID,
  MILESTONES_OF_EVENT,
  SET_DONE,
  UPDATE,
  WITHDRAW,
} from './milestones.sql.js';
import { ReachedMilestones } from './reached-milestones.service.js';

type Columns = Pick<
  MilestoneRow,
  'amount' | 'basis' | 'kind' | 'title' | 'short' | 'text' | 'image' | 'is_visible' | 'announce'
>;

/** Milestones of an event. Admins manage them; the team at the event announces them. */
@Injectable()
export class Milestones {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly reached: ReachedMilestones,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
    private readonly conflicts: EditConflicts,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND` */
  async list(caller: Principal, ref: string | null | undefined): Promise<MilestoneList> {
    const eventId = await this.eventOf(caller, ref);
    return await this.database.snapshot(async (db) => {
      const sums = await this.reached.sumsOf(db, eventId);
      const rows = await db.query<MilestoneRow>(MILESTONES_OF_EVENT, [eventId]);
      return { data: rows.map((row) => toMilestone(row, sums)) };
    });
  }

  /**
   * A milestone at or below the present sum is reached at once, without an announcement unless `announceNow` is true.
   * @throws ConflictError `TOO_MANY_MILESTONES`, `MILESTONE_AMOUNT_TAKEN`
   * @throws InvalidInputError `IMAGE_UNKNOWN`
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async create(caller: Principal, ref: string, sent: CreateMilestone): Promise<MilestoneDto> {
    const eventId = await this.eventOf(caller, ref);
    const id = newId();
    const columns: Columns = {
      amount: BigInt(sent.amount),
      basis: sent.basis ?? 'raised',
      kind: sent.kind ?? 'step',
      title: sent.title,
      short: sent.short ?? null,
      text: sent.text ?? null,
      image: digestOf(sent.image ?? null),
      is_visible: sent.isVisible ?? true,
      announce: sent.announce ?? 'by_itself',
    };
    return await this.database
      .transaction(async (tx) => {
        // The lock lets other new milestones wait, so that the event gets no more than the maximum.
        const [event] = await tx.query<EventRecord>(LOCK, [eventId]);
        if (!event) throw eventNotFound();
        const [{ count } = { count: 0 }] = await tx.query<{ count: number }>(COUNT, [eventId]);
        if (count >= MOST_MILESTONES)
          throw new ConflictError(
            'TOO_MANY_MILESTONES',
            `An event has at most ${MOST_MILESTONES} milestones`,
          );
        await refuseUnknownImage(tx, columns.image);
        await tx.query(INSERT, [id, eventId, ...valuesOf(columns)]);
        await this.reachAtOnce(tx, { id, eventId, ...columns }, sent.announceNow === true);
        const { currency } = event;
        const { amount } = sent;
        await this.audit.record(actorOf(caller), 'milestone.create', id, { eventId, amount, currency }, tx);
        return await this.changed(tx, eventId, id);
      })
      .catch(amountTaken);
  }

  /**
   * After a milestone is reached, its amount, basis and announcement stay.
   * @throws ConflictError `MILESTONE_REACHED`, `MILESTONE_AMOUNT_TAKEN`
   * @throws EditConflictError if a field does not have the expected value
   * @throws InvalidInputError `IMAGE_UNKNOWN`
   * @throws NotFoundError `MILESTONE_NOT_FOUND`
   */
  async update(caller: Principal, id: string, sent: UpdateMilestone): Promise<MilestoneDto> {
    const trail = { subjectId: id.toLowerCase(), actions: ['milestone.update'] };
    return await this.conflicts.explaining(caller, [trail], () =>
      this.database
        .transaction(async (tx) => {
          const before = await milestoneOf(tx, caller, id, LOCK_MILESTONE);
          const sums = await this.reached.sumsOf(tx, before.event_id);
          const stored: Values = Object.fromEntries(Object.entries(toMilestone(before, sums)));
          const { expected = {}, ...change } = sent;
          const unexpected = unexpectedValues(expected, { ...change }, stored);
          if (unexpected.length > 0) throw new EditConflictError(unexpected);
          const after = changedColumns(before, sent);
          const isMoved =
            after.amount !== before.amount ||
            after.basis !== before.basis ||
            after.announce !== before.announce;
          if (isMoved && before.reached_at !== null) throw alreadyReached('its amount and announcement stay');
          await refuseUnknownImage(tx, after.image);
          await tx.query(UPDATE, [before.id, ...valuesOf(after)]);
          if (isMoved)
            await this.reachAtOnce(tx, { id: before.id, eventId: before.event_id, ...after }, false);
          const fields = Object.keys(change).filter(
            (field) => change[field as keyof typeof change] !== undefined,
          );
          await this.audit.record(actorOf(caller), 'milestone.update', before.id, { fields }, tx);
          return await this.changed(tx, before.event_id, before.id);
        })
        .catch(amountTaken),
    );
  }

  /**
   * @throws ConflictError `MILESTONE_REACHED`
   * @throws NotFoundError `MILESTONE_NOT_FOUND`
   */
  async remove(caller: Principal, id: string): Promise<DeletedMilestone> {
    return await this.database.transaction(async (tx) => {
      const { id: known, event_id: eventId, reached_at } = await milestoneOf(tx, caller, id, LOCK_MILESTONE);
      if (reached_at !== null) throw alreadyReached('it stays; withdraw it if it was a mistake');
      await tx.query(DELETE, [known]);
      this.outbox.append(tx, { topic: 'milestones.changed', eventId, subjectId: eventId });
      await this.audit.record(actorOf(caller), 'milestone.delete', known, { eventId }, tx);
      return { id: known, deleted: true };
    });
  }

  /**
   * Shows a reached milestone on the walls. A repeat changes nothing.
   * @throws ConflictError `MILESTONE_NOT_REACHED`, `MILESTONE_HIDDEN`
   * @throws NotFoundError `MILESTONE_NOT_FOUND`
   */
  async announce(caller: Principal, id: string): Promise<MilestoneDto> {
    return await this.database.transaction(async (tx) => {
      const row = await milestoneOf(tx, caller, id, LOCK_MILESTONE);
      refuseUnreached(row);
      if (!row.is_visible)
        throw new ConflictError('MILESTONE_HIDDEN', 'Guests do not see this milestone; show it first');
      if (row.announced_at === null) {
        await tx.query(ANNOUNCE, [row.id]);
        this.outbox.append(tx, { topic: 'milestone.reached', eventId: row.event_id, subjectId: row.id });
        await this.audit.record(actorOf(caller), 'milestone.announce', row.id, {}, tx);
      }
      return await this.read(tx, row.event_id, row.id);
    });
  }

  /**
   * Marks what a milestone promises as done, or removes the mark. A repeat changes nothing.
   * @throws ConflictError `MILESTONE_NOT_REACHED`
   * @throws NotFoundError `MILESTONE_NOT_FOUND`
   */
  async mark(caller: Principal, id: string, isDone: boolean): Promise<MilestoneDto> {
    return await this.database.transaction(async (tx) => {
      const row = await milestoneOf(tx, caller, id, LOCK_MILESTONE);
      refuseUnreached(row);
      if ((row.done_at !== null) !== isDone) {
        const { kind, id: user } = actorOf(caller);
        await tx.query(SET_DONE, isDone ? [row.id, kind, user] : [row.id, null, null]);
        const action = isDone ? 'milestone.done' : 'milestone.undo_done';
        await this.audit.record(actorOf(caller), action, row.id, {}, tx);
      }
      return await this.read(tx, row.event_id, row.id);
    });
  }

  /**
   * Makes a milestone unreached after a mistake, such as a wrong cash record. It can then be reached again.
   * @throws ConflictError `MILESTONE_NOT_REACHED`; `MILESTONE_HELD` if the sum is still at the amount
   * @throws NotFoundError `MILESTONE_NOT_FOUND`
   */
  async withdraw(caller: Principal, id: string, reason: string): Promise<MilestoneDto> {
    return await this.database.transaction(async (tx) => {
      const row = await milestoneOf(tx, caller, id, LOCK_MILESTONE);
      refuseUnreached(row);
      if (isHeld(row, await this.reached.sumsOf(tx, row.event_id)))
        throw new ConflictError(
          'MILESTONE_HELD',
          'The sum is still at the amount; correct the mistake first',
        );
      await tx.query(WITHDRAW, [row.id, reason]);
      await this.audit.record(actorOf(caller), 'milestone.withdraw', row.id, {}, tx);
      return await this.changed(tx, row.event_id, row.id);
    });
  }

  /** Marks a new or moved milestone as reached if the sum is at its amount already. */
  private async reachAtOnce(
    tx: Transaction,
    row: Pick<MilestoneRow, 'id' | 'amount' | 'basis'> & { readonly eventId: string },
    isAnnounced: boolean,
  ): Promise<void> {
    const { id, eventId, basis } = row;
    const sums = await this.reached.sumsOf(tx, eventId);
    if (isHeld(row, sums))
      await this.reached.reachOne(tx, {
        id,
        eventId,
        basis,
        sums,
        announcing: isAnnounced ? 'now' : 'never',
      });
  }

  /**
   * Sends the new milestones to the walls. The message also lets the follower compare the milestone with donations that were
   * committed during this transaction.
   */
  private async changed(tx: Transaction, eventId: string, id: string): Promise<MilestoneDto> {
    this.outbox.append(tx, { topic: 'milestones.changed', eventId, subjectId: eventId });
    return await this.read(tx, eventId, id);
  }

  private async read(tx: Transaction, eventId: string, id: string): Promise<MilestoneDto> {
    const [row] = await tx.query<MilestoneRow>(MILESTONE_BY_ID, [id]);
    if (!row) throw milestoneMissing();
    return toMilestone(row, await this.reached.sumsOf(tx, eventId));
  }

  private async eventOf(caller: Principal, ref: string | null | undefined): Promise<string> {
    if (!ref) {
      const scope = scopeOf(caller);
      if (scope.kind === 'own-event') return scope.eventId;
      throw new InvalidInputError('EVENT_REQUIRED', 'eventId is required');
    }
    const { id } = await this.events.get(ref);
    if (!reachesEvent(caller, id)) throw eventNotFound();
    return id;
  }
}

const valuesOf = (row: Columns): unknown[] => [
  row.amount,
  row.basis,
  row.kind,
  row.title,
  row.short,
  row.text,
  row.image,
  row.is_visible,
  row.announce,
];

/** The columns after a change. An absent field does not change. */
const changedColumns = (before: Columns, sent: UpdateMilestone): Columns => ({
  amount: sent.amount === undefined ? before.amount : BigInt(sent.amount),
  basis: sent.basis ?? before.basis,
  kind: sent.kind ?? before.kind,
  title: sent.title ?? before.title,
  short: sent.short === undefined ? before.short : sent.short,
  text: sent.text === undefined ? before.text : sent.text,
  image: sent.image === undefined ? before.image : digestOf(sent.image),
  is_visible: sent.isVisible ?? before.is_visible,
  announce: sent.announce ?? before.announce,
});

async function milestoneOf(
  tx: Transaction,
  caller: Principal,
  id: string,
  statement: Statement,
): Promise<MilestoneRow> {
  const [row] = isId(id) ? await tx.query<MilestoneRow>(statement, [id]) : [];
  if (!row || !reachesEvent(caller, row.event_id)) throw milestoneMissing();
  return row;
}

async function refuseUnknownImage(tx: Transaction, digest: string | null): Promise<void> {
  if (digest !== null && (await tx.query(HAS_IMAGE, [digest])).length === 0)
    throw new InvalidInputError('IMAGE_UNKNOWN', 'image is not a picture of this service');
}

function refuseUnreached({ reached_at }: MilestoneRow): void {
  if (reached_at === null) throw new ConflictError('MILESTONE_NOT_REACHED', 'The milestone is not reached');
}

function amountTaken(error: unknown): never {
  if (isUniqueViolation(error, 'milestone_event_id_basis_amount_key'))
    throw new ConflictError('MILESTONE_AMOUNT_TAKEN', 'The event has a milestone at this amount');
  throw error;
}

const alreadyReached = (rest: string) =>
  new ConflictError('MILESTONE_REACHED', `The milestone is reached, so ${rest}`);
const milestoneMissing = () => new NotFoundError('MILESTONE_NOT_FOUND', 'There is no such milestone');
