import { Injectable } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import type { Soon } from '../common/concurrency/concurrency.js';
import { FreshReads, type Reading } from '../common/caching/fresh-reads.js';
import { CatchUps, type KeptSnapshot } from './catch-up.service.js';
import type { JoinAck } from './live-messages.js';

const KEPT = 500;

/** Current end of an event's feed. Shared by all joining sockets that missed nothing or start from a snapshot. */
export interface Standing {
  readonly sequence: number;
  /** Undefined if the event's totals are out of range. */
  readonly snapshot: KeptSnapshot | undefined;
  /** The answer to sockets that missed nothing. */
  readonly answer: JoinAck;
}

/**
 * Caches the standing of each event for joins, until a change is committed or broadcast, and for one second at most.
 * While the database does not answer, the last known standing is used.
 */
@Injectable()
export class Standings {
  private readonly standings = new FreshReads<Standing>((eventId) => this.read(eventId), {
    max: KEPT,
    changes: this.changes,
  });

  constructor(
    private readonly catchUps: CatchUps,
    private readonly changes: CommittedChanges,
  ) {}

  /** Call it after the socket entered the room, so that later messages arrive there. */
  lastKnown(eventId: string): Soon<Reading<Standing> | undefined> {
    return this.standings.lastKnown(eventId);
  }

  private async read(eventId: string) {
    const { sequence } = await this.catchUps.catchUp(eventId, null);
    const snapshot = await this.catchUps.snapshot(eventId, sequence);
    const answer: JoinAck = { joined: true, eventId, sequence };
    return { value: { sequence, snapshot, answer }, subject: eventId };
  }
}
