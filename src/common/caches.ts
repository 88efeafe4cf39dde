import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Soon } from './concurrency.js';

type Cacheable = string | number | boolean | object;

type CacheOptions<Key extends string, Value extends Cacheable, Context> = Omit<
  LRUCache.OptionsBase<Key, Value, Context>,
  'max' | 'maxSize' | 'sizeCalculation'
>;

/**
 * At most so many entries; the longest unused goes first. It takes memory as it fills: given `max`, the library makes
 * room for all of them at once, 16 bytes an entry and more with times, which for tens of thousands that seldom come is
 * megabytes in every process.
 */
export const boundedCache = <Value extends Cacheable, Context = unknown, Key extends string = string>(
  most: number,
  options: CacheOptions<Key, Value, Context> = {},
): LRUCache<Key, Value, Context> =>
  new LRUCache<Key, Value, Context>({ ...options, maxSize: most, sizeCalculation: () => 1 });

interface AnswerCacheOptions {
  /** Answers kept at most; the longest unused goes first. */
  readonly max: number;
  /** How long an answer may be used, counted from the moment it was asked for. */
  readonly keptMs: number;
  /** For tests; a cache takes the time 0 for "no time". */
  readonly clock?: { now(): number };
}

interface Question<Context> {
  /** What `fetch` was given besides the key. */
  readonly context: Context;
  /** Sets how long this answer may be used, where that is known only with the answer. */
  readonly keepFor: (ms: number) => void;
}

/**
 * Answers by key. Those who ask for the same key at once share one question; a failure goes to all of them and
 * is not kept, and `undefined` is not kept either. A key that is deleted while its question is under way is
 * asked again by the next one; those who already wait get the answer they asked for.
 *
 * Read it with `fetch`.
 */
export function answerCache<Key extends string, Answer extends string | number | object, Context = unknown>(
  { max, keptMs, clock = performance }: AnswerCacheOptions,
  ask: (key: Key, question: Question<Context>) => Promise<Answer | undefined>,
): LRUCache<Key, Answer, Context> {
  return boundedCache<Answer, Context, Key>(max, {
    ttl: keptMs,
    perf: clock,
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { options, context }) => {
      const asked = clock.now();
      let kept = keptMs;
      const answer = await ask(key, { context, keepFor: (ms) => (kept = ms) });
      // The cache counts from the answer. Its own zero means "for ever", so that one millisecond is the least.
      options.ttl = Math.max(1, Math.floor(kept - (clock.now() - asked)));
      return answer;
    },
  });
}

/** What a change was about: an event's id, or one of these. */
export const SETTINGS_CHANGED = 'settings';

/**
 * Announces to those who keep what they read that something else was committed: by this process at once, before whoever
 * asked for the change has his answer; by other processes as soon as the database says so.
 */
@Injectable()
export class CommittedChanges {
  private readonly listeners = new Set<(subject: string | undefined) => void>();

  /** Call it after the commit, never inside the transaction: who reads in between would read what was before. */
  announce(subject: string | undefined): void {
    for (const listener of this.listeners) listener(subject);
  }

  onChange(listener: (subject: string | undefined) => void): void {
    this.listeners.add(listener);
  }
}

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
