import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MicroBatcher } from '../common/concurrency/concurrency.js';
import { Database } from '../data/database.js';
import { FeedSubjects } from '../gateway/feed-subjects.js';
import { type MilestoneRow, type PublicMilestoneDto, toPublicMilestone } from './dto/milestone.dto.js';
import { ANNOUNCED } from './milestones.sql.js';
import { ShownMilestones } from './shown-milestones.service.js';
import { MOMENTS } from './wall-moments.sql.js';

interface MomentRow {
  readonly id: string;
  readonly title: string;
  readonly text: string | null;
  readonly seconds: number;
}

/** Limits of the shared read for snapshots, as of the other parts of a snapshot. */
const JOINS_AT_ONCE = { maxBatch: 5_000, maxWaiting: 50_000, restMs: 10 };

/** Messages about milestones and moments for the walls, and the milestones in the snapshot of a joining wall. */
@Injectable()
export class MilestoneMessages implements OnModuleInit {
  private readonly lists = new MicroBatcher<string, PublicMilestoneDto[]>(async (eventIds) => {
    const lists = await this.shown.ofEvents(eventIds);
    return eventIds.map((id) => lists.get(id) ?? []);
  }, JOINS_AT_ONCE);

  constructor(
    private readonly database: Database,
    private readonly subjects: FeedSubjects,
    private readonly shown: ShownMilestones,
  ) {}

  onModuleInit(): void {
    this.subjects.add({ topic: 'milestone.reached', read: (ids) => this.readAnnounced(ids) });
    this.subjects.add({ topic: 'milestones.changed', read: (eventIds) => this.readLists(eventIds) });
    this.subjects.add({ topic: 'wall.moment', read: (ids) => this.readMoments(ids) });
    this.subjects.addPart({ name: 'milestones', read: (eventId) => this.lists.add(eventId) });
  }

  private async readAnnounced(ids: readonly string[]) {
    const rows = await this.database.query<MilestoneRow>(ANNOUNCED, [ids]);
    return new Map(rows.map((row) => [row.id, toPublicMilestone(row)]));
  }

  /** All milestones of an event, because one message can then also remove a milestone. */
  private async readLists(eventIds: readonly string[]) {
    const lists = await this.shown.ofEvents(eventIds);
    return new Map([...lists].map(([eventId, milestones]) => [eventId, { milestones }]));
  }

  private async readMoments(ids: readonly string[]) {
    const rows = await this.database.query<MomentRow>(MOMENTS, [ids]);
    return new Map(
      rows.map(({ id, title, text, seconds }) => [
        id,
        { id, title, ...(text !== null && { text }), seconds },
      ]),
    );
  }
}
