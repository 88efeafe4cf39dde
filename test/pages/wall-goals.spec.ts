import { describe, expect, it } from '@jest/globals';
import { currentGoal, goalReached, goalsOf } from '../../web/wall/goals.js';

describe('goals of the wall', () => {
  it.each([
    [0, undefined, []],
    [0, 500, []],
    [100, undefined, [100]],
    [100, 100, [100]],
    [100, 99, [100]],
    [100, 101, [100, 101]],
  ])('goal %d with next goal %s gives %j', (goal, next, goals) => {
    expect(goalsOf(goal, next)).toEqual(goals);
  });

  it.each([
    [0, 99, undefined],
    [99, 100, 100],
    [100, 150, undefined],
    [150, 200, 200],
    [0, 250, 200],
    [250, 90, undefined],
  ])('a total that moves from %d to %d reaches %s', (before, after, goal) => {
    expect(goalReached([100, 200], before, after)).toBe(goal);
  });

  it.each([
    [99, 100],
    [100, 200],
    [200, 200],
    [900, 200],
  ])('at a total of %d the wall works towards %d', (total, goal) => {
    expect(currentGoal([100, 200], total)).toBe(goal);
  });

  it('an event without a goal works towards none', () => {
    expect(currentGoal([], 100)).toBeUndefined();
  });
});
