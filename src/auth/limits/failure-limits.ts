import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { boundedCache } from '../../common/caching/bounded-cache.js';
import {
  TooManyRequestsError,
  UnauthorizedError,
  UnavailableError,
} from '../../common/errors/domain-errors.js';
import { Counters } from '../../redis/counters.js';

/** Number of failures without a wait in a window, and the wait after each further failure. */
export interface FailureRule {
  readonly free: number;
  readonly windowSeconds: number;
  /** Seconds to wait after the last free failure. Each further failure doubles the wait. */
  readonly firstWait: number;
  /** Maximum wait in seconds; equal to `firstWait` if the wait does not grow. */
  readonly longestWait: number;
  /** True if a success clears the earlier failures. Must be false if other people can also cause failures with the same key. */
  readonly successClears?: boolean;
  /** Log message when an attempt has to wait; at most one every ten minutes for each key. */
  readonly warning?: string;
}

/** A rule for one key, such as one address at one event. */
export interface FailureLimit {
  readonly key: string;
  readonly rule: FailureRule;
}

/**
 * Decision of one limit about an attempt: run the attempt, let it wait for other attempts, or refuse it. With
 * `holdsTurn`, the limit runs no other attempt until this attempt succeeds or the wait is over.
 */
type Admission =
  | { readonly kind: 'admitted'; readonly holdsTurn: boolean }
  | { readonly kind: 'later' }
  | { readonly kind: 'refused'; readonly seconds: number };

const WARNED_AGAIN_AFTER_MS = 10 * 60_000;
/**
 * Time after which the limits ignore an unfinished attempt, such as an attempt of a crashed process. Every attempt ends sooner.
 */
const UNDER_WAY_SECONDS = 60;
/** Polling interval of a waiting attempt, its longest wait, and the maximum number of waiting attempts per key. */
const LOOK_MS = 50;
const PATIENCE_MS = 8_000;
const MOST_WAITING = 50;

/** Slows down guessing: after a few free failures, each further failure causes a longer wait. */
@Injectable()
export class FailureLimits {
  private readonly logger = new Logger('Access');
  /** Number of waiting attempts, by the first key of each attempt. */
  private readonly waiting = new Map<string, number>();
  private readonly warned = boundedCache<true>(10_000, { ttl: WARNED_AGAIN_AFTER_MS });

  constructor(private readonly counters: Counters) {}

  /**
   * Runs a sign-in attempt under all limits. Because each running attempt may fail, at most as many attempts run at once as
   * failures are free; the other attempts wait. So fifty simultaneous wrong attempts allow no more guesses than attempts one
   * after the other, and fifty simultaneous correct attempts all succeed. Only an `UnauthorizedError` counts as a failure.
   * @throws TooManyRequestsError during a wait, without running the attempt
   * @throws UnavailableError `SIGN_IN_BUSY` if the running attempts take too long
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
      // Count the failure before the end of the attempt, so that no other attempt starts between the two steps.
      if (failed) await Promise.all(limits.map((limit, at) => this.fail(limit, turns[at] === true)));
      await this.end(limits, failed ? [] : turns);
    }
  }

  /** @returns for each limit, true if the attempt holds the turn */
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

  /** Returns the number of failures in the current window. */
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
    // The attempt waits, because the running attempts may still succeed.
    if (failures < rule.free) return { kind: 'later' };
    const turn = await this.counters.hit(turnOf(key), 1, waitAfter(failures + 1, rule));
    return turn.allowed
      ? { kind: 'admitted', holdsTurn: true }
      : { kind: 'refused', seconds: turn.resetSeconds };
  }

  /**
   * Counts a failure. The last free failure starts the wait. After a later failure, the attempt keeps the
   * turn, so the next attempt must wait.
   */
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

/** Seconds to wait after this many failures. */
const waitAfter = (failures: number, { free, firstWait, longestWait }: FailureRule): number =>
  Math.min(firstWait * 2 ** Math.min(failures - free, 30), longestWait);
