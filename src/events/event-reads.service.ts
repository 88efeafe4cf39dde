import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import type { Reading } from '../common/caching/fresh-reads.js';
import { type EventDetailDto, toEventDetail } from './dto/event.dto.js';
import { EventLookup } from './event-lookup.service.js';
import { type EventRecord, visibleTo } from './event-record.js';
import { EventTotals } from './event-totals.service.js';
import { type PublicEvent, PublicEvents } from './public-events.service.js';

/** Reads single events with the caller's access rights. Every `ref` is an id or a slug. */
@Injectable()
export class EventReads {
  constructor(
    private readonly publicEvents: PublicEvents,
    private readonly lookup: EventLookup,
    private readonly totals: EventTotals,
  ) {}

  /**
   * Returns an event with its totals.
   * @param shown called with the cached reading if the response is the public one
   * @throws NotFoundError `EVENT_NOT_FOUND`; for the public also if the event is a draft or archived
   */
  async read(
    ref: string,
    viewer: Principal | undefined,
    shown: (reading: Reading<PublicEvent>) => void,
  ): Promise<EventDetailDto> {
    if (viewer) return await this.detail(visibleTo(viewer, await this.lookup.get(ref)));
    const reading = await this.publicEvents.get(ref);
    shown(reading);
    const { event, totals } = reading.value;
    return toEventDetail(event, totals);
  }

  /**
   * Returns the event in any state.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async record(ref: string): Promise<EventRecord> {
    return await this.lookup.get(ref);
  }

  /** Adds the current totals to an event. */
  private async detail(event: EventRecord): Promise<EventDetailDto> {
    return toEventDetail(event, await this.totals.of(event.id));
  }
}
