import { actorOf, type Principal } from '../common/access/principal.js';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ConflictError, EditConflictError, InvalidInputError } from '../common/errors/domain-errors.js';
import { newId, timeOfId } from '../common/crypto/ids.js';
import { unexpectedValues, type Values } from '../common/validation/expected.js';
import { parseInstant } from '../common/validation/field.decorators.js';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { Audit } from '../audit/audit.js';
import { EditConflicts } from '../audit/edit-conflicts.service.js';
import { Database, isUniqueViolation, type Transaction } from '../data/database.js';
import { isPrismaConflict, PrismaService } from '../data/prisma.service.js';
import { SettingsService } from '../settings/settings.service.js';
import { type CreateEventDto, type EventDto, toEvent, type UpdateEventDto } from './dto/event.dto.js';
import { eventNotFound, type EventRecord } from './event-record.js';
import { EventReads } from './event-reads.service.js';
import { announceToWebhooks } from '../webhooks/webhook-messages.js';
import { canMoveEvent } from './event-status.js';
import {
  LOCK,
  MOVE_DRAFT_POOLS,
  UPDATE,
  HAS_DONATIONS,
  HAS_MATCH_POOLS,
  HAS_UNSIGNED_SHIFTS,
  LOCK_AGAINST_DONATIONS,
} from './events.sql.js';
import { PayableCurrencies } from './payable-currencies.js';

/** Creates and changes single events. Every `ref` is an id or a slug. */
@Injectable()
export class EventsService {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaService,
    private readonly reads: EventReads,
    private readonly settings: SettingsService,
    private readonly audit: Audit,
    private readonly conflicts: EditConflicts,
    private readonly changes: CommittedChanges,
    private readonly payable: PayableCurrencies,
  ) {}

  /** @throws ConflictError `EVENT_SLUG_TAKEN` */
  async create(input: CreateEventDto, actor: Principal): Promise<EventDto> {
    const currency = input.currency ?? (await this.settings.global()).payment.currency;
    const id = newId();
    const createdAt = timeOfId(id);
    const date = parseInstant(input.date ?? '') ?? createdAt;
    const { slug, name, goalAmount, status } = input;
    const description = input.description ?? '';
    const data = {
      id,
      slug,
      name,
      description,
      date,
      goalAmount,
      currency,
      status,
      createdAt,
      updatedAt: createdAt,
    };
    const created = await this.prisma
      .transaction(async (tx) => {
        const event = await tx.event.create({ data });
        await this.audit.record(actorOf(actor), 'event.create', id, { slug, currency, goalAmount }, tx);
        return toEvent(event);
      })
      .catch(slugTaken);
    this.changes.announce(id);
    return Object.assign(created, this.payable.warningOf(currency));
  }

  /**
   * Changes all given fields or, after an error, none of them.
   * @throws ConflictError `EVENT_STATUS_MOVE`, `EVENT_CURRENCY_FIXED`, `EVENT_SLUG_TAKEN`
   * @throws EditConflictError if a field does not have its expected value
   * @throws InvalidInputError `READ_ONLY_FIELD` if a read-only field has a new value
   */
  async update(ref: string, input: UpdateEventDto, actor: Principal): Promise<EventDto> {
    const { id } = await this.reads.record(ref);
    const trail = { subjectId: id, actions: ['event.update', 'event.settings'] };
    return await this.conflicts.explaining(actor, [trail], () => this.change(id, input, actor));
  }

  private async change(id: string, input: UpdateEventDto, actor: Principal): Promise<EventDto> {
    return await this.database
      .transaction(async (tx) => {
        const [before] = await tx.query<EventRecord>(LOCK, [id]);
        if (!before) throw eventNotFound();
        refuseReadOnlyChanges(before, input);
        refuseUnexpected(before, input);
        const after = changed(before, input);
        const fields = CHANGEABLE.filter((field) => !isDeepStrictEqual(before[field], after[field]));
        if (fields.length === 0) return toEvent(before);
        if (!canMoveEvent(before.status, after.status))
          throw new ConflictError(
            'EVENT_STATUS_MOVE',
            `An event cannot go from ${before.status} to ${after.status}`,
          );
        if (after.currency !== before.currency) await holdCurrency(tx, id, after.currency);
        const { slug, name, description, date, goalAmount, currency, status } = after;
        const values = [id, slug, name, description, date, goalAmount, currency, status];
        const [stored] = await tx.query<EventRecord>(UPDATE, values);
        await this.audit.record(actorOf(actor), 'event.update', id, { fields, status, slug }, tx);
        if (status !== before.status)
          await announceToWebhooks(tx, 'event.status_changed', id, {
            id,
            slug,
            status,
            before: before.status,
          });
        tx.afterCommit(() => {
          this.changes.announce(id);
        });
        const warning = after.currency === before.currency ? {} : this.payable.warningOf(after.currency);
        return Object.assign(toEvent(stored ?? after), warning);
      })
      .catch(slugTaken);
  }
}

/** Totals are in neither list, because a client cannot set them and they may have changed since the client read them. */
const READ_ONLY_FIELD = ['id', 'createdAt'] as const;
const CHANGEABLE = ['slug', 'name', 'description', 'date', 'goalAmount', 'currency', 'status'] as const;

function refuseReadOnlyChanges(event: EventRecord, input: UpdateEventDto): void {
  const present = toEvent(event);
  const refused = READ_ONLY_FIELD.filter(
    (field) => input[field] !== undefined && input[field] !== present[field],
  );
  if (refused.length > 0)
    throw new InvalidInputError(
      'READ_ONLY_FIELD',
      refused.map((field) => `${field} cannot be changed`).join('; '),
    );
}

const storedOf = (event: EventRecord): Values => Object.fromEntries(Object.entries(toEvent(event)));

/** @throws EditConflictError if the current value of a field is neither the expected value nor the new value */
function refuseUnexpected(event: EventRecord, input: UpdateEventDto): void {
  const { expected, ...change } = input;
  if (!expected) return;
  const same = (one: unknown, other: unknown, field: string) =>
    one === other ||
    (field === 'date' && typeof other === 'string' && parseInstant(other)?.toISOString() === one) ||
    (field === 'description' && one === '' && other === null);
  const unexpected = unexpectedValues({ ...expected }, { ...change }, storedOf(event), same);
  if (unexpected.length > 0) throw new EditConflictError(unexpected);
}

/** Returns the event with the changed fields. */
function changed(before: EventRecord, input: UpdateEventDto): EventRecord {
  return {
    ...before,
    slug: input.slug ?? before.slug,
    name: input.name ?? before.name,
    description: input.description === undefined ? before.description : (input.description ?? ''),
    date: parseInstant(input.date ?? '') ?? before.date,
    goalAmount: input.goalAmount === undefined ? before.goalAmount : BigInt(input.goalAmount),
    currency: input.currency ?? before.currency,
    status: input.status ?? before.status,
  };
}

function slugTaken(error: unknown): never {
  if (isUniqueViolation(error, 'event_slug_key') || isPrismaConflict(error))
    throw new ConflictError('EVENT_SLUG_TAKEN', 'Another event has this slug');
  throw error;
}

/**
 * Locks the event before a change of its currency. No donation or shift can be written until `tx` commits. The checks are
 * separate statements after the lock, so that they see all data committed before the lock.
 * @throws ConflictError `EVENT_CURRENCY_FIXED` if the event has donations, a match pool beyond its draft, or an unsigned shift;
 * the drawer of such a shift is counted only in the current currency
 */
export async function holdCurrency(tx: Transaction, eventId: string, currency: string): Promise<void> {
  await tx.query(LOCK_AGAINST_DONATIONS, [eventId]);
  const [donations] = await tx.query<{ found: boolean }>(HAS_DONATIONS, [eventId]);
  if (donations?.found) throw fixed('The currency of an event with donations cannot change');
  const [shifts] = await tx.query<{ found: boolean }>(HAS_UNSIGNED_SHIFTS, [eventId]);
  if (shifts?.found) throw fixed('The currency cannot change while a shift is open; count and sign it first');
  const [pools] = await tx.query<{ found: boolean }>(HAS_MATCH_POOLS, [eventId]);
  if (pools?.found) throw fixed('The currency of an event with a match pool cannot change');
  tx.write(MOVE_DRAFT_POOLS, [eventId, currency]);
}

const fixed = (why: string) => new ConflictError('EVENT_CURRENCY_FIXED', why);
