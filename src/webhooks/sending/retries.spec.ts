import { describe, expect, it } from '@jest/globals';
import { WEBHOOK_TIMES } from '../../config/webhook-times.js';
import { nextWaitMs, retryAfterMs } from './retries.js';

const { waitsMs } = WEBHOOK_TIMES;
const HOUR = 3_600_000;
const REFUSED = { status: 500, retryAfterMs: null };
const wait = (attempts: number, answer: Parameters<typeof nextWaitMs>[2] = REFUSED, random = 0.5) =>
  nextWaitMs(waitsMs, attempts, answer, random);

describe('the waits between the attempts of a webhook', () => {
  it('follow the table of Standard Webhooks for ten attempts, about 75 hours', () => {
    const waits = waitsMs.slice(1).map((_, index) => wait(index + 1) ?? NaN);
    expect(waits.slice(0, 2)).toEqual([5_000, 300_000]);
    expect(waits.reduce((sum, one) => sum + one, 0) / HOUR).toBeCloseTo(75.6, 1);
    expect(wait(10)).toBeUndefined();
  });

  it('differ by at most a tenth', () => {
    expect(wait(2, REFUSED, 0)).toBe(270_000);
    expect(wait(2, REFUSED, 1)).toBe(330_000);
  });

  it('honour Retry-After of 429 and 503 up to 24 hours, and of no other status', () => {
    expect(wait(1, { status: 429, retryAfterMs: HOUR })).toBe(HOUR);
    expect(wait(1, { status: 503, retryAfterMs: 100 * HOUR })).toBe(24 * HOUR);
    expect(wait(1, { status: 500, retryAfterMs: HOUR })).toBe(5_000);
    expect(wait(2, { status: 429, retryAfterMs: 1_000 })).toBe(300_000);
  });
});

describe('the header Retry-After', () => {
  const NOW = new Date('2026-11-28T20:00:00Z');

  it.each([
    ['120', 120_000],
    ['Sat, 28 Nov 2026 20:01:00 GMT', 60_000],
    ['Sat, 28 Nov 2026 19:00:00 GMT', 0],
    ['soon', null],
    [undefined, null],
  ])('%s means %s milliseconds', (header, expected) => {
    expect(retryAfterMs(header, NOW)).toBe(expected);
  });
});
