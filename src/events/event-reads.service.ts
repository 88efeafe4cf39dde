import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import type { Reading } from '../common/caching/fresh-reads.js';
import { type EventDetailDto, toEventDetail } from './dto/event.dto.js';
import { EventLookup, type EventRecord } from './event-lookup.service.js';
import { EventTotals } from './event-totals.service.js';
import { visibleTo } from './event-status.js';
import { type PublicEvent, PublicEvents } from './public-events.service.js';

/** Single events as those see them who ask. Every `ref` is an id or a slug. */
@Injectable()
export class EventReads {
  constructor(
    private readonly publicEvents: PublicEvents,
    private readonly lookup: EventLookup,
    private readonly totals: EventTotals,
  ) {}

  /**
   * @param shown called with the reading that the public is answered from
   * @throws NotFoundError `EVENT_NOT_FOUND`, to the public for drafts and archived events too
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

  /** The event in any state. @throws NotFoundError `EVENT_NOT_FOUND` */
  async record(ref: string): Promise<EventRecord> {
    return await this.lookup.get(ref);
  }

  /** With what it has raised at this moment. */
  private async detail(event: EventRecord): Promise<EventDetailDto> {
    return toEventDetail(event, await this.totals.of(event.id));
  }
}
