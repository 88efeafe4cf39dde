import { Injectable } from '@nestjs/common';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { RedisService } from './redis.service.js';

/** A counter of one key in one window. */
export interface Window {
  hits: number;
  /** By `performance.now()`: the clock of the system may be set back, and would then hold a window open. */
  readonly endsAt: number;
}

/**
 * Counters in windows that start with the first hit, in the memory of the process. Beyond `max` keys of one length
 * of window those that started first are forgotten, and the ones that are over go first.
 */
export class Windows {
  /** By length; each in the order in which its windows began, which is that of their ends. */
  private readonly byLength = new Map<number, Map<string, Window>>();

  constructor(private readonly max: number) {}

  add(key: string, hits: number, windowMs: number, now = performance.now()): Window {
    let windows = this.byLength.get(windowMs);
    if (!windows) this.byLength.set(windowMs, (windows = new Map<string, Window>()));
    const own = windows.get(key);
    // A window goes on as it began, whatever length is asked for: a key has one at a time, as in Redis.
    const present = own && own.endsAt > now ? own : this.read(key);
    if (present) {
      present.hits += hits;
      return present;
    }
    // Behind all others, where the newest stand.
    if (own) windows.delete(key);
    const started = { hits, endsAt: now + windowMs };
    windows.set(key, started);
    this.tidy(windows, now);
    return started;
  }

  read(key: string): Window | undefined {
    const now = performance.now();
    for (const windows of this.byLength.values()) {
      const found = windows.get(key);
      if (found && found.endsAt > now) return found;
    }
    return undefined;
  }

  forget(key: string): void {
    for (const windows of this.byLength.values()) windows.delete(key);
  }

  /** Two for each new one: what is over is gone as fast as new ones come. */
  private tidy(windows: Map<string, Window>, now: number): void {
    let looked = 0;
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now && windows.size <= this.max) return;
      windows.delete(key);
      if (++looked === 2) return;
    }
  }
}

/** A counter after one hit. */
export interface Count {
  /** Hits in this window, this one included. */
  readonly count: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

export interface RateDecision extends Count {
  readonly limit: number;
  readonly windowSeconds: number;
  /** Whether the hit is within the limit. */
  readonly allowed: boolean;
  /** Hits left in this window, at least 0. */
  readonly remaining: number;
}

/** Beyond this many keys of one kind in the process the ones that were counted first are forgotten. */
const REMEMBERED = 100_000;

/** Limits differ by key and are compared here, so that the library never refuses by itself. */
const COUNT_ONLY = { keyPrefix: 'donations', points: Number.MAX_SAFE_INTEGER, duration: 60 };

/** Counts hits per key in windows that start with the first hit: in Redis where there is one, else in the process. */
@Injectable()
export class Counters {
  private readonly here = new Windows(REMEMBERED);
  private readonly shared: RateLimiterRedis | undefined;

  constructor(private readonly redis: RedisService) {
    this.shared =
      redis.client &&
      new RateLimiterRedis({
        ...COUNT_ONLY,
        keyPrefix: redis.nameOf('count'),
        storeClient: redis.client,
      });
  }

  /** Counts one hit against a limit. */
  async hit(key: string, limit: number, windowSeconds: number): Promise<RateDecision> {
    const { count, resetSeconds } = await this.add(key, 1, windowSeconds);
    return decide(count, resetSeconds, limit, windowSeconds);
  }

  /** As `hit`; at once where hits are counted in this process alone, so that no request waits for a promise. */
  hitSoon(key: string, limit: number, windowSeconds: number): RateDecision | Promise<RateDecision> {
    if (this.shared) return this.hit(key, limit, windowSeconds);
    const now = performance.now();
    const { hits, endsAt } = this.here.add(key, 1, windowSeconds * 1_000, now);
    return decide(hits, seconds(endsAt - now), limit, windowSeconds);
  }

  /** Takes one hit back. Where its window is over there is nothing to take back: the next window begins at zero. */
  async takeBack(key: string, windowSeconds: number): Promise<void> {
    if (await this.read(key)) await this.add(key, -1, windowSeconds);
  }

  /** The counter as it is, without a hit; undefined when its window is over. */
  async read(key: string): Promise<Count | undefined> {
    const count = await this.ask(
      async (shared) => {
        const state = await shared.get(key);
        return state && state.msBeforeNext > 0
          ? { count: state.consumedPoints, resetSeconds: seconds(state.msBeforeNext) }
          : undefined;
      },
      () => {
        const window = this.here.read(key);
        return window && ofWindow(window);
      },
    );
    return count && count.count > 0 ? count : undefined;
  }

  async forget(key: string): Promise<void> {
    await this.ask(
      async (shared) => {
        await shared.delete(key);
      },
      () => {
        this.here.forget(key);
      },
    );
  }

  private async add(key: string, hits: 1 | -1, windowSeconds: number): Promise<Count> {
    return await this.ask(
      async (shared) => {
        const state = await shared.penalty(key, hits, { customDuration: windowSeconds });
        return { count: state.consumedPoints, resetSeconds: seconds(state.msBeforeNext) };
      },
      () => ofWindow(this.here.add(key, hits, windowSeconds * 1_000)),
    );
  }

  private async ask<Answer>(
    inRedis: (shared: RateLimiterRedis) => Promise<Answer>,
    inProcess: () => Answer,
  ): Promise<Answer> {
    const { shared } = this;
    return shared ? await this.redis.run(() => inRedis(shared), inProcess) : inProcess();
  }
}

const ofWindow = ({ hits, endsAt }: Window): Count => ({
  count: hits,
  resetSeconds: seconds(endsAt - performance.now()),
});

const decide = (count: number, resetSeconds: number, limit: number, windowSeconds: number): RateDecision => ({
  count,
  resetSeconds,
  limit,
  windowSeconds,
  allowed: count <= limit,
  remaining: Math.max(0, limit - count),
});

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));
