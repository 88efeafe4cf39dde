import { Injectable, Logger } from '@nestjs/common';
import { scopeOf, type Principal } from '../common/access/principal.js';
import { withoutWildcards } from '../common/text/text.js';
import { Database } from '../data/database.js';
import { type ListedEventDto, toEvent, toEventDetail, type ListEventsDto } from './dto/event.dto.js';
import { type EventRow, LIST_WITH_TOTALS, totalsIn } from './events.sql.js';

/** Lists of events for signed-in users, newest first. */
@Injectable()
export class EventLists {
  private readonly logger = new Logger(EventLists.name);

  constructor(private readonly database: Database) {}

  /** Returns all events in any state for users with access to all events. Staff get only their assigned events, keys only the events that they name. */
  async for(caller: Principal, { limit, after, search }: ListEventsDto): Promise<ListedEventDto[]> {
    const scope = scopeOf(caller);
    const rows = await this.database.query<EventRow>(LIST_WITH_TOTALS, [
      after ?? null,
      scope.kind === 'own-event' ? scope.staffId : null,
      search ? `%${withoutWildcards(search)}%` : null,
      limit ?? null,
      scope.kind === 'events-of-key' ? [...scope.eventIds] : null,
    ]);
    return rows.map((row) => this.shown(row));
  }

  private shown(row: EventRow): ListedEventDto {
    try {
      return toEventDetail(row, totalsIn(row));
    } catch (error) {
      // If the total of one event is out of range, the list still shows the other events.
      this.logger.error({ msg: 'Event total out of range', event: row.id, err: error });
      return toEvent(row);
    }
  }
}
