import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { TooManyRequestsError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import { RedisScript } from '../../redis/redis-script.js';
import { SharedState } from '../../redis/shared-state.js';

/** Failures that cost nothing but the attempt. */
const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** Without an attempt for this long, all is forgotten. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;
const REMEMBERED = 50_000;

/**
 * An attempt counts as failed from its start: fifty at once are fifty failures, not one look at a counter.
 * KEYS: the counter. ARGV: free failures, first wait, longest wait, when forgotten. Answers ms to wait, or 0.
 */
const BEGIN = new RedisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wait = tonumber(redis.call('HGET', KEYS[1], 'until') or '0') - now
if wait > 0 then return wait end
local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
local beyond = failures - tonumber(ARGV[1])
if beyond >= 0 then
  redis.call('HSET', KEYS[1], 'until', now + math.min(ARGV[2] * 2 ^ math.min(beyond, 30), tonumber(ARGV[3])))
end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 0
`);

/** Takes back an attempt that neither failed nor succeeded. */
const UNDO = new RedisScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], 'failures', -1)
  redis.call('HDEL', KEYS[1], 'until')
end
return 0
`);

interface Failures {
  count: number;
  waitUntil: number;
}

/** Makes guessing slow: after five failures each further one doubles the wait, up to a quarter of an hour. */
@Injectable()
export class FailureBackoff {
  private readonly failures = new LRUCache<string, Failures>({ max: REMEMBERED, ttl: FORGOTTEN_AFTER_MS });

  constructor(private readonly shared: SharedState) {}

  /**
   * Runs an attempt to sign in. Success clears the count; only an `UnauthorizedError` counts as a failure.
   * @param key who tries at what, such as one address at one account
   * @throws TooManyRequestsError without running it while a wait is on, whether it would be right or wrong
   */
  async guard<Result>(key: string, attempt: () => Promise<Result>): Promise<Result> {
    const wait = await this.begin(key);
    if (wait > 0)
      throw new TooManyRequestsError(
        wait / 1_000,
        'SIGN_IN_BACKOFF',
        'Too many failed sign-ins; try again later',
      );
    try {
      const result = await attempt();
      await this.clear(key);
      return result;
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) await this.undo(key);
      throw error;
    }
  }

  /** @returns milliseconds to wait, or 0 when the attempt may go on */
  private async begin(key: string): Promise<number> {
    return await this.shared.run(
      async (client) => {
        const rule = [FREE_FAILURES, FIRST_WAIT_MS, LONGEST_WAIT_MS, FORGOTTEN_AFTER_MS];
        return (await BEGIN.run(client, [redisKey(key)], rule)) as number;
      },
      () => this.beginHere(key),
    );
  }

  private beginHere(key: string): number {
    const now = Date.now();
    const known = this.failures.get(key) ?? { count: 0, waitUntil: 0 };
    if (known.waitUntil > now) return known.waitUntil - now;
    const count = known.count + 1;
    const beyond = count - FREE_FAILURES;
    const wait = beyond < 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** beyond, LONGEST_WAIT_MS);
    this.failures.set(key, { count, waitUntil: wait && now + wait });
    return 0;
  }

  private async clear(key: string): Promise<void> {
    await this.shared.run(
      async (client) => {
        await client.del(redisKey(key));
      },
      () => undefined,
    );
    this.failures.delete(key);
  }

  private async undo(key: string): Promise<void> {
    await this.shared.run(
      async (client) => {
        await UNDO.run(client, [redisKey(key)], []);
      },
      () => {
        const known = this.failures.get(key);
        if (known) this.failures.set(key, { count: known.count - 1, waitUntil: 0 });
      },
    );
  }
}

const redisKey = (key: string) => `donations:backoff:${key}`;
