import { describe, expect, it } from '@jest/globals';
import { SharedCheck } from './shared-check.js';

describe('a shared check', () => {
  it('runs once for all who ask while it lasts and for a while after', async () => {
    let runs = 0;
    let now = 0;
    const check = new SharedCheck(
      () => Promise.resolve(++runs),
      1_000,
      () => now,
    );
    expect(await Promise.all([check.ask(), check.ask(), check.ask()])).toEqual([1, 1, 1]);
    now = 999;
    expect(await check.ask()).toBe(1);
    now = 1_000;
    expect(await check.ask()).toBe(2);
  });

  it('does not start another run beside one that hangs', () => {
    let runs = 0;
    let now = 0;
    const check = new SharedCheck(
      () => {
        runs++;
        return new Promise<never>(() => undefined);
      },
      1_000,
      () => now,
    );
    void check.ask();
    now = 60_000;
    void check.ask();
    expect(runs).toBe(1);
  });
});
