import { Injectable, Logger } from '@nestjs/common';
import { scopeOf, type Principal } from '../common/access/principal.js';
import { withoutWildcards } from '../common/text/text.js';
import { Database } from '../data/database.js';
import { type ListedEventDto, toEvent, toEventDetail, type ListEventsDto } from './dto/event.dto.js';
import { type EventRow, LIST_WITH_TOTALS, totalsIn } from './events.sql.js';

/** The lists of events for those who sign in, newest first. */
@Injectable()
export class EventLists {
  private readonly logger = new Logger(EventLists.name);

  constructor(private readonly database: Database) {}

  /** All events to those who reach all, to staff those they are assigned to; in any state. */
  async for(caller: Principal, { limit, after, search }: ListEventsDto): Promise<ListedEventDto[]> {
    const scope = scopeOf(caller);
    const rows = await this.database.query<EventRow>(LIST_WITH_TOTALS, [
      after ?? null,
      scope.kind === 'own-event' ? scope.staffId : null,
      search ? `%${withoutWildcards(search)}%` : null,
      limit ?? null,
    ]);
    return rows.map((row) => this.shown(row));
  }

  private shown(row: EventRow): ListedEventDto {
    try {
      return toEventDetail(row, totalsIn(row));
    } catch (error) {
      // One total that cannot be counted must not cost the others their place.
      this.logger.error({ msg: 'The total of an event cannot be shown', event: row.id, err: error });
      return toEvent(row);
    }
  }
}
