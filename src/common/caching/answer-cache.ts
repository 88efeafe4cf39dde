import type { LRUCache } from 'lru-cache';
import { boundedCache } from './bounded-cache.js';

interface AnswerCacheOptions {
  /** Maximum number of answers; the least recently used is evicted first. */
  readonly max: number;
  /** Maximum age of a usable answer, counted from the start of its query. */
  readonly keptMs: number;
  /** For tests. Never 0: the cache reads 0 as "no time". */
  readonly clock?: { now(): number };
}

interface Query<Context> {
  /** Context passed to `fetch` with the key. */
  readonly context: Context;
  /** Sets the lifetime of this answer, if only the answer determines it. */
  readonly keepFor: (ms: number) => void;
}

/**
 * Creates a cache of answers by key. Concurrent callers of a key share one query. A failure goes to all of them and is not
 * kept, and neither is `undefined`. If a key is deleted while its query is running, the next caller asks again; callers
 * that already wait get the running answer.
 *
 * Read it with `fetch`.
 */
export function answerCache<Key extends string, Answer extends string | number | object, Context = unknown>(
  { max, keptMs, clock = performance }: AnswerCacheOptions,
  ask: (key: Key, query: Query<Context>) => Promise<Answer | undefined>,
): LRUCache<Key, Answer, Context> {
  return boundedCache<Answer, Context, Key>(max, {
    ttl: keptMs,
    perf: clock,
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { options, context }) => {
      const asked = clock.now();
      let kept = keptMs;
      const answer = await ask(key, { context, keepFor: (ms) => (kept = ms) });
      // The cache counts from the answer. It reads 0 as "for ever", so the minimum is one millisecond.
      options.ttl = Math.max(1, Math.floor(kept - (clock.now() - asked)));
      return answer;
    },
  });
}
