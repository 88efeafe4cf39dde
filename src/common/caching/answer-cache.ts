import type { LRUCache } from 'lru-cache';
import { boundedCache } from './bounded-cache.js';

interface AnswerCacheOptions {
  /** Answers kept at most; the longest unused goes first. */
  readonly max: number;
  /** How long an answer may be used, counted from the moment it was asked for. */
  readonly keptMs: number;
  /** For tests; a cache takes the time 0 for "no time". */
  readonly clock?: { now(): number };
}

interface Question<Context> {
  /** What `fetch` was given besides the key. */
  readonly context: Context;
  /** Sets how long this answer may be used, where that is known only with the answer. */
  readonly keepFor: (ms: number) => void;
}

/**
 * Answers by key. Those who ask for the same key at once share one question; a failure goes to all of them and
 * is not kept, and `undefined` is not kept either. A key that is deleted while its question is under way is
 * asked again by the next one; those who already wait get the answer they asked for.
 *
 * Read it with `fetch`.
 */
export function answerCache<Key extends string, Answer extends string | number | object, Context = unknown>(
  { max, keptMs, clock = performance }: AnswerCacheOptions,
  ask: (key: Key, question: Question<Context>) => Promise<Answer | undefined>,
): LRUCache<Key, Answer, Context> {
  return boundedCache<Answer, Context, Key>(max, {
    ttl: keptMs,
    perf: clock,
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { options, context }) => {
      const asked = clock.now();
      let kept = keptMs;
      const answer = await ask(key, { context, keepFor: (ms) => (kept = ms) });
      // The cache counts from the answer. Its own zero means "for ever", so that one millisecond is the least.
      options.ttl = Math.max(1, Math.floor(kept - (clock.now() - asked)));
      return answer;
    },
  });
}
