import { Injectable } from '@nestjs/common';
import { Semaphore } from '../common/concurrency/concurrency.js';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { eventNotFound } from '../events/event-record.js';
import { PublicEvents } from '../events/public-events.service.js';

/** A request to join or leave a room. */
export interface JoinRequest {
  /** Id or slug of the event. */
  readonly event: string;
  /** Sequence of the last message that the client received; null if the client wants no missed messages. */
  readonly since: number | null;
  /** True if the response must include a snapshot. */
  readonly snapshot: boolean;
}

const MAX_REFERENCE = 100;

/**
 * Parses `"id-or-slug"` or `{ eventId, since?, snapshot? }`.
 * @throws InvalidInputError for anything else
 */
export function readJoinRequest(body: unknown): JoinRequest {
  const fields: Record<string, unknown> =
    typeof body === 'object' && body !== null ? { ...body } : { eventId: body };
  const { eventId, since, snapshot } = fields;
  if (typeof eventId !== 'string' || eventId === '' || eventId.length > MAX_REFERENCE)
    throw new InvalidInputError('VALIDATION_FAILED', 'eventId must be the id or slug of an event');
  if (since !== undefined && since !== null && !(Number.isSafeInteger(since) && Number(since) >= 0))
    throw new InvalidInputError('VALIDATION_FAILED', 'since must be the sequence of a message');
  if (snapshot !== undefined && typeof snapshot !== 'boolean')
    throw new InvalidInputError('VALIDATION_FAILED', 'snapshot must be a boolean');
  return { event: eventId, since: typeof since === 'number' ? since : null, snapshot: snapshot === true };
}

/** Maximum number of simultaneous lookups of unknown events. The other database connections are for recording. */
const LOOKUPS_AT_ONCE = 2;

/** Finds the event that a socket asks for. Draft and archived events have no room. */
@Injectable()
export class EventRefs {
  private readonly turns = new Semaphore(LOOKUPS_AT_ONCE);

  constructor(private readonly events: PublicEvents) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND` */
  async resolve(ref: string): Promise<string> {
    const find = async () => await this.events.find(ref);
    // The lookup of a known event does not wait, because it needs no query.
    const found = await (this.events.isKnown(ref) ? find() : this.turns.run(find));
    if (!found) throw eventNotFound();
    return found.value.event.id;
  }
}
