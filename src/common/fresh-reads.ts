import type { LRUCache } from 'lru-cache';
import { boundedCache } from './bounded-cache.js';
import { type CommittedChanges, SETTINGS_CHANGED } from './committed-changes.js';
import type { Soon } from './concurrency.js';

/** How long anything that was read may be used, counted from the moment the question was asked. */
const KEPT_MS = 1_000;
/** What is used after that share of its time is read again in the background, so that readers do not wait for it. */
const RENEWED_AFTER = 0.6;

/** Something that was read at one moment. */
export interface Reading<Value> {
  readonly value: Value;
  /** By `performance.now()`; in the past as soon as a change has overtaken it. */
  usableUntil: number;
  /** When it should be read again, if it is still in use then. */
  renewAt: number;
  /** Reads it again in the background. */
  readonly renew: () => void;
}

interface Found<Value> {
  readonly value: Value;
  /** What it tells about; undefined: about everything, so that any change overtakes it. */
  readonly subject: string | undefined;
  /** Not to be used for longer than this, by `performance.now()`. */
  readonly usableUntil?: number;
}

interface Kept<Value> extends Reading<Value> {
  readonly subject: string | undefined;
}

/** One question to the database that is under way. */
interface Run<Value> {
  /** What was changed since it was asked. */
  readonly overtaken: Set<string>;
  overtakenWhole: boolean;
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
  readonly clock?: { now(): number };
}

/**
 * Keeps what was read, for a second at most, and until something changes that it tells about. Nobody is given what
 * is older than the last change that this process knew of when he asked; those who ask at once share a question.
 * What is not there is not kept.
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
    options.changes?.onChange((subject) => {
      this.changed(subject === SETTINGS_CHANGED ? undefined : subject);
    });
    this.kept = boundedCache<Kept<Value>>(options.max, {
      dispose: (reading, key) => {
        reading.usableUntil = 0;
        const keys = this.keysOf.get(reading.subject);
        keys?.delete(key);
        if (keys?.size === 0) this.keysOf.delete(reading.subject);
      },
    });
  }

  async get(key: string): Promise<Reading<Value> | undefined> {
    return await this.getSoon(key);
  }

  /** As `get`; at once where it is kept, so that no request waits for a promise. */
  getSoon(key: string): Soon<Reading<Value> | undefined> {
    const kept = this.kept.get(key);
    const now = this.now();
    if (!kept || kept.usableUntil <= now) return this.ask(key);
    if (kept.renewAt <= now) kept.renew();
    return kept;
  }

  /** Something about this subject was committed; without one, anything may have been. */
  changed(subject: string | undefined): void {
    for (const run of this.running.values())
      if (subject === undefined) run.overtakenWhole = true;
      else run.overtaken.add(subject);
    if (subject === undefined) this.kept.clear();
    else
      for (const keys of [this.keysOf.get(subject), this.keysOf.get(undefined)])
        for (const key of [...(keys ?? [])]) this.kept.delete(key);
  }

  private ask(key: string): Promise<Reading<Value> | undefined> {
    const run = this.running.get(key);
    if (!run) return this.start(key);
    if (!run.overtakenWhole && run.overtaken.size === 0) return run.answer;
    // What it finds may be from before a change that this reader knows of.
    const again = () => this.ask(key);
    run.next ??= run.answer.then(again, again);
    return run.next;
  }

  private start(key: string): Promise<Reading<Value> | undefined> {
    const asked = this.now();
    const overtaken = new Set<string>();
    const finish = (found: Found<Value> | undefined): Reading<Value> | undefined => {
      this.running.delete(key);
      return found && this.keep(key, asked, run, found);
    };
    const fail = (error: unknown): never => {
      this.running.delete(key);
      throw error;
    };
    const run: Run<Value> = {
      overtaken,
      overtakenWhole: false,
      answer: this.read(key).then(finish, fail),
    };
    this.running.set(key, run);
    return run.answer;
  }

  private keep(key: string, asked: number, run: Run<Value>, found: Found<Value>): Reading<Value> {
    const { value, subject } = found;
    const until = Math.min(asked + KEPT_MS, found.usableUntil ?? Infinity);
    const reading: Kept<Value> = {
      value,
      subject,
      usableUntil: until,
      renewAt: asked + (until - asked) * RENEWED_AFTER,
      renew: () => {
        // Once; whoever comes when that failed asks himself.
        reading.renewAt = Infinity;
        this.ask(key).catch(() => undefined);
      },
    };
    const overtaken =
      run.overtakenWhole || (subject === undefined ? run.overtaken.size > 0 : run.overtaken.has(subject));
    if (overtaken) {
      // Good for those who asked before the change, and for nobody else.
      reading.usableUntil = 0;
      return reading;
    }
    this.kept.set(key, reading);
    const keys = this.keysOf.get(subject);
    if (keys) keys.add(key);
    else this.keysOf.set(subject, new Set([key]));
    this.options.onKept?.(key, reading);
    return reading;
  }
}
