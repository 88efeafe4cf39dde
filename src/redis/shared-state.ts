import { Injectable, Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { RedisService } from './redis.service.js';

/** How long a Redis that failed is left alone, so that a hanging one does not slow every request. */
const LEFT_ALONE_MS = 1_000;

/**
 * Counts that all processes share in Redis. Without Redis, or while it is away, each process counts by itself:
 * limits then hold per process, which is better than no limit and better than no service.
 */
@Injectable()
export class SharedState {
  private readonly logger = new Logger('Limits');
  private retryAt = 0;
  private away = false;

  constructor(private readonly redis: RedisService) {}

  /** The result of `inRedis`, or of `inProcess` where Redis cannot be asked just now. */
  async run<Result>(inRedis: (client: Redis) => Promise<Result>, inProcess: () => Result): Promise<Result> {
    const { client } = this.redis;
    if (!client) return inProcess();
    if (this.redis.ready && Date.now() >= this.retryAt) {
      try {
        const result = await inRedis(client);
        this.note(false);
        return result;
      } catch {
        this.retryAt = Date.now() + LEFT_ALONE_MS;
      }
    }
    this.note(true);
    return inProcess();
  }

  private note(away: boolean): void {
    if (away && !this.away) this.logger.warn('Redis is away: rate limits are counted in this process');
    if (!away && this.away) this.logger.log('Rate limits are counted in Redis again');
    this.away = away;
  }
}
