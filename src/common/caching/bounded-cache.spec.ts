import { describe, expect, it } from '@jest/globals';
import { boundedCache } from './bounded-cache.js';

describe('a cache with a maximum number of entries', () => {
  it('evicts the least recently used entry when it is full', () => {
    const cache = boundedCache<number>(3);
    for (const [value, key] of ['a', 'b', 'c'].entries()) cache.set(key, value);
    cache.get('a');
    cache.set('d', 4);
    expect([...cache.keys()].sort()).toEqual(['a', 'c', 'd']);
    for (let i = 0; i < 1_000; i++) cache.set(`key-${i}`, i);
    expect(cache.size).toBe(3);
  });

  it('replaces an existing entry, and reuses the place of a deleted one', () => {
    const cache = boundedCache<number>(2);
    cache.set('a', 1);
    cache.set('a', 2);
    cache.set('b', 1);
    cache.delete('a');
    cache.set('c', 1);
    expect([...cache.entries()].sort()).toEqual([
      ['b', 1],
      ['c', 1],
    ]);
  });
});
