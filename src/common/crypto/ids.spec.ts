import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { isId, newId, timeOfId } from './ids.js';

const NOW = Date.UTC(2026, 10, 21, 20);
const HOUR = 3_600_000;

describe('a new id', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: NOW });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('contains its time, and is greater than earlier ones, also within a millisecond', () => {
    const ids = Array.from({ length: 5_000 }, (_, count) => {
      if (count % 500 === 0) jest.advanceTimersByTime(1);
      return newId();
    });
    expect(ids.every(isId)).toBe(true);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(timeOfId(ids[0] ?? '').getTime()).toBe(NOW + 1);
    expect(timeOfId(ids.at(-1) ?? '').getTime()).toBe(NOW + 10);
  });

  it('is still greater after the clock was set back a little', () => {
    const before = newId();
    jest.setSystemTime(Date.now() - 2_000);
    expect(newId() > before).toBe(true);
  });

  it('has the right time again after a clock that was hours ahead is corrected', () => {
    jest.setSystemTime(NOW + 2 * HOUR);
    newId();
    jest.setSystemTime(NOW + 60_000);
    const [first, second] = [newId(), newId()];
    expect(timeOfId(first).getTime()).toBe(NOW + 60_000);
    expect(second > first).toBe(true);
  });
});
