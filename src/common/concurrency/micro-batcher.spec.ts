import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.js';
import { MicroBatcher } from './concurrency.js';

/**
 * Returns a batcher of texts such as `a1` (the letter is the lane) with a log of its batches. Each batch runs until the test
 * ends it.
 */
function batcher(maxBatch = 64, maxRunning = 4, patienceMs?: number, restMs?: number) {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  const made = new MicroBatcher<string, string>(
    async (items) => {
      begun.push(items.join(' '));
      await new Promise<void>((resolve) => waiting.push(resolve));
      return items.map((item) => item.toUpperCase());
    },
    {
      maxBatch,
      maxWaiting: 100,
      laneOf: (item) => item.charAt(0),
      maxRunning,
      patienceMs,
      restMs,
    },
  );
  return { made, begun, letGo: (index: number) => waiting[index]?.() };
}

describe('items that arrive together', () => {
  it('form one batch even if none was running', async () => {
    const { made, begun, letGo } = batcher();
    const all = Promise.all(['a1', 'a2', 'a3'].map((item) => made.add(item)));
    expect(begun).toEqual([]);
    await nextTurn();
    expect(begun).toEqual(['a1 a2 a3']);
    letGo(0);
    expect(await all).toEqual(['A1', 'A2', 'A3']);
  });

  it('start without a timer: a single one runs in the next turn of the event loop', async () => {
    const { made, begun, letGo } = batcher();
    const one = made.add('a1');
    await nextTurn();
    expect(begun).toEqual(['a1']);
    letGo(0);
    expect(await one).toBe('A1');
  });

  it('wait while a batch of their lane runs, and then form batches of limited size', async () => {
    const { made, begun, letGo } = batcher(2);
    const all = ['a1', 'a2', 'a3', 'a4', 'a5'].map((item) => made.add(item));
    await nextTurn();
    expect(begun).toEqual(['a1 a2']);
    for (const index of [0, 1, 2]) {
      letGo(index);
      await nextTurn();
    }
    expect(begun).toEqual(['a1 a2', 'a3 a4', 'a5']);
    expect(await Promise.all(all)).toHaveLength(5);
  });
});

describe('a pause between batches', () => {
  it('collects the items that arrive meanwhile; the first item does not wait', async () => {
    const { made, begun, letGo } = batcher(64, 4, undefined, 200);
    const began = performance.now();
    const all = [made.add('a1')];
    await nextTurn();
    expect(begun).toEqual(['a1']);
    letGo(0);
    await all[0];
    all.push(made.add('a2'));
    await nextTurn();
    all.push(made.add('a3'));
    await nextTurn();
    expect(begun).toEqual(['a1']);
    await until(() => begun.length === 2, 'the second batch');
    // A timer of Node may fire a millisecond early.
    expect(performance.now() - began).toBeGreaterThan(198);
    expect(begun[1]).toBe('a2 a3');
    letGo(1);
    expect(await Promise.all(all)).toEqual(['A1', 'A2', 'A3']);
  });
});

describe('a batch that hangs', () => {
  it('does not block its own lane once its time limit is over', async () => {
    const { made, begun, letGo } = batcher(64, 1, 20);
    const held = made.add('a1');
    await nextTurn();
    const next = [made.add('a2'), made.add('b1')];
    await until(() => begun.length === 2, 'the next batch');
    expect(made.oldestMs).toBeGreaterThan(15);
    letGo(1);
    await until(() => begun.length === 3, 'the other lane');
    letGo(2);
    expect(await Promise.all(next)).toEqual(['A2', 'B1']);
    letGo(0);
    expect(await held).toBe('A1');
    expect(made.oldestMs).toBe(0);
  });

  it('does not block other lanes', async () => {
    const { made, begun, letGo } = batcher();
    const held = made.add('a1');
    await nextTurn();
    const next = made.add('a2');
    for (const [index, item] of ['b1', 'c1', 'b2', 'b3'].entries()) {
      const one = made.add(item);
      await nextTurn();
      letGo(index + 1);
      expect(await one).toBe(item.toUpperCase());
    }
    expect(begun).toEqual(['a1', 'b1', 'c1', 'b2', 'b3']);
    letGo(0);
    expect(await held).toBe('A1');
    await nextTurn();
    letGo(5);
    expect(await next).toBe('A2');
  });
});
