import { describe, expect, it } from '@jest/globals';
import { localIso } from './local-time.js';

describe('local time', () => {
  it.each([
    ['2026-11-21T19:30:00Z', 'Europe/Berlin', '2026-11-21T20:30:00+01:00'],
    // The hour from two to three is there twice in the night that ends summer time.
    ['2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25T02:30:00+02:00'],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25T02:30:00+01:00'],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29T03:00:00+02:00'],
    ['2026-07-01T00:15:00Z', 'Asia/Kolkata', '2026-07-01T05:45:00+05:30'],
    ['2026-07-01T23:00:00Z', 'UTC', '2026-07-01T23:00:00+00:00'],
    ['2026-01-01T00:00:00Z', 'America/St_Johns', '2025-12-31T20:30:00-03:30'],
  ])('%s in %s is %s', (time, timezone, local) => {
    expect(localIso(new Date(time), timezone)).toBe(local);
  });
});
