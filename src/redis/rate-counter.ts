import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RedisScript } from './redis-script.js';
import { SharedState } from './shared-state.js';

/** What became of one hit. */
export interface RateDecision {
  /** Whether the hit is within the limit. */
  readonly allowed: boolean;
  /** Hits in this window, this one included. */
  readonly count: number;
  /** Hits left in this window, at least 0. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

/** The window starts with the first hit. KEYS: the counter; ARGV: its length in ms. Answers count and ms left. */
const HIT = new RedisScript(`
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { count, left }
`);

/** Beyond this many clients at a time the longest silent ones are forgotten. */
const REMEMBERED = 100_000;

/** Counts hits per key in windows, in Redis where there is one. */
@Injectable()
export class RateCounter {
  private readonly windows = new LRUCache<string, { count: number; endsAt: number }>({ max: REMEMBERED });

  constructor(private readonly shared: SharedState) {}

  /**
   * Counts one hit.
   * @param key what is counted, such as `intent:address:203.0.113.7`
   * @param limit hits allowed in one window
   */
  async hit(key: string, limit: number, windowSeconds: number): Promise<RateDecision> {
    const windowMs = windowSeconds * 1_000;
    const [count, leftMs] = await this.shared.run(
      async (client) => (await HIT.run(client, [`donations:rate:${key}`], [windowMs])) as [number, number],
      () => this.hitHere(key, windowMs),
    );
    return {
      allowed: count <= limit,
      count,
      remaining: Math.max(0, limit - count),
      resetSeconds: Math.max(1, Math.ceil(leftMs / 1_000)),
    };
  }

  private hitHere(key: string, windowMs: number): [number, number] {
    const now = Date.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { count: 0, endsAt: now + windowMs };
      this.windows.set(key, window);
    }
    window.count++;
    return [window.count, window.endsAt - now];
  }
}
