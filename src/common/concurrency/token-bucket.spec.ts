import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { TokenBucket } from './token-bucket.js';

afterEach(() => {
  jest.useRealTimers();
});

describe('a token bucket', () => {
  it('refills at the same rate after the system clock was ahead and is corrected', () => {
    jest.useFakeTimers({ now: 3 * 3_600_000 });
    const bucket = new TokenBucket(1, 1);
    expect(bucket.take()).toBe(true);
    jest.setSystemTime(0);
    jest.advanceTimersByTime(1_000);
    expect(bucket.take()).toBe(true);
  });

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
