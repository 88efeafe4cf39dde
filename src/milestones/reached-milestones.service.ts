import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Database, type Transaction } from '../data/database.js';
import { Outbox } from '../outbox/outbox.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import { isHeld, type MilestoneRow } from './dto/milestone.dto.js';
import { EVENTS_WITH_PROMISES, REACH, SUMS, WAITING } from './milestones.sql.js';
import { type Basis, reachedBasis, type Sums } from './reached-basis.js';

/** Announcement of a reached milestone: as its rule says, in any case, or not by this change. */
export type Announcing = 'rule' | 'now' | 'never';

const PLEDGES_EVERY_MS = 2_000;

/**
 * Marks the milestones that an event has reached and announces them, each exactly once. A reached milestone stays reached when a
 * refund makes the sum smaller.
 */
@Injectable()
export class ReachedMilestones {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly relay: OutboxRelay,
  ) {}

  /** Marks all milestones that the event's sums have reached now, lowest first. */
  async reach(tx: Transaction, eventId: string): Promise<void> {
    const waiting = await tx.query<Pick<MilestoneRow, 'id' | 'amount' | 'basis'>>(WAITING, [eventId]);
    if (waiting.length === 0) return;
    const sums = await this.sumsOf(tx, eventId);
    for (const { id, basis } of waiting.filter((one) => isHeld(one, sums)))
      await this.reachOne(tx, { id, eventId, basis, sums, announcing: 'rule' });
  }

  /** Marks one milestone if the sum of its basis is at its amount. */
  async reachOne(
    tx: Transaction,
    {
      id,
      eventId,
      basis,
      sums,
      announcing,
    }: {
      readonly id: string;
      readonly eventId: string;
      readonly basis: Basis;
      readonly sums: Sums;
      readonly announcing: Announcing;
    },
  ): Promise<void> {
    const values = [id, reachedBasis(sums)[basis], basis, announcing];
    const [reached] = await tx.query<{ is_announced: boolean }>(REACH, values);
    if (reached?.is_announced) this.outbox.append(tx, { topic: 'milestone.reached', eventId, subjectId: id });
  }

  /** Sums of an event; zero for an event that was deleted. */
  async sumsOf(tx: Pick<Transaction, 'query'>, eventId: string): Promise<Sums> {
    const [sums] = await tx.query<Sums>(SUMS, [eventId]);
    return sums ?? { raised: 0n, promised: 0n, matched: 0n };
  }

  /** Looks at the events that compare pledges, because a pledge outside a round has no message in the feed. */
  @Interval(PLEDGES_EVERY_MS)
  async lookAtPledges(): Promise<void> {
    if (!this.relay.isLeader) return;
    for (const { event_id } of await this.database.query<{ event_id: string }>(EVENTS_WITH_PROMISES))
      await this.database.transaction((tx) => this.reach(tx, event_id));
  }
}
