import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Windows } from './counters.js';

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
  jest.useRealTimers();
});
const pass = (ms: number) => jest.advanceTimersByTime(ms);

describe('counters in the process', () => {
  it('count from the first hit to the end of its window, and then anew', () => {
    const windows = new Windows(10);
    expect(windows.add('a', 1, 1_000)).toMatchObject({ hits: 1, endsAt: 1_000 });
    pass(999);
    expect(windows.add('a', 1, 1_000)).toMatchObject({ hits: 2, endsAt: 1_000 });
    expect(windows.read('a')?.hits).toBe(2);
    pass(1);
    expect(windows.read('a')).toBeUndefined();
    expect(windows.add('a', 1, 1_000)).toMatchObject({ hits: 1, endsAt: 2_000 });
  });

  it('end when their time is over, also when the clock of the system was ahead and is set right', () => {
    const windows = new Windows(10);
    jest.setSystemTime(3 * 3_600_000);
    windows.add('a', 1, 1_000);
    jest.setSystemTime(0);
    pass(1_000);
    expect(windows.read('a')).toBeUndefined();
    expect(windows.add('a', 1, 1_000).hits).toBe(1);
  });

  it('take back, and forget', () => {
    const windows = new Windows(10);
    windows.add('a', 1, 1_000);
    windows.add('a', 1, 1_000);
    expect(windows.add('a', -1, 1_000).hits).toBe(1);
    windows.forget('a');
    expect(windows.read('a')).toBeUndefined();
  });

  it('of many keys do not pile up: those that began first are forgotten', () => {
    const windows = new Windows(3);
    for (const key of ['a', 'b', 'c', 'd', 'e']) windows.add(key, 1, 60_000);
    expect(windows.read('e')?.hits).toBe(1);
    expect(windows.read('a')).toBeUndefined();
    // Long windows are not pushed out by short ones.
    windows.add('long', 1, 3_600_000);
    for (let key = 0; key < 100; key++) windows.add(`short ${key}`, 1, 60_000);
    expect(windows.read('long')?.hits).toBe(1);
  });

  it('whose window is over go as new ones come', () => {
    const windows = new Windows(1_000);
    for (let key = 0; key < 500; key++) windows.add(`old ${key}`, 1, 1_000);
    pass(2_000);
    for (let key = 0; key < 300; key++) windows.add(`new ${key}`, 1, 1_000);
    const kept = (windows as unknown as { byLength: Map<number, Map<string, unknown>> }).byLength.get(1_000);
    expect(kept?.size).toBe(300);
  });
});
