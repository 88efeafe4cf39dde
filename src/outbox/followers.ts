import { setTimeout as pause } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { Database, type Transaction } from '../data/database.js';
import { ADVANCE, BEGIN, BEHIND, HOLD, JOIN, LOCK, NEXT, type PositionRow } from './followers.sql.js';
import type { NumberedRow } from './outbox.sql.js';
import { OutboxRelay } from './outbox-relay.js';
import { Wakeup } from './relay-session.js';

/** A part of the service that handles each message of the feeds exactly once, such as the match pools. */
export interface Follower {
  /** Key of the positions in the database. Never change it. */
  readonly name: string;
  /**
   * Handles the next messages of one event's feed, in order. The transaction also moves the follower's position, so after an
   * error or a crash the same messages come again. The work must have no effect outside the database. A broadcast about its
   * results is a message in the outbox. The follower reads the current state of the donations, which can be newer than the
   * message.
   */
  handle(tx: Transaction, eventId: string, rows: readonly NumberedRow[]): Promise<void>;
}

const BATCH = 256;
/** Interval in which another process looks if it leads now. */
const POLL_MS = 1_000;
/** Followers rest as long as they worked, so that under load requests come first and more messages share a transaction. */
const REST_MS = { least: 20, most: 100 };
/** Wait before a follower tries an event again. Each failure doubles the wait. */
const HELD_MS = { first: 500, longest: 5_000 };

interface Held {
  readonly waitMs: number;
  readonly until: number;
}

/**
 * Runs the followers in the leading process, next to the broadcasts. The recording of donations does no work for them. If a
 * follower fails for an event, only this follower waits, and only for this event.
 */
@Injectable()
export class Followers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Followers.name);
  private readonly followers: Follower[] = [];
  private readonly wakeup = new Wakeup();
  /** Events that may have messages which were not handled. */
  private readonly waiting = new Set<string>();
  /** By event, then by name of the follower. */
  private readonly held = new Map<string, Map<string, Held>>();
  /** True until all feeds were compared with the positions: at the start of a term, and after a failure. */
  private looksAtAll = true;
  private stopping = false;
  private down = false;
  private running: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
  ) {}

  /** Adds a follower. Call this function before the application starts. */
  add(follower: Follower): void {
    this.followers.push(follower);
  }

  onApplicationBootstrap(): void {
    if (this.followers.length === 0) return;
    this.relay.onTerm(async () => {
      this.looksAtAll = true;
      await this.lookAtAll().catch((error: unknown) => {
        this.onDown(error);
      });
    });
    this.relay.onNumbered((events) => {
      for (const event of events) this.waiting.add(event);
      this.wakeup.raise();
    });
    this.running = this.run();
  }

  /** Finishes the current transaction. The next leader continues after it. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.wakeup.raise();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const began = performance.now();
      const works = this.waiting.size > 0;
      try {
        await this.handleWaiting();
        if (this.down) this.logger.log('Followers resumed');
        this.down = false;
      } catch (error) {
        this.onDown(error);
      }
      const worked = performance.now() - began;
      if (works) await pause(Math.min(REST_MS.most, Math.max(REST_MS.least, worked)));
      if (this.waiting.size === 0 || this.down) await this.wakeup.wait(this.restMs());
    }
  }

  private onDown(error: unknown): void {
    if (!this.down) this.logger.error({ msg: 'Followers cannot use the database', err: error });
    this.down = true;
    this.looksAtAll = true;
  }

  private async handleWaiting(): Promise<void> {
    if (!this.relay.isLeader) {
      this.waiting.clear();
      return;
    }
    if (this.looksAtAll) await this.lookAtAll();
    const now = performance.now();
    for (const [event, own] of this.held)
      if ([...own.values()].some(({ until }) => until <= now)) this.waiting.add(event);
    for (const event of [...this.waiting]) {
      if (this.stopping) return;
      this.waiting.delete(event);
      await this.follow(event);
    }
  }

  private async lookAtAll(): Promise<void> {
    const names = namesOf(this.followers);
    this.held.clear();
    await this.database.query(JOIN, [names]);
    for (const { event_id } of await this.database.query<{ event_id: string }>(BEHIND, [names]))
      this.waiting.add(event_id);
    this.looksAtAll = false;
  }

  /** Runs all followers of an event in one transaction. If that fails, runs each follower separately. */
  private async follow(eventId: string): Promise<void> {
    const now = performance.now();
    const due = this.followers.filter(({ name }) => (this.held.get(eventId)?.get(name)?.until ?? 0) <= now);
    if (due.length === 0) return;
    try {
      await this.advance(due, eventId);
    } catch (error) {
      for (const follower of due)
        try {
          if (due.length === 1) throw error;
          await this.advance([follower], eventId);
        } catch (own) {
          await this.hold(follower, eventId, own);
        }
    }
  }

  private async advance(followers: readonly Follower[], eventId: string): Promise<void> {
    const names = namesOf(followers);
    const isFull = await this.database.transaction(async (tx) => {
      const positions = await lockPositions(tx, names, eventId);
      const from = [...positions.values()].reduce((least, next) => (next < least ? next : least));
      const rows = await tx.query<NumberedRow>(NEXT, [eventId, from, BATCH]);
      const last = rows.at(-1);
      if (!last) return false;
      for (const follower of followers) {
        const own = rows.filter(({ sequence }) => sequence > (positions.get(follower.name) ?? 0n));
        if (own.length > 0) await follower.handle(tx, eventId, own);
      }
      tx.write(ADVANCE, [names, eventId, last.sequence], names.length);
      return rows.length === BATCH;
    });
    if (isFull) this.waiting.add(eventId);
    const held = this.held.get(eventId);
    for (const name of names) held?.delete(name);
    if (held?.size === 0) this.held.delete(eventId);
  }

  /** @throws if the database does not answer */
  private async hold({ name }: Follower, eventId: string, error: unknown): Promise<void> {
    await this.database.query(HOLD, [name, eventId, sqlStateOf(error) ?? (error as Error).name]);
    const own = this.held.get(eventId) ?? new Map<string, Held>();
    const waitMs = Math.min(HELD_MS.longest, 2 * (own.get(name)?.waitMs ?? HELD_MS.first / 2));
    own.set(name, { waitMs, until: performance.now() + waitMs });
    this.held.set(eventId, own);
    this.logger.error({
      msg: 'A follower cannot handle the next messages of an event; trying again later',
      follower: name,
      event: eventId,
      waitMs,
      err: error,
    });
  }

  /** Time until the next attempt for a held event, or until the next look at the leadership. */
  private restMs(): number {
    const times = [...this.held.values()].flatMap((own) => [...own.values()].map(({ until }) => until));
    return Math.max(0, Math.min(POLL_MS, ...times.map((until) => until - performance.now())));
  }
}

const namesOf = (followers: readonly Follower[]): string[] => followers.map(({ name }) => name);

/** Locks the positions, so that a former leader that is still working cannot handle the same messages. */
async function lockPositions(
  tx: Transaction,
  names: readonly string[],
  eventId: string,
): Promise<ReadonlyMap<string, bigint>> {
  const lock = () => tx.query<PositionRow>(LOCK, [names, eventId]);
  let rows = await lock();
  if (rows.length < names.length) {
    tx.write(BEGIN, [names, eventId]);
    rows = await lock();
  }
  return new Map(rows.map(({ follower, sequence }) => [follower, sequence]));
}
