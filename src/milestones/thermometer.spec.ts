import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  labelled,
  type Mark,
  MOST_LABELS,
  nearlyReached,
  placeBoxes,
  roundAbove,
  thermometer,
} from './thermometer.js';

const marks = (...amounts: number[]): Mark[] => amounts.map((amount) => ({ amount, isReached: false }));
const reached = (...amounts: number[]): Mark[] => amounts.map((amount) => ({ amount, isReached: true }));

describe('the scale of the thermometer', () => {
  it('ends at the lowest mark above the total', () => {
    expect(thermometer(40_000, marks(50_000, 20_000, 60_000))).toMatchObject({
      end: 50_000,
      filled: 0.8,
      next: { amount: 50_000 },
      ticks: [{ at: 0.4 }, { at: 1 }],
    });
    expect(thermometer(50_000, marks(50_000, 60_000)).end).toBe(60_000);
    expect(thermometer(-500, marks(50_000))).toMatchObject({ end: 50_000, filled: 0 });
  });

  it.each([
    [0, 1],
    [1, 2],
    [95, 100],
    [96, 200],
    [199, 250],
    [240, 500],
    [1_000_000, 2_000_000],
    [2 ** 52, 5e15],
  ])('a total of %d without a mark above it ends at the next round number, %d', (total, end) => {
    expect(thermometer(total, [])).toMatchObject({ end, next: undefined });
  });

  it('a step that stays reached after a refund is not the next one', () => {
    const steps = [...reached(50_000), ...marks(60_000)];
    expect(thermometer(49_000, steps)).toMatchObject({ end: 60_000, next: { amount: 60_000 } });
    expect(thermometer(1_000, reached(50_000)).end).toBe(100_000);
  });

  it('the filled part of a growing total becomes smaller only when the scale changes', () => {
    const totals = fc.array(fc.integer({ min: 0, max: 10 ** 12 }), { minLength: 2, maxLength: 20 });
    const amounts = fc.array(fc.integer({ min: 1, max: 10 ** 12 }), { maxLength: 24 });
    fc.assert(
      fc.property(totals, amounts, (some, steps) => {
        const scales = some.sort((a, b) => a - b).map((total) => thermometer(total, marks(...steps)));
        for (const [index, now] of scales.entries()) {
          const before = scales[index - 1];
          expect(now.filled).toBeGreaterThanOrEqual(0);
          expect(now.filled).toBeLessThanOrEqual(1);
          if (before?.end === now.end) expect(now.filled).toBeGreaterThanOrEqual(before.filled);
          if (before) expect(now.end).toBeGreaterThanOrEqual(before.end);
          for (const { at } of now.ticks) expect(at > 0 && at <= 1).toBe(true);
        }
      }),
    );
  });
});

it('the next round number is one of 1, 2, 2.5 and 5 × 10ⁿ', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 52 }), (amount) => {
      const round = roundAbove(amount);
      const digits = String(round).replace(/0+$/, '');
      expect(round > amount && ['1', '2', '25', '5'].includes(digits)).toBe(true);
      expect(round).toBeLessThanOrEqual(Math.max(1, amount) * 2.5);
    }),
  );
});

describe('labels of the thermometer', () => {
  it('the next step comes first, then the reached steps from the highest', () => {
    const steps = [...reached(10, 20, 30), ...marks(25, 40, 50)];
    expect(labelled(thermometer(32, steps)).map(({ mark }) => mark.amount)).toEqual([40, 30, 20, 10]);
  });

  it('placed boxes never overlap, stay on the line, and the first one always has a place', () => {
    const box = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      width: fc.integer({ min: 1, max: 300 }),
    });
    fc.assert(
      fc.property(
        fc.array(box, { minLength: 1, maxLength: 24 }),
        fc.integer({ min: 300, max: 2_000 }),
        (boxes, length) => {
          const starts = placeBoxes(boxes, length, 8, MOST_LABELS);
          const placed = boxes
            .map(({ width }, index) => ({ start: starts[index], width }))
            .filter((one): one is { start: number; width: number } => one.start !== undefined)
            .sort((one, other) => one.start - other.start);
          expect(starts[0]).toBeDefined();
          expect(placed.length).toBeLessThanOrEqual(MOST_LABELS);
          for (const [index, { start, width }] of placed.entries()) {
            expect(start >= 0 && start + width <= length).toBe(true);
            const after = placed[index + 1];
            if (after) expect(start + width + 8).toBeLessThanOrEqual(after.start);
          }
        },
      ),
    );
  });
});

describe('a step that is nearly reached', () => {
  it('names the missing amount if at most a fifth of the step is missing', () => {
    const steps = marks(10_000, 20_000);
    expect(nearlyReached(17_999, steps)).toBeUndefined();
    expect(nearlyReached(18_000, steps)).toMatchObject({ mark: { amount: 20_000 }, missing: 2_000 });
    expect(nearlyReached(19_660, steps)).toMatchObject({ missing: 340 });
    expect(nearlyReached(8_000, steps)).toMatchObject({ mark: { amount: 10_000 }, missing: 2_000 });
    expect(nearlyReached(20_000, steps)).toBeUndefined();
    expect(nearlyReached(20_000, [])).toBeUndefined();
  });
});
