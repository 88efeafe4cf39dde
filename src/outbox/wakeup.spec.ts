import { describe, expect, it } from '@jest/globals';
import { Wakeup } from './wakeup.js';

describe('a loop that sleeps', () => {
  const elapsed = async (work: Promise<void>) => {
    const began = performance.now();
    await work;
    return performance.now() - began;
  };

  it('wakes at the call, not at the end of the time', async () => {
    const wakeup = new Wakeup();
    setTimeout(() => {
      wakeup.raise();
    }, 10);
    expect(await elapsed(wakeup.wait(5_000))).toBeLessThan(1_000);
  });

  it('does not sleep when it was called while awake, and sleeps again after that', async () => {
    const wakeup = new Wakeup();
    wakeup.raise();
    wakeup.raise();
    expect(await elapsed(wakeup.wait(5_000))).toBeLessThan(1_000);
    expect(await elapsed(wakeup.wait(30))).toBeGreaterThanOrEqual(25);
  });
});
