import { Injectable } from '@nestjs/common';
import { Semaphore } from '../common/concurrency/concurrency.js';
import { eventNotFound } from '../events/event-lookup.service.js';
import { PublicEvents } from '../events/public-events.service.js';

/** Sockets may ask for what does not exist without end; the other connections are for those who record. */
const LOOKUPS_AT_ONCE = 2;

/** Which event a socket means: one that can be listened to, neither a draft nor an archived one. */
@Injectable()
export class EventRefs {
  private readonly turns = new Semaphore(LOOKUPS_AT_ONCE);

  constructor(private readonly events: PublicEvents) {}

  /** What `resolve` would say without asking the database; undefined where it would have to. */
  known(ref: string): string | undefined {
    return this.events.usable(ref)?.event.id;
  }

  /** @throws NotFoundError `EVENT_NOT_FOUND` */
  async resolve(ref: string): Promise<string> {
    // One that is known waits behind no question about others.
    const find = async () => await this.events.find(ref);
    const found = await (this.events.isKnown(ref) ? find() : this.turns.run(find));
    if (!found) throw eventNotFound();
    return found.value.event.id;
  }
}
