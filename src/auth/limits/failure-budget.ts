import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { TooManyRequestsError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import { RedisScript } from '../../redis/redis-script.js';
import { SharedState } from '../../redis/shared-state.js';

/** A bucket of failures that refills over time. */
export interface FailureAllowance {
  /** Failures at once. */
  readonly burst: number;
  readonly refillSeconds: number;
}

const REMEMBERED = 10_000;
const TOLD_AGAIN_AFTER_MS = 10 * 60_000;

/**
 * The bucket is kept as the moment when it will be full again.
 * KEYS: the bucket. ARGV: burst, refill in ms. Answers ms to wait, or 0 when one was taken.
 */
const TAKE = new RedisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local refill = tonumber(ARGV[2])
local full = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
local wait = full + refill - now - tonumber(ARGV[1]) * refill
if wait > 0 then return wait end
redis.call('SET', KEYS[1], full + refill, 'PX', full + refill - now)
return 0
`);

const GIVE_BACK = new RedisScript(`
local full = redis.call('GET', KEYS[1])
if full then redis.call('SET', KEYS[1], full - ARGV[1], 'KEEPTTL') end
return 0
`);

/** Bounds the failures of many clients together, whatever their number. */
@Injectable()
export class FailureBudget {
  private readonly logger = new Logger('Access');
  private readonly told = new LRUCache<string, true>({ max: REMEMBERED, ttl: TOLD_AGAIN_AFTER_MS });
  private readonly fullAt = new LRUCache<string, number>({ max: REMEMBERED });

  constructor(private readonly shared: SharedState) {}

  /**
   * Runs an attempt that costs one failure from the bucket, given back unless it ends in an `UnauthorizedError`.
   * @throws TooManyRequestsError without running it while the bucket is empty
   */
  async guard<Result>(
    key: string,
    { burst, refillSeconds }: FailureAllowance,
    attempt: () => Promise<Result>,
  ): Promise<Result> {
    const refillMs = refillSeconds * 1_000;
    const wait = await this.take(key, burst, refillMs);
    if (wait > 0) {
      this.tell(key);
      throw new TooManyRequestsError(
        wait / 1_000,
        'SIGN_IN_BACKOFF',
        'Too many failed sign-ins; try again later',
      );
    }
    try {
      const result = await attempt();
      await this.giveBack(key, refillMs);
      return result;
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) await this.giveBack(key, refillMs);
      throw error;
    }
  }

  private tell(key: string): void {
    if (!this.told.has(key))
      this.logger.warn(`Somebody is guessing (${key}): strangers wait, known terminals do not`);
    this.told.set(key, true);
  }

  private async take(key: string, burst: number, refillMs: number): Promise<number> {
    return await this.shared.run(
      async (client) => (await TAKE.run(client, [redisKey(key)], [burst, refillMs])) as number,
      () => {
        const now = Date.now();
        const full = Math.max(now, this.fullAt.get(key) ?? 0);
        const wait = full + refillMs - now - burst * refillMs;
        if (wait > 0) return wait;
        this.fullAt.set(key, full + refillMs);
        return 0;
      },
    );
  }

  private async giveBack(key: string, refillMs: number): Promise<void> {
    await this.shared.run(
      async (client) => {
        await GIVE_BACK.run(client, [redisKey(key)], [refillMs]);
      },
      () => {
        const full = this.fullAt.get(key);
        if (full !== undefined) this.fullAt.set(key, full - refillMs);
      },
    );
  }
}

const redisKey = (key: string) => `donations:budget:${key}`;
