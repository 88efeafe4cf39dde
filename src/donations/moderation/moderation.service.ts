import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { EditConflicts } from '../../audit/edit-conflicts.service.js';
import { type Actor, reachesEvent, scopeOf, type Principal, actorOf } from '../../common/access/principal.js';
import {
  ConflictError,
  EditConflictError,
  ForbiddenError,
  RefusedFieldsError,
} from '../../common/errors/domain-errors.js';
import { unexpectedValues } from '../../common/validation/expected.js';
import { Database, type Transaction } from '../../data/database.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { eventNotFound } from '../../events/event-record.js';
import { assertDonationId, noSuchDonation, lockDonation } from '../store/donation-store.js';
import { COUNTED } from '../lifecycle/donation-lifecycle.js';
import type { CauseKind, HistoryCause } from '../lifecycle/history-cause.js';
import { DonationChanges } from '../lifecycle/donation-changes.js';
import type { DonationRow, MessageState } from '../store/donation-columns.js';
import { COMPLETED_BY, MESSAGES } from '../store/donations.sql.js';
import {
  type DonorMessageDto,
  type ListMessagesDto,
  type ModerateDto,
  toDonorMessage,
} from '../dto/moderation.dto.js';

const DEFAULT_LIMIT = 50;

/** A part of a donation that a moderator decides on, with the cause of each decision in the history. */
interface Part {
  readonly column: 'message_state' | 'name_state' | 'tribute_state' | 'wall_state';
  readonly causes: Readonly<Partial<Record<MessageState, CauseKind>>>;
  assertPresent(donation: DonationRow): void;
}

const MESSAGE: Part = {
  column: 'message_state',
  causes: { visible: 'message_approved', hidden: 'message_hidden', held: 'message_held' },
  assertPresent: ({ message }) => {
    if (message === null) throw new ConflictError('MESSAGE_MISSING', 'This donation has no message');
  },
};
const NAME: Part = {
  column: 'name_state',
  causes: { visible: 'name_approved', hidden: 'name_hidden', held: 'name_held' },
  assertPresent: ({ donor_name, is_anonymous }) => {
    if (donor_name === null || is_anonymous)
      throw new ConflictError('NAME_MISSING', 'This donation has no name that a wall could show');
  },
};
const TRIBUTE: Part = {
  column: 'tribute_state',
  causes: { visible: 'tribute_approved', hidden: 'tribute_hidden', held: 'tribute_held' },
  assertPresent: ({ tribute }) => {
    if (tribute === null) throw new ConflictError('TRIBUTE_MISSING', 'This donation has no tribute');
  },
};
/** The card of a large record. Only a visible card is on walls and pages; the totals contain the record anyway. */
const WALL: Part = {
  column: 'wall_state',
  causes: { visible: 'record_shown' },
  assertPresent: ({ wall_state, status }) => {
    if (wall_state === null || status !== COUNTED)
      throw new ConflictError('RECORD_NOT_HELD', 'This donation does not wait for a second person');
  },
};

/**
 * Moderation of donors' messages, names and tributes, and of large records, before and after walls show them. Admins and the staff of the
 * event can moderate.
 */
@Injectable()
export class ModerationService {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly changes: DonationChanges,
    private readonly audit: Audit,
    private readonly conflicts: EditConflicts,
  ) {}

  /** Returns donations of an event whose message, name or tribute has the given state (default: held), oldest first. */
  async list(caller: Principal, query: ListMessagesDto): Promise<DonorMessageDto[]> {
    const eventId = await this.eventOf(caller, query.eventId);
    const rows = await this.database.query<DonationRow>(MESSAGES, [
      eventId,
      query.state ?? 'held',
      query.limit ?? DEFAULT_LIMIT,
    ]);
    return rows.map(toDonorMessage);
  }

  /** Approves a message for the walls. A repeat changes nothing. */
  async approve(caller: Principal, id: string): Promise<DonorMessageDto> {
    return await this.moderate(caller, id, { message: 'visible' });
  }

  /** Hides a message from the walls. A repeat changes nothing. */
  async hide(caller: Principal, id: string): Promise<DonorMessageDto> {
    return await this.moderate(caller, id, { message: 'hidden' });
  }

  /** Approves a name for the walls. A repeat changes nothing. */
  async approveName(caller: Principal, id: string): Promise<DonorMessageDto> {
    return await this.moderate(caller, id, { name: 'visible' });
  }

  /** Hides a name: walls show the donor as Anonymous. The donation keeps the name. A repeat changes nothing. */
  async hideName(caller: Principal, id: string): Promise<DonorMessageDto> {
    return await this.moderate(caller, id, { name: 'hidden' });
  }

  /**
   * Decides about the message, the name, the tribute and the card in one transaction. A repeat changes nothing.
   * @throws NotFoundError `DONATION_NOT_FOUND`; ConflictError `MESSAGE_MISSING`, `NAME_MISSING`, `TRIBUTE_MISSING`, `RECORD_NOT_HELD`;
   * ForbiddenError `SECOND_PERSON_REQUIRED`; EditConflictError if a value is not as expected
   */
  async moderate(caller: Principal, id: string, sent: ModerateDto): Promise<DonorMessageDto> {
    assertDonationId(id);
    const trail = { subjectId: id.toLowerCase(), actions: ['donation.correct', 'donation.show'] };
    return await this.conflicts.explaining(caller, [trail], () => this.decide(caller, id, sent));
  }

  private async decide(
    caller: Principal,
    id: string,
    { message, name, tribute, wall, expected = {} }: ModerateDto,
  ): Promise<DonorMessageDto> {
    if (message === undefined && name === undefined && tribute === undefined && wall === undefined)
      throw new RefusedFieldsError([
        { field: 'message', rule: 'required', message: 'message, name, tribute or wall must be sent' },
      ]);
    const actor = actorOf(caller);
    return await this.database.transaction(async (tx) => {
      let donation = await lockDonation(tx, id);
      if (!donation || !reachesEvent(caller, donation.event_id)) throw noSuchDonation();
      const { message: text, donorName, tribute: shown } = toDonorMessage(donation);
      const stored = {
        message: text,
        donorName,
        tributeName: shown?.name ?? null,
        tributeMessage: shown?.message ?? null,
        wall: donation.wall_state,
      };
      const unexpected = unexpectedValues(expected, {}, stored);
      if (unexpected.length > 0) throw new EditConflictError(unexpected);
      const decisions = [
        [MESSAGE, message],
        [NAME, name],
        [TRIBUTE, tribute],
        [WALL, wall],
      ] as const;
      if (wall !== undefined && donation.wall_state === 'held') await assertSecondPerson(tx, donation, actor);
      for (const [part, state] of decisions) {
        if (state === undefined) continue;
        part.assertPresent(donation);
        const after = this.changes.apply(tx, donation, {
          fact: { kind: 'edited' },
          columns: { [part.column]: state },
          actor,
          cause: causeOf(part, state),
        });
        if (after && part === WALL)
          await this.audit.record(actor, 'donation.show', donation.id, { fields: ['wall'] }, tx);
        donation = after ?? donation;
      }
      return toDonorMessage(donation);
    });
  }

  private async eventOf(caller: Principal, asked: string | null | undefined): Promise<string> {
    if (!asked) {
      const scope = scopeOf(caller);
      if (scope.kind === 'own-event') return scope.eventId;
      throw new RefusedFieldsError([
        { field: 'eventId', rule: 'pattern', message: 'eventId must be the id or slug of an event' },
      ]);
    }
    const event = await this.events.get(asked);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    return event.id;
  }
}

const causeOf = ({ causes }: Part, state: MessageState): HistoryCause | undefined => {
  const kind = causes[state];
  return kind && { kind };
};

/**
 * Refuses the member who took the record, and the person who sent it or marked the pledge as paid.
 * @throws ForbiddenError `SECOND_PERSON_REQUIRED`
 */
async function assertSecondPerson(
  tx: Transaction,
  { id, staff_id }: DonationRow,
  actor: Actor,
): Promise<void> {
  const isRecorder =
    (actor.kind === 'staff' && actor.id === staff_id) ||
    (await tx.query(COMPLETED_BY, [id, actor.kind, actor.id])).length > 0;
  if (isRecorder)
    throw new ForbiddenError('SECOND_PERSON_REQUIRED', 'A second person must show a record that you made');
}
