import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { RateCounter } from '../../redis/rate-counter.js';

type StorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Lets the throttler count where everything else is counted. */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  constructor(private readonly counter: RateCounter) {}

  async increment(key: string, ttlMs: number, limit: number): Promise<StorageRecord> {
    const { allowed, count, resetSeconds } = await this.counter.hit(key, limit, ttlMs / 1_000);
    return {
      totalHits: count,
      timeToExpire: resetSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: allowed ? 0 : resetSeconds,
    };
  }
}
