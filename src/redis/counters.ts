import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { LRUCache } from 'lru-cache';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { boundedCache } from '../common/caching/bounded-cache.js';
import { RedisService } from './redis.service.js';

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** A counter after one hit. */
export interface Count {
  /** Hits in this window, including this one. */
  readonly count: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

export interface RateDecision extends Count {
  readonly limit: number;
  readonly windowSeconds: number;
  /** True if the hit is within the limit. */
  readonly allowed: boolean;
  /** Hits left in this window, at least 0. */
  readonly remaining: number;
}

/** Maximum number of keys per window length. If there are more, the keys whose last hit is oldest are dropped. */
const REMEMBERED = 100_000;

/** Clock of the library. It must never return zero, because the library treats zero as a missing time. */
const CLOCK = { now: () => performance.now() + 1 };

/**
 * Counters in memory, in windows that start with the first hit. The clock never goes back. Each window length has separate
 * space, so that many requests, counted per minute, cannot remove wrong PINs, counted for hours.
 */
export class Windows {
  private readonly byLength = new Map<number, LRUCache<string, number>>();

  constructor(private readonly max: number) {}

  /**
   * A key has only one window at a time, as in Redis. The window keeps its length, even if a later call passes another length.
   */
  add(key: string, hits: number, windowMs: number): Count {
    const windows = this.windowsWith(key) ?? this.windowsOf(windowMs);
    windows.set(key, (windows.get(key) ?? 0) + hits, { ttl: windowMs, noUpdateTTL: true });
    return countIn(windows, key);
  }

  read(key: string): Count | undefined {
    const windows = this.windowsWith(key);
    return windows && countIn(windows, key);
  }

  forget(key: string): void {
    this.windowsWith(key)?.delete(key);
  }

  private windowsWith(key: string): LRUCache<string, number> | undefined {
    for (const windows of this.byLength.values()) {
      if (windows.getRemainingTTL(key) > 0) return windows;
      // Deletes an entry that expires in this millisecond, because the library still has it.
      windows.delete(key);
    }
    return undefined;
  }

  private windowsOf(windowMs: number): LRUCache<string, number> {
    let windows = this.byLength.get(windowMs);
    if (!windows) {
      windows = boundedCache<number>(this.max, { ttl: windowMs, ttlResolution: 0, perf: CLOCK });
      this.byLength.set(windowMs, windows);
    }
    return windows;
  }
}

const countIn = (windows: LRUCache<string, number>, key: string): Count => ({
  count: windows.get(key) ?? 0,
  resetSeconds: seconds(windows.getRemainingTTL(key)),
});

/** Options that only count. Each key has its own limit, which this service checks, so the library must never refuse. */
const COUNT_ONLY = { keyPrefix: 'donations', points: Number.MAX_SAFE_INTEGER, duration: 60 };

/**
 * Counts hits per key in windows that start with the first hit. Uses Redis if configured, otherwise the memory of this process.
 */
@Injectable()
export class Counters implements ThrottlerStorage {
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
    return decide(await this.add(key, 1, windowSeconds), limit, windowSeconds);
  }

  /** Counts a hit for `@nestjs/throttler`, which passes milliseconds and expects seconds. */
  async increment(key: string, ttl: number, limit: number): Promise<ThrottlerStorageRecord> {
    const { count, resetSeconds, allowed } = await this.hit(key, limit, ttl / 1_000);
    return {
      totalHits: count,
      timeToExpire: resetSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: resetSeconds,
    };
  }

  /** Removes one hit. Does nothing if the window of the hit has ended, because the next window begins at zero. */
  async takeBack(key: string, windowSeconds: number): Promise<void> {
    if (await this.read(key)) await this.add(key, -1, windowSeconds);
  }

  /** Returns the counter without adding a hit; undefined if its window has ended. */
  async read(key: string): Promise<Count | undefined> {
    const count = await this.ask(
      async (shared) => {
        const state = await shared.get(key);
        return state && state.msBeforeNext > 0
          ? { count: state.consumedPoints, resetSeconds: seconds(state.msBeforeNext) }
          : undefined;
      },
      () => this.here.read(key),
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
      () => this.here.add(key, hits, windowSeconds * 1_000),
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

export const decide = (count: Count, limit: number, windowSeconds: number): RateDecision => ({
  ...count,
  limit,
  windowSeconds,
  allowed: count.count <= limit,
  remaining: Math.max(0, limit - count.count),
});

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));
