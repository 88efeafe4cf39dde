import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Transaction } from '../data/database.js';
import { type Follower, Followers } from '../outbox/followers.js';
import type { NumberedRow } from '../outbox/outbox.sql.js';
import { FOLLOW, HAS_TEAMS, RELEASE } from './teams.sql.js';

/** Counts the donations for teams. */
@Injectable()
export class TeamFollower implements Follower, OnModuleInit {
  readonly name = 'teams';

  constructor(private readonly followers: Followers) {}

  onModuleInit(): void {
    this.followers.add(this);
  }

  async handle(tx: Transaction, eventId: string, rows: readonly NumberedRow[]): Promise<void> {
    const donations = [...new Set(rows.map(({ donation_id }) => donation_id))].filter((id) => id !== null);
    if (donations.length === 0 || (await tx.query(HAS_TEAMS, [eventId])).length === 0) return;
    const changed = await tx.query<{ team_id: string }>(FOLLOW, [donations]);
    if (changed.length > 0) tx.write(RELEASE, [[...new Set(changed.map(({ team_id }) => team_id))]]);
  }
}
