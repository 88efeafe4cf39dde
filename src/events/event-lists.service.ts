import { Injectable, Logger } from '@nestjs/common';
import { scopeOf } from '../common/access/capabilities.js';
import type { Principal } from '../common/access/principal.js';
import { Database } from '../data/database.js';
import { PrismaService } from '../data/prisma.service.js';
import { type EventDto, toEvent } from './dto/event.dto.js';
import { toPublicEvents } from './dto/event-totals.dto.js';
import type { ListEventsDto } from './dto/list-events.dto.js';
import { LIST_PUBLIC, type PublicRow } from './events.sql.js';
import { SharedQuery } from './shared-query.js';

/** The lists of events, newest first. */
@Injectable()
export class EventLists {
  private readonly logger = new Logger(EventLists.name);
  private readonly active = new SharedQuery(async () =>
    JSON.stringify(
      toPublicEvents(await this.database.query<PublicRow>(LIST_PUBLIC), ({ id }, error) => {
        this.logger.error({ msg: 'An event is missing in the public list', event: id, err: error });
      }),
    ),
  );

  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaService,
  ) {}

  /**
   * The active events with what they have raised, as the JSON of a `PublicEventDto[]`: those who share a query
   * share its text too. Never older than the call, however many call at once.
   */
  public(): Promise<string> {
    return this.active.ask();
  }

  /** All events to those who reach all, to staff those they are assigned to; in any state. */
  async for(caller: Principal, { limit, after }: ListEventsDto): Promise<EventDto[]> {
    const scope = scopeOf(caller);
    const events = await this.prisma.event.findMany({
      where: {
        // Ids begin with the time they were made at, so their order is that of time.
        ...(after === undefined ? {} : { id: { lt: after } }),
        ...(scope.kind === 'own-event' ? { assignments: { some: { staffId: scope.staffId } } } : {}),
      },
      orderBy: { id: 'desc' },
      ...(limit === undefined ? {} : { take: limit }),
    });
    return events.map(toEvent);
  }
}
