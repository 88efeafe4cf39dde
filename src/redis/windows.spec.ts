import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Counters, Windows } from './counters.js';

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
  jest.useRealTimers();
});
const pass = (ms: number) => jest.advanceTimersByTime(ms);

describe('counters in memory', () => {
  it('count from the first hit to the end of its window, and then again from zero', () => {
    const windows = new Windows(10);
    expect(windows.add('a', 1, 1_000)).toEqual({ count: 1, resetSeconds: 1 });
    pass(999);
    expect(windows.add('a', 1, 1_000)).toEqual({ count: 2, resetSeconds: 1 });
    expect(windows.read('a')?.count).toBe(2);
    pass(1);
    expect(windows.read('a')).toBeUndefined();
    expect(windows.add('a', 1, 1_000)).toEqual({ count: 1, resetSeconds: 1 });
  });

  it('expire at the right time even after the system clock was ahead and is corrected', () => {
    const windows = new Windows(10);
    jest.setSystemTime(3 * 3_600_000);
    windows.add('a', 1, 1_000);
    jest.setSystemTime(0);
    pass(1_000);
    expect(windows.read('a')).toBeUndefined();
    expect(windows.add('a', 1, 1_000).count).toBe(1);
  });

  it('remove a hit, and forget a key', () => {
    const windows = new Windows(10);
    windows.add('a', 1, 1_000);
    windows.add('a', 1, 1_000);
    expect(windows.add('a', -1, 1_000).count).toBe(1);
    windows.forget('a');
    expect(windows.read('a')).toBeUndefined();
  });

  it("keep the length of a key's window, even if a later call asks for another", () => {
    const windows = new Windows(10);
    expect(windows.add('turn', 1, 2_000)).toEqual({ count: 1, resetSeconds: 2 });
    expect(windows.add('turn', 1, 4_000)).toEqual({ count: 2, resetSeconds: 2 });
    pass(2_000);
    expect(windows.add('turn', 1, 4_000)).toEqual({ count: 1, resetSeconds: 4 });
  });

  it('keep a bounded number of keys, and drop the key counted least recently', () => {
    const windows = new Windows(3);
    for (const key of ['a', 'b', 'c', 'd', 'e']) windows.add(key, 1, 60_000);
    expect(windows.read('e')?.count).toBe(1);
    expect(windows.read('a')).toBeUndefined();
    // Keys with short windows must not remove keys with long windows.
    windows.add('long', 1, 3_600_000);
    for (let key = 0; key < 100; key++) windows.add(`short ${key}`, 1, 60_000);
    expect(windows.read('long')?.count).toBe(1);
  });
});

describe('a removed hit', () => {
  it('leaves the other hits, and never makes a window negative', async () => {
    const counters = new Counters({ client: undefined } as never);
    await counters.hit('a', 3, 60);
    await counters.hit('a', 3, 60);
    await counters.takeBack('a', 60);
    expect(await counters.read('a')).toMatchObject({ count: 1 });
    for (let time = 0; time < 3; time += 1) await counters.takeBack('a', 60);
    expect(await counters.read('a')).toBeUndefined();
    expect(await counters.hit('a', 3, 60)).toMatchObject({ count: 1 });
    pass(60_000);
    await counters.takeBack('a', 60);
    expect(await counters.hit('a', 3, 60)).toMatchObject({ count: 1, resetSeconds: 60 });
  });
});
