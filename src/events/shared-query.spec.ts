import { describe, expect, it } from '@jest/globals';
import { SharedQuery } from './shared-query.js';

/** A query whose runs end when the test says so; each run's answer is its number. */
function controlled() {
  const ends: { resolve: () => void; reject: () => void }[] = [];
  let running = 0;
  let most = 0;
  const shared = new SharedQuery(() => {
    most = Math.max(most, ++running);
    const run = ends.length + 1;
    return new Promise<number>((resolve, reject) => {
      ends.push({
        resolve: () => {
          running--;
          resolve(run);
        },
        reject: () => {
          running--;
          reject(new Error(`run ${run}`));
        },
      });
    });
  });
  return { shared, ends, most: () => most };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a shared query', () => {
  it('starts at once when none is running', async () => {
    const { shared, ends } = controlled();
    const answer = shared.ask();
    expect(ends).toHaveLength(1);
    ends[0]?.resolve();
    expect(await answer).toBe(1);
  });

  it('gives those who come meanwhile the next run, which they share', async () => {
    const { shared, ends, most } = controlled();
    const first = shared.ask();
    const later = [shared.ask(), shared.ask(), shared.ask()];
    expect(ends).toHaveLength(1);
    ends[0]?.resolve();
    expect(await first).toBe(1);
    await settle();
    expect(ends).toHaveLength(2);
    ends[1]?.resolve();
    expect(await Promise.all(later)).toEqual([2, 2, 2]);
    expect(most()).toBe(1);
  });

  it('gives nobody a run that started before the question', async () => {
    const { shared, ends } = controlled();
    void shared.ask();
    const second = shared.ask();
    ends[0]?.resolve();
    await settle();
    const third = shared.ask();
    ends[1]?.resolve();
    await settle();
    ends[2]?.resolve();
    expect(await second).toBe(2);
    expect(await third).toBe(3);
  });

  it('reports a failure to those who share the run and goes on', async () => {
    const { shared, ends } = controlled();
    const first = shared.ask();
    const second = shared.ask();
    ends[0]?.reject();
    await expect(first).rejects.toThrow('run 1');
    await settle();
    ends[1]?.resolve();
    expect(await second).toBe(2);
    const third = shared.ask();
    ends[2]?.resolve();
    expect(await third).toBe(3);
  });

  it('starts afresh after it was idle', async () => {
    const { shared, ends } = controlled();
    const first = shared.ask();
    ends[0]?.resolve();
    await first;
    const second = shared.ask();
    expect(ends).toHaveLength(2);
    ends[1]?.resolve();
    expect(await second).toBe(2);
  });
});
