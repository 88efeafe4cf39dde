import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { timeOfId } from '../common/ids.js';
import { Database } from '../data/database.js';
import { type EventDto, toEvent } from './dto/event.dto.js';
import { toPublicEvents } from './dto/event-totals.dto.js';
import type { ListEventsDto } from './dto/list-events.dto.js';
import type { EventRecord } from './event-record.js';
import { FROM_THE_NEWEST, LIST_ALL, LIST_ASSIGNED, LIST_PUBLIC, type PublicRow } from './events.sql.js';
import { SharedQuery } from './shared-query.js';

/** The lists of events, newest first. */
@Injectable()
export class EventLists {
  private readonly active = new SharedQuery(async () =>
    JSON.stringify(toPublicEvents(await this.database.query<PublicRow>(LIST_PUBLIC))),
  );

  constructor(private readonly database: Database) {}

  /**
   * The active events with what they have raised, as the JSON of a `PublicEventDto[]`: those who share a query
   * share its text too. Never older than the call, however many call at once.
   */
  public(): Promise<string> {
    return this.active.ask();
  }

  /** To admins all events, to staff those they are assigned to, in any state. */
  async for(caller: Principal, { limit, after }: ListEventsDto): Promise<EventDto[]> {
    const from = after === undefined ? FROM_THE_NEWEST : { after, madeAt: timeOfId(after) };
    const page = [from.after, from.madeAt, limit ?? null];
    const rows =
      caller.role === 'ADMIN'
        ? await this.database.query<EventRecord>(LIST_ALL, page)
        : await this.database.query<EventRecord>(LIST_ASSIGNED, [...page, caller.id]);
    return rows.map(toEvent);
  }
}
