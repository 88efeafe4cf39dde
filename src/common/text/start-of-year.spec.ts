import { describe, expect, it } from '@jest/globals';
import { startOfYear } from './start-of-year.js';

describe('the start of a year', () => {
  it.each([
    ['UTC', '2026-01-01T00:00:00.000Z'],
    ['Europe/Berlin', '2025-12-31T23:00:00.000Z'],
    ['America/New_York', '2026-01-01T05:00:00.000Z'],
    ['Pacific/Auckland', '2025-12-31T11:00:00.000Z'],
    ['Asia/Kathmandu', '2025-12-31T18:15:00.000Z'],
  ])('in %s is %s', (timezone, moment) => {
    expect(startOfYear(2026, timezone).toISOString()).toBe(moment);
  });
});
