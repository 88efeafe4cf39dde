import { Injectable } from '@nestjs/common';
import { answerCache } from '../common/answer-cache.js';
import { Semaphore } from '../common/concurrency.js';
import { EventLookup, eventNotFound } from '../events/event-lookup.service.js';
import { isPublicStatus } from '../events/event-status.js';

const BELIEVED_MS = 1_000;
/** Sockets may ask for what does not exist without end; the other connections are for those who record. */
const LOOKUPS_AT_ONCE = 2;

/**
 * Which event a socket means. What is found is remembered for a second: a whole hall asks for the same one at
 * once. What is not may be made, or opened, in the next moment.
 */
@Injectable()
export class EventRefs {
  private readonly kept = answerCache<string, string>({ max: 1_000, keptMs: BELIEVED_MS }, async (ref) => {
    const event = await this.turns.run(() => this.events.find(ref));
    return event && isPublicStatus(event.status) ? event.id : undefined;
  });
  private readonly turns = new Semaphore(LOOKUPS_AT_ONCE);

  constructor(private readonly events: EventLookup) {}

  /** What `resolve` would say without asking the database; undefined where it would have to. */
  known(ref: string): string | undefined {
    return this.kept.get(ref);
  }

  /**
   * The id of an event that can be listened to: neither a draft nor an archived one.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async resolve(ref: string): Promise<string> {
    const id = await this.kept.fetch(ref);
    if (id === undefined) throw eventNotFound();
    return id;
  }
}
