import { Injectable } from '@nestjs/common';
import { reachesEvent, scopeOf } from '../common/access/capabilities.js';
import type { Principal } from '../common/access/principal.js';
import { ConflictError, InvalidInputError } from '../common/errors/domain-errors.js';
import { Database } from '../data/database.js';
import { EventLookup, eventNotFound } from '../events/event-lookup.service.js';
import { actorOf } from '../common/access/actor.js';
import { assertDonationId, noSuchDonation } from './donation-access.js';
import { DonationChanges } from './donation-changes.js';
import type { DonationRow, MessageState } from './donation-columns.js';
import { lockDonation } from './donation-store.js';
import { MESSAGES } from './donations.sql.js';
import { type DonorMessageDto, type ListMessagesDto, toDonorMessage } from './dto/moderation.dto.js';

const DEFAULT_LIMIT = 50;

/** What donors write, before and after the room sees it. An admin decides, and the staff of the donation's event. */
@Injectable()
export class ModerationService {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly changes: DonationChanges,
  ) {}

  /** The messages of an event in one state (held, unless asked otherwise), oldest first. */
  async list(caller: Principal, query: ListMessagesDto): Promise<DonorMessageDto[]> {
    const eventId = await this.eventOf(caller, query.eventId);
    const rows = await this.database.query<DonationRow>(MESSAGES, [
      eventId,
      query.state ?? 'held',
      query.limit ?? DEFAULT_LIMIT,
    ]);
    return rows.map(toDonorMessage);
  }

  /** Lets the room see a message; a repeat changes nothing. */
  async approve(caller: Principal, id: string): Promise<DonorMessageDto> {
    return await this.decide(caller, id, 'visible', 'message approved');
  }

  /** Takes a message off the walls at once, or keeps it from them; a repeat changes nothing. */
  async hide(caller: Principal, id: string): Promise<DonorMessageDto> {
    return await this.decide(caller, id, 'hidden', 'message hidden');
  }

  private async decide(
    caller: Principal,
    id: string,
    state: MessageState,
    reason: string,
  ): Promise<DonorMessageDto> {
    assertDonationId(id);
    return await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      if (!before || !reachesEvent(caller, before.event_id)) throw noSuchDonation();
      if (before.message === null) throw new ConflictError('MESSAGE_MISSING', 'This donation has no message');
      const after = await this.changes.apply(tx, before, {
        fact: { kind: 'edited' },
        columns: { message_state: state },
        actor: actorOf(caller),
        reason,
      });
      return toDonorMessage(after ?? before);
    });
  }

  private async eventOf(caller: Principal, asked: string | null | undefined): Promise<string> {
    if (!asked) {
      const scope = scopeOf(caller);
      if (scope.kind === 'own-event') return scope.eventId;
      throw new InvalidInputError('VALIDATION_FAILED', 'eventId must be the id or slug of an event');
    }
    const event = await this.events.get(asked);
    if (!reachesEvent(caller, event.id)) throw eventNotFound();
    return event.id;
  }
}
