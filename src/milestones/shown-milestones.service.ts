import { Injectable } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { FreshReads } from '../common/caching/fresh-reads.js';
import { Database } from '../data/database.js';
import { PublicEvents } from '../events/public-events.service.js';
import {
  type MilestoneRow,
  type PublicMilestoneDto,
  type PublicMilestoneList,
  toPublicMilestone,
} from './dto/milestone.dto.js';
import { SHOWN } from './milestones.sql.js';

/** The milestones that guests see, cached in memory like the public data of an event. */
@Injectable()
export class ShownMilestones {
  private readonly lists = new FreshReads<readonly PublicMilestoneDto[]>((eventId) => this.read(eventId), {
    max: 500,
    changes: this.changes,
    showsOlderTotals: true,
  });

  constructor(
    private readonly database: Database,
    private readonly events: PublicEvents,
    private readonly changes: CommittedChanges,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND`, also for a draft and an archived event */
  async list(ref: string): Promise<PublicMilestoneList> {
    const { value } = await this.events.get(ref);
    return { data: [...(await this.of(value.event.id))] };
  }

  /** Milestones of a public event, lowest first. */
  async of(eventId: string): Promise<readonly PublicMilestoneDto[]> {
    return (await this.lists.lastKnown(eventId))?.value ?? [];
  }

  /** Milestones of several events, by event. */
  async ofEvents(eventIds: readonly string[]): Promise<Map<string, PublicMilestoneDto[]>> {
    const lists = new Map<string, PublicMilestoneDto[]>(eventIds.map((id) => [id, []]));
    for (const row of await this.database.query<MilestoneRow>(SHOWN, [[...lists.keys()]]))
      lists.get(row.event_id)?.push(toPublicMilestone(row));
    return lists;
  }

  private async read(eventId: string) {
    return { value: (await this.ofEvents([eventId])).get(eventId) ?? [], subject: eventId };
  }
}
