import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Request } from 'express';
import { TooManyRequestsError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import { Counters } from '../../redis/counters.js';
import { FailureLimits } from './failure-limits.js';
import { PinLimits } from './pin-limits.js';
import type { Device } from './trusted-devices.js';

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Returns the number of PIN guesses in one day, if an attacker guesses with each device as soon as the limits allow. */
async function guessesInADay(devices: readonly Device[]): Promise<number> {
  const counters = new Counters({ client: undefined } as never);
  const limits = new PinLimits(new FailureLimits(counters), counters, undefined as never);
  const request = { ip: '203.0.113.7' } as Request;
  const guess = () => Promise.reject(new UnauthorizedError());
  let tried = 0;
  while (Date.now() < 86_400_000) {
    const waits: number[] = [];
    for (const device of devices) {
      const error: unknown = await limits
        .guard('gala', device, request, guess)
        .catch((failure: unknown) => failure);
      if (error instanceof TooManyRequestsError) waits.push(error.retryAfter ?? 0);
      else tried++;
    }
    if (waits.length === devices.length) jest.advanceTimersByTime(Math.min(...waits) * 1_000);
  }
  return tried;
}

describe('the PIN limits', () => {
  it('allows at most 54 PIN guesses a day on one trusted device', async () => {
    const tried = await guessesInADay([{ key: 'device:a', owner: 'maria' }]);
    expect(tried).toBeGreaterThanOrEqual(30);
    expect(tried).toBeLessThanOrEqual(30 + 24);
  });

  it('allows at most 124 PIN guesses a day on all devices that one member made trusted', async () => {
    const devices = Array.from({ length: 10 }, (_, n) => ({ key: `device:${n}`, owner: 'maria' }));
    const tried = await guessesInADay(devices);
    expect(tried).toBeGreaterThanOrEqual(100);
    expect(tried).toBeLessThanOrEqual(100 + 24);
  });
});
