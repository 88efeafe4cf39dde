import type { LRUCache } from 'lru-cache';
import { boundedCache } from './bounded-cache.js';

interface AnswerCacheOptions {
  /** Maximum number of answers. If the cache is full, it removes the least recently used answer. */
  readonly max: number;
  /** Maximum age of a usable answer. The age is measured from the start of the answer's query. */
  readonly keptMs: number;
  /** Clock for tests. It must never return 0, because the cache treats 0 as a missing time. */
  readonly clock?: { now(): number };
}

interface Query<Context> {
  /** Context that the caller passed to `fetch` together with the key. */
  readonly context: Context;
  /** Sets the lifetime of this answer, if the lifetime depends on the content of the answer. */
  readonly keepFor: (ms: number) => void;
}

/**
 * Creates a cache of answers by key; read the cache with `fetch`. Concurrent callers of a key share one query. If the query
 * fails, all its callers get the error. The cache stores neither errors nor `undefined`. If a key is deleted while its query is
 * running, the next caller starts a new query; the waiting callers get the answer of the running query.
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
      // The cache measures the lifetime from the answer, not from the query. The minimum is one millisecond, because the cache
      // treats 0 as unlimited.
      options.ttl = Math.max(1, Math.floor(kept - (clock.now() - asked)));
      return answer;
    },
  });
}
