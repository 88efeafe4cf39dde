import { describe, expect, it } from '@jest/globals';
import { dueEmail, type PledgeOfDonor, stepsOf } from './due-step.js';

const STEPS = stepsOf([21, 2, 7]);
const EVENING = new Date('2026-11-21T21:00:00Z');
const NIGHT = new Date('2026-11-22T01:00:00Z');

const pledge = (id: string, pledgedAt = EVENING, steps: string[] = []): PledgeOfDonor => ({
  id,
  pledgedAt,
  steps,
});
const on = (day: number) => new Date(Date.parse('2026-11-21T12:00:00Z') + day * 86_400_000);
const due = (pledges: PledgeOfDonor[], day: number) => dueEmail(pledges, STEPS, on(day), 'UTC');

describe('stepsOf()', () => {
  it('sorts the days, and adds the last e-mail 14 days later', () => {
    expect(STEPS.map(({ name, day }) => [name, day])).toEqual([
      ['day-2', 2],
      ['day-7', 7],
      ['day-21', 21],
      ['last', 35],
    ]);
    expect(stepsOf([])).toEqual([]);
  });
});

describe('dueEmail()', () => {
  it.each([
    [0, undefined],
    [1, undefined],
    [2, 'day-2'],
    [5, 'day-2'],
    [6, undefined],
    [7, 'day-7'],
    [10, 'day-7'],
    [11, undefined],
    [21, 'day-21'],
    [25, undefined],
    [35, 'last'],
    [38, 'last'],
    [39, undefined],
    [400, undefined],
  ])('on day %d, the newest step of at most three days ago is %s', (day, step) => {
    expect(due([pledge('a')], day)?.step).toBe(step);
  });

  it.each(['day-7', 'day-21', 'last'])('sends no earlier step after %s', (done) => {
    expect(due([pledge('a', EVENING, ['thanks', done])], 7)).toBeUndefined();
    expect(due([pledge('a', EVENING, ['thanks', 'asked', 'letter', 'day-2'])], 7)?.step).toBe('day-7');
  });

  it('covers a pledge after midnight with the e-mail about the pledge before it', () => {
    const pledges = [pledge('a'), pledge('b', NIGHT)];
    expect(due(pledges, 2)?.covered).toEqual([
      { pledgeId: 'a', step: 'day-2' },
      { pledgeId: 'b', step: 'day-2' },
    ]);
    const after = [pledge('a', EVENING, ['day-2']), pledge('b', NIGHT, ['day-2'])];
    expect(due(after, 3)).toBeUndefined();
  });

  it('a pledge of ten days later keeps its own days, and the e-mail is not the last one', () => {
    const pledges = [pledge('a'), pledge('b', on(10))];
    expect(due(pledges, 21)).toEqual({
      kind: 'pledge_reminder',
      step: 'day-21',
      covered: [{ pledgeId: 'a', step: 'day-21' }],
    });
    expect(due([pledge('a', EVENING, ['day-21']), pledge('b', on(10), ['day-21'])], 35)?.kind).toBe(
      'pledge_reminder',
    );
    expect(due([pledge('a')], 35)?.kind).toBe('pledge_last');
  });
});
