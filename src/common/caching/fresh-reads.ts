import type { LRUCache } from 'lru-cache';
import { boundedCache } from './bounded-cache.js';
import { type CommittedChanges, SETTINGS_CHANGED } from './committed-changes.js';
import type { Soon } from '../concurrency/concurrency.js';
import { isUnavailable } from '../errors/unavailable.js';

/** Maximum age of a usable reading, measured from the start of its query. */
export const KEPT_MS = 1_000;
/** Share of the lifetime after which the next use renews a reading in the background, so that readers do not wait. */
const RENEWED_AFTER = 0.6;
/** Maximum age of a reading shown during a database outage, also measured from the start of its query. */
const LAST_KNOWN_MS = 60_000;
/** Time after which a query counts as unanswered, so that readers get the last known reading instead. */
const PATIENCE_MS = 100;
/** Like `PATIENCE_MS`, for a last known reading from before the latest donations. */
const OVERTAKEN_PATIENCE_MS = 200;
/** Pause after a failed query before the next query. */
const ASKED_AGAIN_MS = 250;

/** A value with the times of its query and its validity. All times come from `performance.now()`. */
export interface Reading<Value> {
  readonly value: Value;
  /** Time of the query. */
  readonly askedAt: number;
  /** End of the normal use. A change of the subject sets this to a time in the past. */
  usableUntil: number;
  /** Between this time and `knownUntil`, readers still get this reading, because the next query is unanswered. */
  unansweredFrom: number;
  knownUntil: number;
  /** From this time on, the next use renews the reading. */
  renewAt: number;
  /** True if a caller has used this reading since its query. */
  isInUse: boolean;
  /** Starts a new query in the background. */
  readonly renew: () => void;
}

type Times = Pick<Reading<unknown>, 'usableUntil' | 'unansweredFrom' | 'knownUntil'>;

/** True if a reading has expired, but may still be shown because of a database outage. */
export const isOnlyLastKnown = ({ usableUntil, unansweredFrom, knownUntil }: Times, now: number): boolean =>
  now >= usableUntil && now >= unansweredFrom && now < knownUntil;

/** True if a reading may be shown. */
export const mayBeShown = (times: Times, now: number): boolean =>
  now < times.usableUntil || isOnlyLastKnown(times, now);

interface Found<Value> {
  readonly value: Value;
  /** Subject of the value; undefined if any change makes it invalid. */
  readonly subject: string | undefined;
  /** Time of the oldest part of the value, if that part was read before this query. */
  readonly askedAt?: number;
}

interface Kept<Value> extends Reading<Value> {
  readonly subject: string | undefined;
  /** Maximum time that readers wait for the next query before they get this reading. */
  patienceMs: number;
}

/** A running query to the database. */
interface Run<Value> {
  /**
   * Subjects changed since the start of the query (undefined for all subjects). The value is true if the change forbids showing
   * the answer.
   */
  readonly overtaken: Map<string | undefined, boolean>;
  readonly answer: Promise<Reading<Value> | undefined>;
  /** The query after this one, for readers that asked after a change that forbids the answer of this query. */
  next?: Promise<Reading<Value> | undefined>;
}

interface FreshReadsOptions<Value> {
  /** Maximum number of readings. If the cache is full, it removes the least recently used reading. */
  readonly max: number;
  /** Called with each reading that the cache stores. */
  readonly onKept?: (key: string, reading: Reading<Value>) => void;
  /**
   * Announced changes that make readings invalid, like a call of `changed`. A change of the settings makes all readings
   * invalid.
   */
  readonly changes?: CommittedChanges;
  /**
   * True if the readings contain only totals of donations. During a database outage, readers then get old totals instead of an
   * error.
   */
  readonly showsOlderTotals?: boolean;
  readonly clock?: { now(): number };
}

/**
 * Caches readings for at most a second, or until their subject changes. No caller gets a reading older than the last change
 * that this process already knew when the caller asked. Concurrent callers share a query. Missing values are not cached.
 * During a database outage, `lastKnown` returns the last reading for at most a minute. A known change makes this reading
 * invalid at once, except a change of totals with `showsOlderTotals`. While the connection that announces changes is down, only
 * the one-minute limit applies.
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

  /** True if `lastKnown` can return a reading during a database outage. */
  isKnown(key: string): boolean {
    return (this.kept.peek(key)?.knownUntil ?? 0) > this.now();
  }

  /**
   * Like `get`, but returns the last reading during a database outage. Only for display: never make decisions with such a
   * reading. Synchronous if the reading is cached, so that requests do not wait for a promise.
   */
  lastKnown(key: string): Soon<Reading<Value> | undefined> {
    const kept = this.kept.get(key);
    const now = this.now();
    if (!kept || kept.knownUntil <= now) return this.ask(key);
    kept.isInUse = true;
    if (kept.renewAt <= now) kept.renew();
    return mayBeShown(kept, now) ? kept : this.answeredInTime(key, kept);
  }

  /**
   * Marks all readings as expired, because changes may have been missed. Until a reading is renewed, readers get the old one
   * only during an outage.
   */
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
    // Looks up the reading again: during the wait, a change may have removed the reading, or a newer reading may have replaced
    // it.
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

  /** Call this function after the commit of a change of this subject; undefined means any subject. */
  changed(subject: string | undefined): void {
    for (const run of this.running.values()) run.overtaken.set(subject, true);
    if (subject === undefined) this.kept.clear();
    else for (const key of this.keysAbout(subject)) this.kept.delete(key);
  }

  /**
   * Handles a change of totals. Renews the used readings at once. Until then, readers get the old readings only during a
   * database outage, because other readers have already seen these values.
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
    // The running query may have started before a change that this reader already knows.
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
        // Only one query runs at a time. After a failed query, there is a short pause before the next query.
        reading.renewAt = Infinity;
        this.ask(key).catch(() => undefined);
      },
    };
    const changes = [...run.overtaken].filter(
      ([about]) => about === undefined || subject === undefined || about === subject,
    );
    if (changes.length > 0) {
      // Only callers that asked before the change get this reading. If only totals changed, callers can also get the reading
      // during an outage.
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
