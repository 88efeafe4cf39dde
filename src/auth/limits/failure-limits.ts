import { Injectable, Logger } from '@nestjs/common';
import { boundedCache } from '../../common/bounded-cache.js';
import { TooManyRequestsError, UnauthorizedError } from '../../common/errors/domain-errors.js';
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

/** What the start of an attempt did to one counter. */
interface Begun {
  readonly wait: number;
  /** Whether this attempt is the one that may go on and that others wait for. */
  readonly holdsTurn: boolean;
}

const WARNED_AGAIN_AFTER_MS = 10 * 60_000;

/** Makes guessing slow: some failures are free, further ones wait for each other, longer and longer. */
@Injectable()
export class FailureLimits {
  private readonly logger = new Logger('Access');
  private readonly warned = boundedCache<true>(10_000, { ttl: WARNED_AGAIN_AFTER_MS });

  constructor(private readonly counters: Counters) {}

  /**
   * Runs an attempt to sign in under all limits. It counts as failed from its start: fifty at once are fifty.
   * What ends in anything but an `UnauthorizedError` is taken back; earlier failures stay unless the rule says
   * that a success clears them.
   * @throws TooManyRequestsError without running it while a wait is on, whether it would be right or wrong
   */
  async guard<Result>(limits: readonly FailureLimit[], attempt: () => Promise<Result>): Promise<Result> {
    this.refuse(limits, await Promise.all(limits.map(({ key }) => this.waitOf(key))));
    const begun = await Promise.all(limits.map((limit) => this.begin(limit)));
    const waits = begun.map(({ wait }) => wait);
    if (Math.max(...waits) > 0) {
      await this.takeBack(limits, begun);
      this.refuse(limits, waits);
    }
    try {
      const result = await attempt();
      await this.takeBack(limits, begun);
      const cleared = limits.filter(({ rule }) => rule.successClears);
      await Promise.all(cleared.map(({ key }) => this.forget(key)));
      return result;
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) await this.takeBack(limits, begun);
      throw error;
    }
  }

  /** Failures in the present window. */
  async failures(key: string): Promise<number> {
    return (await this.counters.read(failuresOf(key)))?.count ?? 0;
  }

  private async forget(key: string): Promise<void> {
    await Promise.all([this.counters.forget(failuresOf(key)), this.counters.forget(turnOf(key))]);
  }

  private async begin({ key, rule }: FailureLimit): Promise<Begun> {
    const { count } = await this.counters.hit(failuresOf(key), Infinity, rule.windowSeconds);
    if (count < rule.free) return { wait: 0, holdsTurn: false };
    const wait = Math.min(rule.firstWait * 2 ** Math.min(count - rule.free, 30), rule.longestWait);
    const turn = await this.counters.hit(turnOf(key), 1, wait);
    return { wait: turn.allowed ? 0 : turn.resetSeconds, holdsTurn: turn.allowed };
  }

  private async takeBack(limits: readonly FailureLimit[], begun: readonly Begun[]): Promise<void> {
    await Promise.all(
      limits.map(async ({ key, rule }, at) => {
        await this.counters.takeBack(failuresOf(key), rule.windowSeconds);
        if (begun[at]?.holdsTurn) await this.counters.forget(turnOf(key));
      }),
    );
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
