import { describe, expect, it } from '@jest/globals';
import { startOfDay } from './start-of-day.js';

describe('the start of a day', () => {
  it.each([
    ['UTC', '2026-01-01T00:00:00.000Z'],
    ['Europe/Berlin', '2025-12-31T23:00:00.000Z'],
    ['America/New_York', '2026-01-01T05:00:00.000Z'],
    ['Pacific/Auckland', '2025-12-31T11:00:00.000Z'],
    ['Asia/Kathmandu', '2025-12-31T18:15:00.000Z'],
  ])('in %s is %s', (timezone, moment) => {
    expect(startOfDay('2026-01-01', timezone).toISOString()).toBe(moment);
  });

  it('the start of a day is midnight of the local clock, also on a day on which the clocks change', () => {
    expect(startOfDay('2026-03-29', 'Europe/Berlin').toISOString()).toBe('2026-03-28T23:00:00.000Z');
    expect(startOfDay('2026-03-29', 'Europe/Berlin', 1).toISOString()).toBe('2026-03-29T22:00:00.000Z');
  });
});
