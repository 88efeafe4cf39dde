import { setTimeout as pause } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { AppConfig } from '../config/app-config.js';
import { SchemaWatch } from '../data/schema/schema-watch.js';
import { LeaderWaker } from './leader-waker.js';
import {
  HAND_OUT,
  KEPT,
  LEFT_BEHIND,
  MARK_PUBLISHED,
  type NumberedRow,
  PLACE_NUMBERED,
  PRUNE,
} from './outbox.sql.js';
import { RelaySession, Wakeup } from './relay-session.js';

/**
 * Delivers rows. The relay calls the consumer only in the leading process, with one batch at a time, in the order of each
 * event's sequence. If the consumer throws an error, the relay delivers the rows again, each event separately. After a crash,
 * the relay can also deliver rows again that were not marked yet. So consumers must ignore rows that they already know.
 */
export type OutboxConsumer = (batch: readonly NumberedRow[], term: Term) => Promise<void>;

/** The period in which this instance leads. */
export interface Term {
  /**
   * Call this function directly before each broadcast.
   * @throws Error if another instance may already be the leader
   */
  assertLeads(): void;
}

const BATCH = 256;
/** Interval in which the leader checks for rows without a wake-up, and in which other instances try to become leader. */
const POLL_MS = 1_000;
/** Wait before the relay tries again to deliver an event's rows. Each failure doubles the wait. */
const HELD_MS = { first: 500, longest: 5_000 };
/**
 * Rows arrive nearly in the order of their ids. Most queries read only ids above the newest id minus `ids`, because index
 * entries of published rows remain until a vacuum. Every `lookMs`, one query reads all ids, to find rows of very long
 * transactions.
 */
const LATE = { ids: 1_000n, lookMs: POLL_MS };
/** Pause between two batches under load. Rows that arrive during the pause share the next batch. */
const COALESCE_MS = { least: 20, most: 250 };
const PRUNE_EVERY_MS = 60_000;
const PRUNE_BATCH = 2_000;
const DRAIN_MS = 3_000;

/**
 * Moves committed outbox rows to the consumer. The relay numbers the rows per event, delivers them and marks them. Only one
 * instance does this at a time. If this instance dies, another instance continues at the first unmarked row.
 */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(OutboxRelay.name);
  private readonly wakeup = new Wakeup();
  private readonly otherListeners = new Set<() => void>();
  private consumer: OutboxConsumer | undefined;
  private session: RelaySession | undefined;
  private leads = false;
  private readonly beginnings: (() => Promise<void>)[] = [];
  private readonly numberedListeners: ((events: ReadonlySet<string>) => void)[] = [];
  private stopping = false;
  private running: Promise<void> | undefined;
  private down = false;
  private prunedAt = -Infinity;
  /** True if there may be rows with a number that were not delivered: at the start of a term, and after a failed delivery. */
  private leftBehind = true;
  /** The largest row id that was numbered in this term. */
  private newest = 0n;
  private lookedBackAt = -Infinity;
  /** Events whose rows could not be delivered, by event id. All other events continue. */
  private readonly held = new Map<string, { readonly waitMs: number; readonly until: number }>();

  constructor(
    private readonly config: AppConfig,
    private readonly waker: LeaderWaker,
    private readonly changes: CommittedChanges,
    private readonly schema: SchemaWatch,
  ) {}

  /** True if this instance is the current leader. */
  get isLeader(): boolean {
    return this.leads;
  }

  /** Runs `begin` each time this instance becomes the leader, before it numbers rows. */
  onTerm(begin: () => Promise<void>): void {
    this.beginnings.push(begin);
  }

  /** Calls the listener with the events whose rows this leader has just numbered. */
  onNumbered(listener: (events: ReadonlySet<string>) => void): void {
    this.numberedListeners.push(listener);
  }

  /**
   * Announces a commit about these events: cached readings are outdated, and the outbox may have new rows. This call is cheap,
   * so it may be called for every donation. Call it after the commit: a NOTIFY inside the transaction would make all commits of
   * the database wait for each other.
   */
  raise(...events: readonly string[]): void {
    for (const event of events) this.changes.announceTotals(event);
    if (this.leads) this.wakeup.raise();
    else this.waker.wake();
  }

  /** Sets the consumer. Call this function before the application starts. */
  deliverTo(consumer: OutboxConsumer): void {
    this.consumer = consumer;
  }

  /** Starts the relay only if there is a consumer. An operator command has none, so as leader it would broadcast nothing. */
  onApplicationBootstrap(): void {
    if (this.consumer) this.running = this.run();
  }

  /** Delivers the waiting rows and gives up leadership. The next leader broadcasts the rows of later commits. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.wakeup.raise();
    await this.running;
  }

  /**
   * Calls the listener after commits in any process that do not concern donations: changes of an event or the settings, and
   * unknown changes while the connection was down.
   */
  onOtherChange(listener: () => void): void {
    this.otherListeners.add(listener);
  }

  private onChanged(subject: string | undefined): void {
    // Only notifications about donations contain the id of the event.
    if (subject !== undefined) this.changes.announceTotals(subject);
    else {
      this.changes.announce(undefined);
      for (const listener of this.otherListeners) listener();
    }
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      try {
        this.session = await RelaySession.open(this.config.databaseUrl, {
          notified: () => {
            this.wakeup.raise();
          },
          changed: (subject) => {
            this.onChanged(subject);
          },
          lost: (error) => {
            this.onLost(error);
          },
        });
        await this.schema.check();
        // While the connection was down, other processes may have made commits that are unknown here.
        this.changes.announceGap();
        for (const listener of this.otherListeners) listener();
        if (this.down) this.logger.log('Outbox relay is connected to the database again');
        this.down = false;
        await this.serve(this.session);
        await this.session.close();
      } catch (error) {
        this.onLost(error as Error);
        this.session?.abandon();
      }
      this.session = undefined;
      this.leads = false;
      await this.rest(POLL_MS);
    }
  }

  private async serve(session: RelaySession): Promise<void> {
    while (this.serves()) {
      // The relay of a newer release takes over. This relay could fail on unknown rows, and the walls would then stop.
      if (this.schema.isUnknown) {
        if (this.leads) await this.stepDown(session);
        await this.wakeup.wait(POLL_MS);
        continue;
      }
      if (!this.leads) {
        this.leads = await session.tryToLead();
        if (this.leads) await this.beginTerm(session);
        else await this.wakeup.wait(POLL_MS);
        continue;
      }
      const began = performance.now();
      const delivered = await this.relayOnce(session);
      await this.prune(session);
      // A slow delivery is followed by a longer pause, so that requests get a third of the time.
      const rest = Math.min(COALESCE_MS.most, Math.max(COALESCE_MS.least, (performance.now() - began) / 2));
      if (delivered > 0) await pause(rest);
      else await this.wakeup.wait(POLL_MS);
    }
    if (!this.leads || this.down) return;
    const deadline = performance.now() + DRAIN_MS;
    this.lookedBackAt = -Infinity;
    while ((await this.relayOnce(session)) > 0 && performance.now() < deadline);
    await this.stepDown(session);
  }

  private async stepDown(session: RelaySession): Promise<void> {
    this.leads = false;
    await session.stepDown();
  }

  /** Starts a term without assumptions, because another leader or a restored backup may have changed the rows. */
  private async beginTerm(session: RelaySession): Promise<void> {
    this.leftBehind = true;
    this.held.clear();
    this.newest = 0n;
    this.lookedBackAt = -Infinity;
    await session.query(PLACE_NUMBERED);
    for (const begin of this.beginnings) await begin();
  }

  private announceNumbered(rows: readonly NumberedRow[]): void {
    const events = new Set(rows.map(({ event_id }) => event_id));
    for (const listener of this.numberedListeners) listener(events);
  }

  /** Waits even if wake-ups arrive. Ends early only if the process is stopping. */
  private async rest(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    for (let left = milliseconds; left > 0 && !this.stopping; left = until - performance.now())
      await this.wakeup.wait(left);
  }

  private serves(): boolean {
    return !this.stopping && !this.down;
  }

  /** Relays one batch and returns its size. */
  private async relayOnce(session: RelaySession): Promise<number> {
    if (!this.consumer) return 0;
    const rows = await this.nextBatch(session);
    if (rows.length === 0) return 0;
    const delivered = await this.deliver(rows, session);
    if (delivered.length > 0) await session.query(MARK_PUBLISHED, lastOfEach(delivered));
    // Rows that were not delivered wait in `held`.
    return rows.length;
  }

  /** Delivers the whole batch at once. If that fails, delivers each event separately, so that only failing events wait. */
  private async deliver(rows: readonly NumberedRow[], session: RelaySession): Promise<NumberedRow[]> {
    const delivered: NumberedRow[] = [];
    const ofEvent = byEvent(rows);
    const whole = await this.tryToDeliver(rows, session);
    if (whole.ok) delivered.push(...rows);
    else
      for (const [event, own] of ofEvent) {
        const alone = ofEvent.size === 1 ? whole : await this.tryToDeliver(own, session);
        if (alone.ok) delivered.push(...own);
        else this.hold(event, own.length, alone.error);
      }
    for (const { event_id } of delivered) this.held.delete(event_id);
    return delivered;
  }

  private async tryToDeliver(
    rows: readonly NumberedRow[],
    session: RelaySession,
  ): Promise<{ ok: true } | { ok: false; error: unknown }> {
    try {
      const term: Term = { assertLeads: () => assertLease(session) };
      await session.alive(this.consumer?.(rows, term) ?? Promise.resolve());
      return { ok: true };
    } catch (error) {
      return { ok: false, error };
    }
  }

  private hold(event: string, rows: number, error: unknown): void {
    const waitMs = Math.min(HELD_MS.longest, 2 * (this.held.get(event)?.waitMs ?? HELD_MS.first / 2));
    this.held.set(event, { waitMs, until: performance.now() + waitMs });
    this.leftBehind = true;
    this.logger.error({
      msg: 'Cannot deliver the outbox rows of an event; trying again later',
      event,
      rows,
      waitMs,
      err: error,
    });
  }

  private async nextBatch(session: RelaySession): Promise<NumberedRow[]> {
    const waiting = [...this.held]
      .filter(([, { until }]) => until > performance.now())
      .map(([event]) => event);
    if (this.leftBehind) {
      const rows = await session.query<NumberedRow>(LEFT_BEHIND, [BATCH, waiting]);
      if (rows.length > 0) return rows;
      // If events are waiting, looks for their rows again later.
      this.leftBehind = waiting.length > 0;
    }
    for (;;) {
      const rows = await this.handOut(session);
      // An event's rows must be sent in sequence order, so the new rows of a held event wait for its old rows.
      const free = rows.filter(({ event_id }) => !this.held.has(event_id));
      if (free.length > 0 || rows.length === 0) return free.sort((a, b) => Number(a.id - b.id));
    }
  }

  private async handOut(session: RelaySession): Promise<NumberedRow[]> {
    const looksBack = performance.now() - this.lookedBackAt >= LATE.lookMs;
    const above = looksBack ? 0n : this.newest - LATE.ids;
    const rows = await session.query<NumberedRow>(HAND_OUT, [BATCH, above]);
    if (looksBack && rows.length < BATCH) this.lookedBackAt = performance.now();
    for (const { id } of rows) if (id > this.newest) this.newest = id;
    if (rows.length > 0) this.announceNumbered(rows);
    return rows;
  }

  private async prune(session: RelaySession): Promise<void> {
    if (performance.now() - this.prunedAt < PRUNE_EVERY_MS) return;
    const gone = await session.query(PRUNE, [KEPT, PRUNE_BATCH]);
    if (gone.length < PRUNE_BATCH) this.prunedAt = performance.now();
  }

  private onLost(error: Error): void {
    this.leads = false;
    if (!this.down && !this.stopping)
      this.logger.warn(`Outbox relay lost its database connection: ${error.message}`);
    this.down = true;
    this.wakeup.raise();
  }
}

function assertLease(session: RelaySession): void {
  if (!session.holdsLease)
    throw new Error('This process was frozen for seconds; another one may be leading by now');
}

/**
 * Returns the last sequence of each event. All earlier rows of these events were broadcast too, because a batch contains the
 * next rows of each event in order, and the rows of a held event wait.
 */
function lastOfEach(rows: readonly NumberedRow[]): [events: string[], sequences: bigint[]] {
  const last = new Map<string, bigint>();
  for (const { event_id, sequence } of rows)
    if (sequence > (last.get(event_id) ?? 0n)) last.set(event_id, sequence);
  return [[...last.keys()], [...last.values()]];
}

function byEvent(rows: readonly NumberedRow[]): Map<string, NumberedRow[]> {
  const groups = new Map<string, NumberedRow[]>();
  for (const row of rows) {
    const group = groups.get(row.event_id);
    if (group) group.push(row);
    else groups.set(row.event_id, [row]);
  }
  return groups;
}
