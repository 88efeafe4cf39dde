import { Injectable } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import type { Soon } from '../common/concurrency/concurrency.js';
import { FreshReads, type Reading } from '../common/caching/fresh-reads.js';
import { CatchUps, type KeptSnapshot } from './catch-up.service.js';
import type { JoinAck } from './live-messages.js';

const KEPT = 500;

/** Where the feed of an event stands: the same for all who join and have missed nothing, or who start from a snapshot. */
export interface Standing {
  readonly sequence: number;
  /** Undefined for an event whose totals cannot be shown. */
  readonly snapshot: KeptSnapshot | undefined;
  /** The answer to sockets that missed nothing. */
  readonly answer: JoinAck;
}

/**
 * The standings of events, read once for all who join until something of the event is committed or broadcast, and for a
 * second at most. While the database does not answer, the last known one serves.
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

  /** Ask for it when the socket is in the room: what is broadcast later arrives there. */
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
