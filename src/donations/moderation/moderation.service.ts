import { Injectable } from '@nestjs/common';
import { reachesEvent, scopeOf, type Principal, actorOf } from '../../common/access/principal.js';
import { ConflictError, RefusedFieldsError } from '../../common/errors/domain-errors.js';
import { Database } from '../../data/database.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { eventNotFound } from '../../events/event-record.js';
import { assertDonationId, noSuchDonation, lockDonation } from '../store/donation-store.js';
import type { CauseKind } from '../lifecycle/history-cause.js';
import { DonationChanges } from '../lifecycle/donation-changes.js';
import type { DonationRow, MessageState } from '../store/donation-columns.js';
import { MESSAGES } from '../store/donations.sql.js';
import { type DonorMessageDto, type ListMessagesDto, toDonorMessage } from '../dto/moderation.dto.js';

const DEFAULT_LIMIT = 50;

/** The part of a donation that a moderator decides on. */
interface Part {
  readonly column: 'message_state' | 'name_state';
  assertPresent(donation: DonationRow): void;
}

const MESSAGE: Part = {
  column: 'message_state',
  assertPresent: ({ message }) => {
    if (message === null) throw new ConflictError('MESSAGE_MISSING', 'This donation has no message');
  },
};
const NAME: Part = {
  column: 'name_state',
  assertPresent: ({ donor_name, is_anonymous }) => {
    if (donor_name === null || is_anonymous)
      throw new ConflictError('NAME_MISSING', 'This donation has no name that a wall could show');
  },
};

/**
 * Moderation of donors' messages and names, before and after walls show them. Admins and the staff of the event can moderate.
 */
@Injectable()
export class ModerationService {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly changes: DonationChanges,
  ) {}

  /** Returns donations of an event whose message or name has the given state (default: held), oldest first. */
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
    return await this.decide(caller, id, MESSAGE, 'visible', 'message_approved');
  }

  /** Hides a message from the walls. A repeat changes nothing. */
  async hide(caller: Principal, id: string): Promise<DonorMessageDto> {
    return await this.decide(caller, id, MESSAGE, 'hidden', 'message_hidden');
  }

  /** Approves a name for the walls. A repeat changes nothing. */
  async approveName(caller: Principal, id: string): Promise<DonorMessageDto> {
    return await this.decide(caller, id, NAME, 'visible', 'name_approved');
  }

  /** Hides a name: walls show the donor as Anonymous. The donation keeps the name. A repeat changes nothing. */
  async hideName(caller: Principal, id: string): Promise<DonorMessageDto> {
    return await this.decide(caller, id, NAME, 'hidden', 'name_hidden');
  }

  private async decide(
    caller: Principal,
    id: string,
    part: Part,
    state: MessageState,
    kind: CauseKind,
  ): Promise<DonorMessageDto> {
    assertDonationId(id);
    return await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      if (!before || !reachesEvent(caller, before.event_id)) throw noSuchDonation();
      part.assertPresent(before);
      const after = this.changes.apply(tx, before, {
        fact: { kind: 'edited' },
        columns: { [part.column]: state },
        actor: actorOf(caller),
        cause: { kind },
      });
      return toDonorMessage(after ?? before);
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
