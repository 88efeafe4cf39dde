import { Injectable } from '@nestjs/common';
import { scopeOf, type Principal } from '../common/access/principal.js';
import { withoutWildcards } from '../common/text.js';
import { PrismaService } from '../data/prisma.service.js';
import { type EventDto, toEvent } from './dto/event.dto.js';
import type { ListEventsDto } from './dto/list-events.dto.js';

/** The lists of events for those who sign in, newest first. */
@Injectable()
export class EventLists {
  constructor(private readonly prisma: PrismaService) {}

  /** All events to those who reach all, to staff those they are assigned to; in any state. */
  async for(caller: Principal, { limit, after, search }: ListEventsDto): Promise<EventDto[]> {
    const scope = scopeOf(caller);
    const events = await (
      await this.prisma.client()
    ).event.findMany({
      where: {
        // Ids begin with the time they were made at, so their order is that of time.
        ...(after === undefined ? {} : { id: { lt: after } }),
        ...(scope.kind === 'own-event' ? { assignments: { some: { staffId: scope.staffId } } } : {}),
        ...(search ? { OR: [{ name: partOf(search) }, { slug: partOf(search) }] } : {}),
      },
      orderBy: { id: 'desc' },
      ...(limit === undefined ? {} : { take: limit }),
    });
    return events.map(toEvent);
  }
}

const partOf = (search: string) => ({ contains: withoutWildcards(search), mode: 'insensitive' }) as const;
