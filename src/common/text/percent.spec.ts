import { expect, it } from '@jest/globals';
import { percentOf } from './percent.js';

it.each([
  [150, 10_000, 1],
  [199, 10_000, 1],
  [29, 100, 29],
  [57, 100, 57],
  [9_999_999, 10_000_000, 99],
  [10_000_000, 10_000_000, 100],
  [8_765_432, 10_000, 87_654],
  [0, 5, 0],
  [9_007_199_254_740_991, 9_007_199_254_740_992, 99],
])('%i of %i is %i percent, rounded down', (part, whole, percent) => {
  expect(percentOf(part, whole)).toBe(percent);
});
