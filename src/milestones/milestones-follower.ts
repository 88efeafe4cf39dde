import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Transaction } from '../data/database.js';
import { type Follower, Followers } from '../outbox/followers.js';
import { ReachedMilestones } from './reached-milestones.service.js';

/** Looks for reached milestones after each batch of changes of an event. */
@Injectable()
export class MilestonesFollower implements Follower, OnModuleInit {
  readonly name = 'milestones';

  constructor(
    private readonly followers: Followers,
    private readonly reached: ReachedMilestones,
  ) {}

  onModuleInit(): void {
    this.followers.add(this);
  }

  async handle(tx: Transaction, eventId: string): Promise<void> {
    await this.reached.reach(tx, eventId);
  }
}
