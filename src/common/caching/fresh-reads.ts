import type { LRUCache } from 'lru-cache';
import { boundedCache } from './bounded-cache.js';
import { type CommittedChanges, SETTINGS_CHANGED } from './committed-changes.js';
import type { Soon } from '../concurrency/concurrency.js';
import { isUnavailable } from '../errors/unavailable.js';

/** How long anything that was read may be used, counted from the moment the question was asked. */
export const KEPT_MS = 1_000;
/** What is used after that share of its time is read again in the background, so that readers do not wait for it. */
const RENEWED_AFTER = 0.6;
/** How long it may be shown, counted likewise, while the database does not answer. */
const LAST_KNOWN_MS = 60_000;
/** A question that is not answered within this time counts as not answered for the time being. */
const PATIENCE_MS = 100;
/** As `PATIENCE_MS`, where a reading counts donations no more that were committed since. */
const OVERTAKEN_PATIENCE_MS = 200;
/** A question that failed is asked again after this time. */
const ASKED_AGAIN_MS = 250;

/** Something that was read at one moment. All times are by `performance.now()`. */
export interface Reading<Value> {
  readonly value: Value;
  /** When the question was asked. */
  readonly askedAt: number;
  /** In the past as soon as a change has overtaken it. */
  usableUntil: number;
  /** It may still be shown from the first moment, since the next question is not answered, until the second. */
  unansweredFrom: number;
  knownUntil: number;
  /** When it should be read again, if it is still in use then. */
  renewAt: number;
  /** Whether anybody was shown it. */
  isInUse: boolean;
  /** Reads it again in the background. */
  readonly renew: () => void;
}

type Times = Pick<Reading<unknown>, 'usableUntil' | 'unansweredFrom' | 'knownUntil'>;

/** Whether a reading is too old to be used, and nothing newer is known while the database does not answer. */
export const isOnlyLastKnown = ({ usableUntil, unansweredFrom, knownUntil }: Times, now: number): boolean =>
  now >= usableUntil && now >= unansweredFrom && now < knownUntil;

/** Whether a reading may be shown. */
export const mayBeShown = (times: Times, now: number): boolean =>
  now < times.usableUntil || isOnlyLastKnown(times, now);

interface Found<Value> {
  readonly value: Value;
  /** What it tells about; undefined: about everything, so that any change overtakes it. */
  readonly subject: string | undefined;
  /** When the oldest part of it was asked for, where that was before this question. */
  readonly askedAt?: number;
}

interface Kept<Value> extends Reading<Value> {
  readonly subject: string | undefined;
  /** How long the next question may take before this one is shown instead. */
  patienceMs: number;
}

/** One question to the database that is under way. */
interface Run<Value> {
  /** What was changed since it was asked, undefined for everything, and whether that forbids to show what is found. */
  readonly overtaken: Map<string | undefined, boolean>;
  readonly answer: Promise<Reading<Value> | undefined>;
  /** The next question, for those who came after such a change. */
  next?: Promise<Reading<Value> | undefined>;
}

interface FreshReadsOptions<Value> {
  /** Kept at most; the longest unused goes first. */
  readonly max: number;
  /** Called with what is kept from now on. */
  readonly onKept?: (key: string, reading: Reading<Value>) => void;
  /** What overtakes what is kept, besides calls of `changed`. The settings are in everything. */
  readonly changes?: CommittedChanges;
  /** Of donations it shows totals alone: while the database does not answer, older ones are better than none. */
  readonly showsOlderTotals?: boolean;
  readonly clock?: { now(): number };
}

/**
 * Keeps what was read, for a second at most, and until something changes that it tells about. Nobody is given what
 * is older than the last change that this process knew of when he asked; those who ask at once share a question.
 * What is not there is not kept.
 *
 * While the database does not answer, `lastKnown` gives what it said last, for a minute at most. A change that this process
 * knows of ends that at once, but for changes of totals where `showsOlderTotals` says so. While the connection that announces changes is down, the minute is the only bound.
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

  /** What `get` would give without a question. */
  usable(key: string): Reading<Value> | undefined {
    const kept = this.kept.get(key);
    const now = this.now();
    if (!kept || kept.usableUntil <= now) return undefined;
    kept.isInUse = true;
    if (kept.renewAt <= now) kept.renew();
    return kept;
  }

  /** Whether `lastKnown` has something to give when the database does not answer. */
  isKnown(key: string): boolean {
    return (this.kept.peek(key)?.knownUntil ?? 0) > this.now();
  }

  /**
   * As `get`, for what is only shown: while the database does not answer, what it said last. Nothing may be decided by it.
   * At once where it is kept, so that no request waits for a promise.
   */
  lastKnown(key: string): Soon<Reading<Value> | undefined> {
    const kept = this.kept.get(key);
    const now = this.now();
    if (!kept || kept.knownUntil <= now) return this.ask(key);
    kept.isInUse = true;
    if (kept.renewAt <= now) kept.renew();
    return mayBeShown(kept, now) ? kept : this.answeredInTime(key, kept);
  }

  /** Changes may have been missed: what is kept has to be asked for again, and is the last known until then. */
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
    // While this reader waits, a change may forbid what is kept, or a newer reading take its place.
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

  /** Something about this subject was committed; without one, anything may have been. */
  changed(subject: string | undefined): void {
    for (const run of this.running.values()) run.overtaken.set(subject, true);
    if (subject === undefined) this.kept.clear();
    else for (const key of this.keysAbout(subject)) this.kept.delete(key);
  }

  /**
   * Totals changed. What is kept is read again at once where it is in use, and is shown no more unless the database does not
   * answer: it is not older than anything that was shown before.
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
    // What it finds may be from before a change that this reader knows of.
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
        // One question at a time; when it has failed, the next one is asked a little later.
        reading.renewAt = Infinity;
        this.ask(key).catch(() => undefined);
      },
    };
    const changes = [...run.overtaken].filter(
      ([about]) => about === undefined || subject === undefined || about === subject,
    );
    if (changes.length > 0) {
      // Good for those who asked before the change alone; where only totals changed, also as the last known.
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
