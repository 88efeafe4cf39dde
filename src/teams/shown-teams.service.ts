import { Injectable } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { FreshReads } from '../common/caching/fresh-reads.js';
import { Database } from '../data/database.js';
import { type ChosenTeam, teamWithSlug } from './team-choice.js';

/** The teams that donate pages name, cached in memory like the public data of an event. */
@Injectable()
export class ShownTeams {
  private readonly teams = new FreshReads<ChosenTeam>((key) => this.read(key), {
    max: 2_000,
    changes: this.changes,
    showsOlderTotals: true,
  });

  constructor(
    private readonly database: Database,
    private readonly changes: CommittedChanges,
  ) {}

  /** Returns the listed team with this address, also with an earlier address; undefined for none. For display only. */
  async find(eventId: string, slug: string): Promise<ChosenTeam | undefined> {
    return (await this.teams.lastKnown(`${eventId} ${slug}`))?.value;
  }

  private async read(key: string) {
    const [eventId = '', slug = ''] = key.split(' ');
    const team = await teamWithSlug(this.database, eventId, slug);
    return team && { value: team, subject: eventId };
  }
}
