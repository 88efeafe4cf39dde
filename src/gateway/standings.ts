import { Injectable } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import type { Soon } from '../common/concurrency/concurrency.js';
import { FreshReads, type Reading } from '../common/caching/fresh-reads.js';
import { CatchUps, type KeptSnapshot } from './catch-up.service.js';
import type { JoinAck } from './live-messages.js';

const KEPT = 500;

/** Current end of an event's feed. All joining sockets that missed no messages or start from a snapshot share it. */
export interface Standing {
  readonly sequence: number;
  /** Undefined if the event's totals are out of range. */
  readonly snapshot: KeptSnapshot | undefined;
  /** The answer to a socket that missed no messages. */
  readonly answer: JoinAck;
}

/**
 * Caches the standing of each event for joins, for at most one second. A committed or broadcast change ends the caching. While
 * the database does not answer, the last known standing is used.
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

  /** Call it after the socket has entered the room, so that the socket gets all later messages. */
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
