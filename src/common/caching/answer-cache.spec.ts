import { describe, expect, it } from '@jest/globals';
import { answerCache } from './answer-cache.js';

/** Returns a cache, and functions that end its queries. The answer to a query is the query's number. */
function controlled(keptMs = 1_000) {
  const time = { now: 1 };
  const ends: { resolve: () => void; reject: () => void }[] = [];
  const cache = answerCache<string, number>(
    { max: 10, keptMs, clock: { now: () => time.now } },
    () =>
      new Promise<number>((resolve, reject) => {
        const run = ends.length + 1;
        ends.push({
          resolve: () => {
            resolve(run);
          },
          reject: () => {
            reject(new Error(`run ${run}`));
          },
        });
      }),
  );
  return { cache, ends, time };
}
/** Waits until the cache reads the clock again. The cache reads the clock at most once per millisecond of real time. */
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a cache of answers', () => {
  it('asks once for all concurrent callers, and keeps the answer for a while', async () => {
    const { cache, ends, time } = controlled();
    const all = [cache.fetch('a'), cache.fetch('a'), cache.fetch('a')];
    ends[0]?.resolve();
    expect(await Promise.all(all)).toEqual([1, 1, 1]);
    time.now = 1_000;
    expect(await cache.fetch('a')).toBe(1);
    await tick();
    time.now = 1_002;
    const again = cache.fetch('a');
    ends[1]?.resolve();
    expect(await again).toBe(2);
  });

  it('counts the age of an answer from the start of its query', async () => {
    const { cache, ends, time } = controlled();
    const slow = cache.fetch('a');
    time.now += 900;
    ends[0]?.resolve();
    await slow;
    time.now += 101;
    await tick();
    void cache.fetch('a');
    expect(ends).toHaveLength(2);
  });

  it('does not start a second query while one hangs', () => {
    const { cache, ends, time } = controlled();
    void cache.fetch('a');
    time.now = 60_000;
    void cache.fetch('a');
    expect(ends).toHaveLength(1);
  });

  it('reports a failure to all waiting callers and does not keep it', async () => {
    const { cache, ends } = controlled();
    const all = [cache.fetch('a'), cache.fetch('a')];
    ends[0]?.reject();
    for (const one of all) await expect(one).rejects.toThrow('run 1');
    const next = cache.fetch('a');
    ends[1]?.resolve();
    expect(await next).toBe(2);
  });

  it('asks again after a key was deleted, even while its query is running', async () => {
    const { cache, ends } = controlled();
    const before = cache.fetch('a');
    cache.delete('a');
    const after = cache.fetch('a');
    ends[1]?.resolve();
    expect(await after).toBe(2);
    ends[0]?.resolve();
    expect(await before).toBe(1);
    expect(await cache.fetch('a')).toBe(2);
  });

  it('keeps an answer for the time that the answer sets', async () => {
    const time = { now: 1 };
    let runs = 0;
    const cache = answerCache<string, number>(
      { max: 1, keptMs: 1_000, clock: { now: () => time.now } },
      (_key, { keepFor }) => {
        keepFor(5_000);
        return Promise.resolve(++runs);
      },
    );
    await cache.fetch('a');
    time.now = 4_900;
    await tick();
    expect(await cache.fetch('a')).toBe(1);
    time.now = 5_100;
    await tick();
    expect(await cache.fetch('a')).toBe(2);
  });
});
