import { describe, expect, it } from '@jest/globals';
import { TokenBucket } from './token-bucket.js';

describe('a token bucket', () => {
  it('allows a burst, then a steady rate, and never saves up more than the burst', () => {
    let now = 0;
    const bucket = new TokenBucket(3, 2, () => now);
    const taken = (times: number) =>
      Array.from({ length: times }, () => bucket.take()).filter(Boolean).length;
    expect(taken(10)).toBe(3);
    now += 500;
    expect(taken(10)).toBe(1);
    now += 1_000;
    expect(taken(10)).toBe(2);
    now += 3_600_000;
    expect(bucket.used).toBe(0);
    expect(taken(10)).toBe(3);
    expect(bucket.used).toBe(1);
    now += 750;
    expect(bucket.used).toBe(0.5);
  });
});
