import type { LRUCache } from 'lru-cache';
import { boundedCache } from './bounded-cache.js';
import { type CommittedChanges, SETTINGS_CHANGED } from './committed-changes.js';
import type { Soon } from '../concurrency/concurrency.js';
import { isUnavailable } from '../errors/unavailable.js';

/** How long a reading may be used, counted from the start of its query. */
export const KEPT_MS = 1_000;
/** A reading that is used after this share of its time is renewed in the background, so that readers do not wait. */
const RENEWED_AFTER = 0.6;
/** How long a reading may be shown during a database outage, also counted from its query. */
const LAST_KNOWN_MS = 60_000;
/** A query that takes longer counts as unanswered for now. */
const PATIENCE_MS = 100;
/** Like `PATIENCE_MS`, for a reading that lacks donations committed since. */
const OVERTAKEN_PATIENCE_MS = 200;
/** Time after a failed query until the next one. */
const ASKED_AGAIN_MS = 250;

/** A value with the times of its query and its validity, all in `performance.now()`. */
export interface Reading<Value> {
  readonly value: Value;
  /** Time of the query. */
  readonly askedAt: number;
  /** In the past as soon as a change made the reading invalid. */
  usableUntil: number;
  /** Between this time and `knownUntil` it may still be shown, because the next query is unanswered. */
  unansweredFrom: number;
  knownUntil: number;
  /** Time from which the next use renews it. */
  renewAt: number;
  /** True if a caller has used this reading since its query. */
  isInUse: boolean;
  /** Starts a new query in the background. */
  readonly renew: () => void;
}

type Times = Pick<Reading<unknown>, 'usableUntil' | 'unansweredFrom' | 'knownUntil'>;

/** True if a reading is expired but may be shown because of a database outage. */
export const isOnlyLastKnown = ({ usableUntil, unansweredFrom, knownUntil }: Times, now: number): boolean =>
  now >= usableUntil && now >= unansweredFrom && now < knownUntil;

/** True if a reading may be shown. */
export const mayBeShown = (times: Times, now: number): boolean =>
  now < times.usableUntil || isOnlyLastKnown(times, now);

interface Found<Value> {
  readonly value: Value;
  /** Subject of the value; undefined if any change makes it invalid. */
  readonly subject: string | undefined;
  /** Time of the oldest part, if that was read before this query. */
  readonly askedAt?: number;
}

interface Kept<Value> extends Reading<Value> {
  readonly subject: string | undefined;
  /** How long the next query may take until this reading is shown instead. */
  patienceMs: number;
}

/** A running query to the database. */
interface Run<Value> {
  /** Subjects changed since the query (undefined for all), each with true if its change forbids showing the answer. */
  readonly overtaken: Map<string | undefined, boolean>;
  readonly answer: Promise<Reading<Value> | undefined>;
  /** The next query, for readers that came after such a change. */
  next?: Promise<Reading<Value> | undefined>;
}

interface FreshReadsOptions<Value> {
  /** Maximum number of readings; the least recently used is evicted first. */
  readonly max: number;
  /** Called with each reading that is kept. */
  readonly onKept?: (key: string, reading: Reading<Value>) => void;
  /** Changes that make readings invalid, in addition to calls of `changed`. The settings are part of every reading. */
  readonly changes?: CommittedChanges;
  /** True if the readings contain only totals of donations: during a database outage, old totals are better than none. */
  readonly showsOlderTotals?: boolean;
  readonly clock?: { now(): number };
}

/**
 * Keeps readings for at most a second, and until their subject changes. No caller gets a reading older than the last change
 * that this process had learned of when the caller asked. Concurrent callers share a query. Missing values are not kept.
 *
 * During a database outage, `lastKnown` returns the last reading, for at most a minute. A known change ends that at once, except
 * a change of totals with `showsOlderTotals`. While the connection that announces changes is down, only the minute limits it.
 */
export class FreshReads<Value> {
  private readonly kept: LRUCache<string, Kept<Value>>;
  private readonly running = new Map<string, Run<Value>>();
  private readonly keysOf = new Map<string | undefined, Set<string>>();
  private readonly now: () => number;

  constructor(
    private readonly read: (key: string) => Promise<Found<Value> | undefined>,
    private readonly options: FreshReadsOptions<Value>,
  ) {
    const clock = options.clock ?? performance;
    this.now = () => clock.now();
    options.changes?.onChange((subject, isOfTotals) => {
      if (isOfTotals && options.showsOlderTotals) this.totalsChanged(subject);
      else this.changed(subject === SETTINGS_CHANGED ? undefined : subject);
    });
    options.changes?.onGap(() => {
      this.doubted();
    });
    this.kept = boundedCache<Kept<Value>>(options.max, {
      dispose: (reading, key) => {
        reading.usableUntil = 0;
        reading.knownUntil = 0;
        const keys = this.keysOf.get(reading.subject);
        keys?.delete(key);
        if (keys?.size === 0) this.keysOf.delete(reading.subject);
      },
    });
  }

  async get(key: string): Promise<Reading<Value> | undefined> {
    return this.usable(key) ?? (await this.ask(key));
  }

  /** Returns the cached reading, if it may be used now. Never queries the database. */
  usable(key: string): Reading<Value> | undefined {
    const kept = this.kept.get(key);
    const now = this.now();
    if (!kept || kept.usableUntil <= now) return undefined;
    kept.isInUse = true;
    if (kept.renewAt <= now) kept.renew();
    return kept;
  }

  /** True if `lastKnown` has a reading for a database outage. */
  isKnown(key: string): boolean {
    return (this.kept.peek(key)?.knownUntil ?? 0) > this.now();
  }

  /**
   * Like `get`, for display only: during a database outage, the last reading. Never make decisions with it.
   * Synchronous if the reading is cached, so that requests do not wait for a promise.
   */
  lastKnown(key: string): Soon<Reading<Value> | undefined> {
    const kept = this.kept.get(key);
    const now = this.now();
    if (!kept || kept.knownUntil <= now) return this.ask(key);
    kept.isInUse = true;
    if (kept.renewAt <= now) kept.renew();
    return mayBeShown(kept, now) ? kept : this.answeredInTime(key, kept);
  }

  /** Changes may have been missed: all readings must be renewed, and until then serve only during an outage. */
  private doubted(): void {
    for (const run of this.running.values()) run.overtaken.set(undefined, true);
    for (const kept of this.kept.values()) {
      kept.usableUntil = 0;
      kept.renewAt = 0;
    }
  }

  private async answeredInTime(key: string, kept: Kept<Value>): Promise<Reading<Value> | undefined> {
    const answer = this.ask(key);
    let timer: NodeJS.Timeout | undefined;
    // During the wait, a change may forbid the reading, or a newer one may replace it.
    const known = () => {
      const present = this.kept.peek(key);
      return present && present.knownUntil > this.now() ? present : undefined;
    };
    const patience = new Promise<Reading<Value> | undefined>((resolve) => {
      timer = setTimeout(
        () => {
          resolve(known() ?? answer);
        },
        Math.max(0, kept.unansweredFrom - this.now()),
      );
    });
    try {
      return await Promise.race([answer, patience]);
    } catch (error) {
      if (mayBeShown(kept, this.now())) return kept;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A change of this subject was committed; undefined means any subject. */
  changed(subject: string | undefined): void {
    for (const run of this.running.values()) run.overtaken.set(subject, true);
    if (subject === undefined) this.kept.clear();
    else for (const key of this.keysAbout(subject)) this.kept.delete(key);
  }

  /**
   * Totals changed. Readings in use are renewed at once. The old ones are shown only during a database outage: they are not
   * older than anything shown before.
   */
  private totalsChanged(subject: string | undefined): void {
    for (const { overtaken } of this.running.values())
      overtaken.set(subject, overtaken.get(subject) ?? false);
    for (const key of this.keysAbout(subject)) {
      const kept = this.kept.peek(key);
      if (!kept) continue;
      kept.usableUntil = 0;
      kept.patienceMs = OVERTAKEN_PATIENCE_MS;
      kept.unansweredFrom = this.now() + OVERTAKEN_PATIENCE_MS;
      if (kept.isInUse) kept.renew();
    }
  }

  private keysAbout(subject: string | undefined): string[] {
    return [subject, undefined].flatMap((about) => [...(this.keysOf.get(about) ?? [])]);
  }

  private ask(key: string): Promise<Reading<Value> | undefined> {
    const run = this.running.get(key);
    if (!run) return this.start(key);
    if (run.overtaken.size === 0) return run.answer;
    // The running answer may be from before a change that this reader knows of.
    const again = () => this.ask(key);
    run.next ??= run.answer.then(again, again);
    return run.next;
  }

  private start(key: string): Promise<Reading<Value> | undefined> {
    const asked = this.now();
    const overtaken = new Map<string | undefined, boolean>();
    const last = this.kept.peek(key);
    if (last) last.unansweredFrom = asked + last.patienceMs;
    const finish = (found: Found<Value> | undefined): Reading<Value> | undefined => {
      this.running.delete(key);
      if (found) return this.keep(key, asked, run, found);
      this.kept.delete(key);
      return undefined;
    };
    const fail = (error: unknown): never => {
      this.running.delete(key);
      if (last) {
        const now = this.now();
        last.unansweredFrom = isUnavailable(error) ? Math.min(last.unansweredFrom, now) : Infinity;
        last.renewAt = now + ASKED_AGAIN_MS;
      }
      throw error;
    };
    const run: Run<Value> = {
      overtaken,
      answer: this.read(key).then(finish, fail),
    };
    this.running.set(key, run);
    return run.answer;
  }

  private keep(key: string, asked: number, run: Run<Value>, found: Found<Value>): Reading<Value> {
    const { value, subject } = found;
    const askedAt = Math.min(asked, found.askedAt ?? asked);
    const reading: Kept<Value> = {
      value,
      subject,
      askedAt,
      usableUntil: askedAt + KEPT_MS,
      unansweredFrom: Infinity,
      knownUntil: askedAt + LAST_KNOWN_MS,
      renewAt: askedAt + KEPT_MS * RENEWED_AFTER,
      patienceMs: PATIENCE_MS,
      isInUse: false,
      renew: () => {
        // One query at a time. After a failure, the next one follows a little later.
        reading.renewAt = Infinity;
        this.ask(key).catch(() => undefined);
      },
    };
    const changes = [...run.overtaken].filter(
      ([about]) => about === undefined || subject === undefined || about === subject,
    );
    if (changes.length > 0) {
      // Valid only for callers that asked before the change. If only totals changed, it may also serve during an outage.
      reading.usableUntil = 0;
      reading.patienceMs = OVERTAKEN_PATIENCE_MS;
      if (changes.some(([, isForbidden]) => isForbidden)) {
        reading.knownUntil = 0;
        return reading;
      }
    }
    this.kept.set(key, reading);
    const keys = this.keysOf.get(subject);
    if (keys) keys.add(key);
    else this.keysOf.set(subject, new Set([key]));
    this.options.onKept?.(key, reading);
    return reading;
  }
}
