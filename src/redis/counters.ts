import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { RedisService } from './redis.service.js';

/** A counter after one hit. */
export interface Count {
  /** Hits in this window, this one included. */
  readonly count: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

export interface RateDecision extends Count {
  /** Whether the hit is within the limit. */
  readonly allowed: boolean;
  /** Hits left in this window, at least 0. */
  readonly remaining: number;
}

/** Beyond this many keys in the process the ones that were counted first are forgotten. */
const REMEMBERED = 100_000;

/** Limits differ by key and are compared here, so that the library never refuses by itself. */
const COUNT_ONLY = { keyPrefix: 'donations', points: Number.MAX_SAFE_INTEGER, duration: 60 };

/** Counts hits per key in windows that start with the first hit: in Redis where there is one, else in the process. */
@Injectable()
export class Counters {
  private readonly here = new RateLimiterMemory(COUNT_ONLY);
  /** Newest window last: the library's memory has no bound of its own. */
  private readonly known = new LRUCache<string, true>({
    max: REMEMBERED,
    dispose: (_, key, reason) => {
      if (reason !== 'set') void this.here.delete(key);
    },
  });
  private readonly shared: RateLimiterAbstract | undefined;

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
    return { count, resetSeconds, allowed: count <= limit, remaining: Math.max(0, limit - count) };
  }

  /** Takes one hit back. */
  async takeBack(key: string, windowSeconds: number): Promise<void> {
    await this.add(key, -1, windowSeconds);
  }

  /** The counter as it is, without a hit; undefined when its window is over. */
  async read(key: string): Promise<Count | undefined> {
    const state = await this.ask((store) => store.get(key));
    if (!state || state.msBeforeNext <= 0 || state.consumedPoints <= 0) return undefined;
    return { count: state.consumedPoints, resetSeconds: seconds(state.msBeforeNext) };
  }

  async forget(key: string): Promise<void> {
    await this.ask((store) => store.delete(key));
    this.known.delete(key);
  }

  private async add(key: string, hits: 1 | -1, windowSeconds: number): Promise<Count> {
    const state = await this.ask(async (store) => {
      const added = await store.penalty(key, hits, { customDuration: windowSeconds });
      if (store === this.here && added.isFirstInDuration) this.known.set(key, true);
      return added;
    });
    return { count: state.consumedPoints, resetSeconds: seconds(state.msBeforeNext) };
  }

  private ask<Answer>(question: (store: RateLimiterAbstract) => Promise<Answer>): Promise<Answer> {
    const { shared, here } = this;
    if (!shared) return question(here);
    return this.redis.run(
      () => question(shared),
      () => question(here),
    );
  }
}

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));
