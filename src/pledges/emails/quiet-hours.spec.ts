import { describe, expect, it } from '@jest/globals';
import { daysBetween, quietMs } from './quiet-hours.js';

const HOUR_MS = 3_600_000;
const hours = (time: string, timezone: string) => quietMs(new Date(time), timezone) / HOUR_MS;

describe('quietMs()', () => {
  it.each([
    ['2026-11-21T07:59:00Z', 1 / 60],
    ['2026-11-21T08:00:00Z', 0],
    ['2026-11-21T19:59:59Z', 0],
    ['2026-11-21T20:00:00Z', 12],
    ['2026-11-21T23:30:00Z', 8.5],
    ['2026-11-22T00:00:30Z', 8 - 30 / 3_600],
  ])('at %s in UTC, the quiet hours end in %d hours', (time, expected) => {
    expect(hours(time, 'UTC')).toBeCloseTo(expected, 6);
  });

  it.each([
    ['Asia/Tokyo', '2026-11-21T11:00:00Z', 12],
    ['Asia/Kolkata', '2026-11-21T14:29:00Z', 0],
    ['Asia/Kolkata', '2026-11-21T14:30:00Z', 12],
    ['America/Los_Angeles', '2026-11-21T15:30:00Z', 0.5],
    ['Pacific/Auckland', '2026-11-20T19:00:00Z', 0],
  ])('in %s at %s, the quiet hours end in %d hours', (timezone, time, expected) => {
    expect(hours(time, timezone)).toBeCloseTo(expected, 6);
  });

  it('end at 08:00 in the nights in which the clocks change', () => {
    // 20:00 in Berlin before the shorter and the longer night.
    expect(hours('2026-03-28T19:00:00Z', 'Europe/Berlin')).toBe(11);
    expect(hours('2026-10-24T18:00:00Z', 'Europe/Berlin')).toBe(13);
    // The hour from 02:00 to 03:00 occurs twice.
    expect(hours('2026-10-25T00:30:00Z', 'Europe/Berlin')).toBe(6.5);
    expect(hours('2026-10-25T01:30:00Z', 'Europe/Berlin')).toBe(5.5);
  });
});

describe('daysBetween()', () => {
  it('counts local midnights, also on days of 23 and 25 hours', () => {
    const days = (from: string, to: string, timezone: string) =>
      daysBetween(new Date(from), new Date(to), timezone);
    expect(days('2026-03-28T22:30:00Z', '2026-03-29T21:30:00Z', 'Europe/Berlin')).toBe(1);
    expect(days('2026-10-24T22:30:00Z', '2026-10-25T22:30:00Z', 'Europe/Berlin')).toBe(0);
    expect(days('2026-11-21T14:59:00Z', '2026-11-21T15:01:00Z', 'Asia/Tokyo')).toBe(1);
    expect(days('2026-11-21T12:00:00Z', '2026-11-21T13:00:00Z', 'UTC')).toBe(0);
  });
});
