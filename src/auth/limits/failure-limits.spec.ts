import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TooManyRequestsError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import { Counters } from '../../redis/counters.js';
import { FailureLimits, type FailureRule } from './failure-limits.js';

/** Counters in memory only. */
const failureLimits = () => new FailureLimits(new Counters({ client: undefined } as never));
/** Returns a guard with a single limit. */
const guarding = (rule: FailureRule) => {
  const limits = failureLimits();
  return {
    guard: <Result>(key: string, attempt: () => Promise<Result>) => limits.guard([{ key, rule }], attempt),
  };
};
const BACKOFF = { free: 5, windowSeconds: 3_600, firstWait: 2, longestWait: 900 };
const wrong = () => Promise.reject(new UnauthorizedError());
const right = () => Promise.resolve('in');
const broken = () => Promise.reject(new Error('the database is down'));

/** Returns the seconds to wait, or undefined if the attempt ran. */
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
const pass = (seconds: number) => jest.advanceTimersByTime(seconds * 1_000);

describe('the back-off after failures', () => {
  it('allows five failures, then doubles the wait after each failure, up to a quarter of an hour', async () => {
    const backoff = guarding(BACKOFF);
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

  it('does not run an attempt during the wait', async () => {
    const backoff = guarding(BACKOFF);
    for (let failure = 1; failure <= 5; failure++) await waitOf(backoff.guard('key', wrong));
    const attempt = jest.fn(right);
    expect(await waitOf(backoff.guard('key', attempt))).toBe(2);
    expect(attempt).not.toHaveBeenCalled();
    await expect(backoff.guard('another key', attempt)).resolves.toBe('in');
  });

  it('clears the failures after a success if the rule says so', async () => {
    const backoff = guarding({ ...BACKOFF, successClears: true });
    for (let round = 1; round <= 3; round++) {
      for (let failure = 1; failure <= 4; failure++) await waitOf(backoff.guard('key', wrong));
      await expect(backoff.guard('key', right)).resolves.toBe('in');
    }
  });

  it('keeps earlier failures after a success if other people can fail under the same key', async () => {
    const backoff = guarding(BACKOFF);
    for (let failure = 1; failure <= 5; failure++) {
      expect(await waitOf(backoff.guard('key', wrong))).toBeUndefined();
      if (failure < 5) await expect(backoff.guard('key', right)).resolves.toBe('in');
    }
    expect(await waitOf(backoff.guard('key', right))).toBe(2);
    pass(2);
    await expect(backoff.guard('key', right)).resolves.toBe('in');
    expect(await waitOf(backoff.guard('key', wrong))).toBeUndefined();
    expect(await waitOf(backoff.guard('key', wrong))).toBe(4);
  });

  it('does not count an attempt that failed for another reason than a wrong secret', async () => {
    const backoff = guarding(BACKOFF);
    for (let failure = 1; failure <= 20; failure++)
      await expect(backoff.guard('key', broken)).rejects.toThrow('the database is down');
  });
});

describe('a failure limit shared by many people', () => {
  const rule = { free: 3, windowSeconds: 3_600, firstWait: 60, longestWait: 60 };

  it('allows its free failures, then one attempt at a time', async () => {
    const budget = guarding(rule);
    const fail = () => waitOf(budget.guard('key', wrong));
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

  it('does not count successes, or attempts that failed for another reason', async () => {
    const budget = guarding(rule);
    for (let round = 1; round <= 20; round++) {
      await expect(budget.guard('key', right)).resolves.toBe('in');
      await expect(budget.guard('key', broken)).rejects.toThrow('down');
    }
  });
});

describe('concurrent attempts', () => {
  beforeEach(() => {
    jest.useRealTimers();
  });

  /** Starts attempts that run until the test calls `end`. */
  function attempts(limit: ReturnType<typeof guarding>, number: number) {
    const running = new Set<(outcome: 'right' | 'wrong' | 'broken') => void>();
    let most = 0;
    let began = 0;
    const outcomes = Array.from({ length: number }, () =>
      limit
        .guard('key', async () => {
          began += 1;
          const outcome = await new Promise<'right' | 'wrong' | 'broken'>((resolve) => {
            running.add(resolve);
            most = Math.max(most, running.size);
          });
          if (outcome === 'wrong') throw new UnauthorizedError();
          if (outcome === 'broken') throw new Error('the database is down');
          return 'in';
        })
        .then(
          (result) => result,
          (error: unknown) => (error instanceof TooManyRequestsError ? 'refused' : 'failed'),
        ),
    );
    /** Ends the running attempts repeatedly, until all attempts have an answer. */
    const end = async (outcome: 'right' | 'wrong' | 'broken') => {
      const ending = setInterval(() => {
        for (const resolve of running) resolve(outcome);
        running.clear();
      }, 5);
      return await Promise.all(outcomes).finally(() => {
        clearInterval(ending);
      });
    };
    return { end, most: () => most, began: () => began };
  }

  it('all succeed with the right secret, both six and thirty at once', async () => {
    for (const number of [6, 30]) {
      const many = attempts(guarding(BACKOFF), number);
      expect(await many.end('right')).toEqual(Array(number).fill('in'));
      // If more attempts ran at once, more than five could fail.
      expect(many.most()).toBe(5);
    }
  });

  it('run as five guesses with a wrong secret; the others are refused', async () => {
    const many = attempts(guarding(BACKOFF), 30);
    const outcomes = await many.end('wrong');
    expect(many.began()).toBe(5);
    expect(outcomes.filter((outcome) => outcome === 'failed')).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(25);
  });

  it('do not count if they fail because of a server error', async () => {
    const limit = guarding(BACKOFF);
    expect(await attempts(limit, 8).end('broken')).toEqual(Array(8).fill('failed'));
    expect(await attempts(limit, 8).end('right')).toEqual(Array(8).fill('in'));
  });

  it('run one at a time after the free failures are used up', async () => {
    const limit = guarding({ ...BACKOFF, firstWait: 1, longestWait: 1 });
    for (let failure = 1; failure <= 5; failure++) await waitOf(limit.guard('key', wrong));
    await sleep(1_010);
    const many = attempts(limit, 5);
    const outcomes = await many.end('wrong');
    expect(many.began()).toBe(1);
    expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(4);
  });
});

describe('several limits together', () => {
  it('do not count an attempt that one of them refuses', async () => {
    const limits = failureLimits();
    const mine = { key: 'mine', rule: BACKOFF };
    const all = { key: 'all', rule: { free: 1, windowSeconds: 3_600, firstWait: 60, longestWait: 60 } };
    expect(await waitOf(limits.guard([mine, all], wrong))).toBeUndefined();
    for (let attempt = 1; attempt <= 10; attempt++)
      expect(await waitOf(limits.guard([mine, all], wrong))).toBe(60);
    expect(await limits.failures('mine')).toBe(1);
    expect(await waitOf(limits.guard([mine], wrong))).toBeUndefined();
  });
});
