import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EventLookup, eventNotFound } from '../events/event-lookup.service.js';

const BELIEVED_MS = 1_000;

/**
 * Which event a socket means. What is found is remembered for a second: a whole hall asks for the same one at
 * once. What is not may be made, or opened, in the next moment.
 */
@Injectable()
export class EventRefs {
  private readonly known = new LRUCache<string, Promise<string | undefined>>({
    max: 1_000,
    ttl: BELIEVED_MS,
  });

  constructor(private readonly events: EventLookup) {}

  /**
   * The id of an event that can be listened to: any but a draft.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async resolve(ref: string): Promise<string> {
    let asked = this.known.get(ref);
    if (!asked) {
      asked = this.ask(ref);
      this.known.set(ref, asked);
      asked.then(
        (id) => id === undefined && this.known.delete(ref),
        () => this.known.delete(ref),
      );
    }
    const id = await asked;
    if (id === undefined) throw eventNotFound();
    return id;
  }

  private async ask(ref: string): Promise<string | undefined> {
    const event = await this.events.find(ref);
    return event && event.status !== 'draft' ? event.id : undefined;
  }
}
