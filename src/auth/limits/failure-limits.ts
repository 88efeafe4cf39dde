import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { boundedCache } from '../../common/caching/bounded-cache.js';
import {
  TooManyRequestsError,
  UnauthorizedError,
  UnavailableError,
} from '../../common/errors/domain-errors.js';
import { Counters } from '../../redis/counters.js';

/** How many failures are free in a window, and how long each further one waits. */
export interface FailureRule {
  readonly free: number;
  readonly windowSeconds: number;
  /** After the last free failure; doubled with each further one. */
  readonly firstWait: number;
  /** In seconds; equal to `firstWait` where the wait does not grow. */
  readonly longestWait: number;
  /** Whether a success proves that the earlier failures were honest. Never where others can fail under the key. */
  readonly successClears?: boolean;
  /** Logged when somebody has to wait, once in ten minutes for each key. */
  readonly warning?: string;
}

/** A rule for one key, such as one address at one event. */
export interface FailureLimit {
  readonly key: string;
  readonly rule: FailureRule;
}

/** What one limit says to an attempt: it may go on, alone where it holds the turn; waits for others to end; or is refused. */
type Admission =
  | { readonly kind: 'admitted'; readonly holdsTurn: boolean }
  | { readonly kind: 'later' }
  | { readonly kind: 'refused'; readonly seconds: number };

const WARNED_AGAIN_AFTER_MS = 10 * 60_000;
/** Longer than any attempt takes; the attempts of a process that died are forgotten then. */
const UNDER_WAY_SECONDS = 60;
/** How often an attempt looks whether those before it have ended, how long at most, and how many do so for one key. */
const LOOK_MS = 50;
const PATIENCE_MS = 8_000;
const MOST_WAITING = 50;

/** Makes guessing slow: some failures are free, further ones wait for each other, longer and longer. */
@Injectable()
export class FailureLimits {
  private readonly logger = new Logger('Access');
  /** How many attempts wait for others, by the first of their keys. */
  private readonly waiting = new Map<string, number>();
  private readonly warned = boundedCache<true>(10_000, { ttl: WARNED_AGAIN_AFTER_MS });

  constructor(private readonly counters: Counters) {}

  /**
   * Runs an attempt to sign in under all limits. While an attempt is under way nobody knows whether it fails, so no more
   * run at once than failures are free, and the others wait for their end: fifty wrong ones at once are no more guesses
   * than one after the other, and fifty right ones are all let in. What ends in anything but an `UnauthorizedError` is
   * no failure; earlier failures stay unless the rule says that a success clears them.
   * @throws TooManyRequestsError without running it while a wait is on, whether it would be right or wrong
   * @throws UnavailableError `SIGN_IN_BUSY` when those before it take too long
   */
  async guard<Result>(limits: readonly FailureLimit[], attempt: () => Promise<Result>): Promise<Result> {
    const turns = await this.admit(limits);
    let failed = false;
    try {
      const result = await attempt();
      const cleared = limits.filter(({ rule }) => rule.successClears);
      await Promise.all(cleared.map(({ key }) => this.forget(key)));
      return result;
    } catch (error) {
      failed = error instanceof UnauthorizedError;
      throw error;
    } finally {
      // Counted before it ends, so that nobody looks between the two.
      if (failed) await Promise.all(limits.map((limit, at) => this.fail(limit, turns[at] === true)));
      await this.end(limits, failed ? [] : turns);
    }
  }

  /** @returns which turns the attempt holds, limit by limit */
  private async admit(limits: readonly FailureLimit[]): Promise<readonly boolean[]> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      this.refuse(limits, await Promise.all(limits.map(({ key }) => this.waitOf(key))));
      const admissions = await Promise.all(limits.map((limit) => this.begin(limit)));
      const turns = admissions.map((one) => one.kind === 'admitted' && one.holdsTurn);
      if (admissions.every(({ kind }) => kind === 'admitted')) return turns;
      await this.end(limits, turns);
      const waits = admissions.map((one) => (one.kind === 'refused' ? one.seconds : 0));
      this.refuse(limits, waits);
      await this.waitForOthers(limits, until);
    }
  }

  /** Failures in the present window. */
  async failures(key: string): Promise<number> {
    return (await this.counters.read(failuresOf(key)))?.count ?? 0;
  }

  private async forget(key: string): Promise<void> {
    await Promise.all([this.counters.forget(failuresOf(key)), this.counters.forget(turnOf(key))]);
  }

  private async begin({ key, rule }: FailureLimit): Promise<Admission> {
    const { count: underWay } = await this.counters.hit(underWayOf(key), Infinity, UNDER_WAY_SECONDS);
    const failures = await this.failures(key);
    if (failures + underWay <= rule.free) return { kind: 'admitted', holdsTurn: false };
    // Those before it may fail or not.
    if (failures < rule.free) return { kind: 'later' };
    const turn = await this.counters.hit(turnOf(key), 1, waitAfter(failures + 1, rule));
    return turn.allowed
      ? { kind: 'admitted', holdsTurn: true }
      : { kind: 'refused', seconds: turn.resetSeconds };
  }

  /** A failure that uses up what is free starts the wait; each further one has its turn, which is the wait of the next. */
  private async fail({ key, rule }: FailureLimit, hasTurn: boolean): Promise<void> {
    const { count } = await this.counters.hit(failuresOf(key), Infinity, rule.windowSeconds);
    if (count >= rule.free && !hasTurn) await this.counters.hit(turnOf(key), 1, waitAfter(count, rule));
  }

  private async end(limits: readonly FailureLimit[], turns: readonly boolean[]): Promise<void> {
    await Promise.all(
      limits.map(async ({ key }, at) => {
        await this.counters.takeBack(underWayOf(key), UNDER_WAY_SECONDS);
        if (turns[at]) await this.counters.forget(turnOf(key));
      }),
    );
  }

  private async waitForOthers(limits: readonly FailureLimit[], until: number): Promise<void> {
    const line = limits[0]?.key ?? '';
    const waiting = this.waiting.get(line) ?? 0;
    if (waiting >= MOST_WAITING || performance.now() > until)
      throw new UnavailableError('SIGN_IN_BUSY', 'Too many sign-ins at the moment', 2);
    this.waiting.set(line, waiting + 1);
    await sleep(LOOK_MS);
    const left = (this.waiting.get(line) ?? 1) - 1;
    if (left > 0) this.waiting.set(line, left);
    else this.waiting.delete(line);
  }

  private async waitOf(key: string): Promise<number> {
    return (await this.counters.read(turnOf(key)))?.resetSeconds ?? 0;
  }

  private refuse(limits: readonly FailureLimit[], waits: readonly number[]): void {
    const wait = Math.max(0, ...waits);
    if (wait === 0) return;
    limits.forEach(({ key, rule }, at) => {
      if (rule.warning === undefined || waits[at] === 0 || this.warned.has(key)) return;
      this.warned.set(key, true);
      this.logger.warn(`${rule.warning} (${key})`);
    });
    throw new TooManyRequestsError(wait, 'SIGN_IN_BACKOFF', 'Too many failed sign-ins; try again later');
  }
}

const failuresOf = (key: string) => `failures:${key}`;
const turnOf = (key: string) => `turn:${key}`;
const underWayOf = (key: string) => `under-way:${key}`;

/** Seconds after so many failures. */
const waitAfter = (failures: number, { free, firstWait, longestWait }: FailureRule): number =>
  Math.min(firstWait * 2 ** Math.min(failures - free, 30), longestWait);
