import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../errors/domain-errors.js';
import { Semaphore } from './concurrency.js';

/** Returns tasks that the test ends by name, and a log of the order in which they began. */
function workshop(semaphore: Semaphore) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, rank?: number) =>
    semaphore.run(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    }, rank);
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { begun, start, end };
}

describe('a semaphore', () => {
  it('runs a limited number of tasks at once, and the others in order of arrival', async () => {
    const { begun, start, end } = workshop(new Semaphore(2));
    const all = ['a', 'b', 'c', 'd'].map((name) => start(name));
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c', 'd']) await end(name);
    await expect(Promise.all(all)).resolves.toEqual(['a', 'b', 'c', 'd']);
  });

  it('runs a lower rank first, independent of its arrival', async () => {
    const { begun, start, end } = workshop(new Semaphore(1));
    const all = [start('first'), start('greedy', 3), start('also greedy', 3), start('modest', 1)];
    for (const name of ['first', 'modest', 'greedy', 'also greedy']) await end(name);
    await Promise.all(all);
    expect(begun).toEqual(['first', 'modest', 'greedy', 'also greedy']);
  });

  it('gives the last place of a full queue to a lower rank, and refuses the task it replaces', async () => {
    const { start, end } = workshop(new Semaphore(1, { length: 1 }));
    const first = start('first');
    const greedy = start('greedy', 3);
    const modest = start('modest', 1);
    await expect(greedy).rejects.toBeInstanceOf(UnavailableError);
    await expect(start('greedy again', 3)).rejects.toBeInstanceOf(UnavailableError);
    await end('first');
    await end('modest');
    await expect(Promise.all([first, modest])).resolves.toEqual(['first', 'modest']);
  });

  it('refuses a task that waited too long, and still runs the next one', async () => {
    const semaphore = new Semaphore(1, { maxWaitMs: 20, refusal: () => new Error('too long') });
    const { begun, start, end } = workshop(semaphore);
    const first = start('first');
    await expect(start('late')).rejects.toThrow('too long');
    const second = start('second');
    await end('first');
    await end('second');
    await Promise.all([first, second]);
    expect(begun).toEqual(['first', 'second']);
  });

  it('releases its slot when a task fails', async () => {
    const semaphore = new Semaphore(1);
    const failing = semaphore.run(() => Promise.reject(new Error('broken')));
    const next = semaphore.run(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('broken');
    await expect(next).resolves.toBe('done');
  });
});
