import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TooManyRequestsError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import { SharedState } from '../../redis/shared-state.js';
import { FailureBackoff } from './failure-backoff.js';
import { FailureBudget } from './failure-budget.js';

const inThisProcess = new SharedState({ client: undefined, ready: false } as never);
const wrong = () => Promise.reject(new UnauthorizedError());
const right = () => Promise.resolve('in');
const broken = () => Promise.reject(new Error('the database is away'));

/** Seconds to wait, or undefined when the attempt was let through. */
async function waitOf(attempt: Promise<unknown>): Promise<number | undefined> {
  const outcome: unknown = await attempt.catch((error: unknown) => error);
  return outcome instanceof TooManyRequestsError ? Math.round(outcome.retryAfter ?? 0) : undefined;
}

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
  jest.useRealTimers();
});
const pass = (seconds: number) => jest.setSystemTime(Date.now() + seconds * 1_000);

describe('the back-off after failures', () => {
  it('lets five go, then doubles the wait with each further one, up to a quarter of an hour', async () => {
    const backoff = new FailureBackoff(inThisProcess);
    const fail = () => waitOf(backoff.guard('key', wrong));
    for (let failure = 1; failure <= 5; failure++) expect(await fail()).toBeUndefined();
    const waits: number[] = [];
    for (let step = 0; step < 11; step++) {
      const wait = (await fail()) ?? 0;
      waits.push(wait);
      pass(wait);
      expect(await fail()).toBeUndefined();
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });

  it('does not run the attempt while the wait is on', async () => {
    const backoff = new FailureBackoff(inThisProcess);
    for (let failure = 1; failure <= 5; failure++) await waitOf(backoff.guard('key', wrong));
    const attempt = jest.fn(right);
    expect(await waitOf(backoff.guard('key', attempt))).toBe(2);
    expect(attempt).not.toHaveBeenCalled();
    await expect(backoff.guard('another key', attempt)).resolves.toBe('in');
  });

  it('forgets after a success', async () => {
    const backoff = new FailureBackoff(inThisProcess);
    for (let round = 1; round <= 3; round++) {
      for (let failure = 1; failure <= 4; failure++) await waitOf(backoff.guard('key', wrong));
      await expect(backoff.guard('key', right)).resolves.toBe('in');
    }
  });

  it('does not count what failed for another reason', async () => {
    const backoff = new FailureBackoff(inThisProcess);
    for (let failure = 1; failure <= 20; failure++)
      await expect(backoff.guard('key', broken)).rejects.toThrow('the database is away');
  });
});

describe('the budget of failures that many share', () => {
  const rule = { burst: 3, refillSeconds: 60 };

  it('is used up by failures and refills one at a time', async () => {
    const budget = new FailureBudget(inThisProcess);
    const fail = () => waitOf(budget.guard('key', rule, wrong));
    for (let failure = 1; failure <= 3; failure++) expect(await fail()).toBeUndefined();
    expect(await fail()).toBe(60);
    pass(59);
    expect(await fail()).toBe(1);
    pass(1);
    expect(await fail()).toBeUndefined();
    expect(await fail()).toBe(60);
    pass(3_600);
    for (let failure = 1; failure <= 3; failure++) expect(await fail()).toBeUndefined();
    expect(await fail()).toBe(60);
  });

  it('is not used up by successes, or by what failed for another reason', async () => {
    const budget = new FailureBudget(inThisProcess);
    for (let round = 1; round <= 20; round++) {
      await expect(budget.guard('key', rule, right)).resolves.toBe('in');
      await expect(budget.guard('key', rule, broken)).rejects.toThrow('away');
    }
  });
});
