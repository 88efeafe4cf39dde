import { describe, expect, it } from '@jest/globals';
import { termsOf } from './card-terms.js';

const ready = { most: 500_000, days: 14, secondAdmin: true, confirmAbove: 1_000_000 };
const terms = (date: string, timezone: string) =>
  termsOf({ date: new Date(date), currency: 'eur' }, { ready, timezone });

describe('termsOf()', () => {
  it('ends the card 14 days after the local day of the event', () => {
    expect(terms('2026-11-21T18:00:00Z', 'UTC').validUntil.toISOString()).toBe('2026-12-06T00:00:00.000Z');
    expect(terms('2026-11-21T18:00:00Z', 'Asia/Tokyo').validUntil.toISOString()).toBe(
      '2026-12-06T15:00:00.000Z',
    );
    expect(terms('2026-11-21T18:00:00Z', 'America/New_York').validUntil.toISOString()).toBe(
      '2026-12-06T05:00:00.000Z',
    );
  });

  it('counts local days if the clocks change in between', () => {
    expect(terms('2026-10-20T18:00:00Z', 'Europe/Berlin').validUntil.toISOString()).toBe(
      '2026-11-03T23:00:00.000Z',
    );
    expect(terms('2026-10-24T18:00:00Z', 'Europe/Berlin').pledgedUntil.toISOString()).toBe(
      '2026-10-25T10:00:00.000Z',
    );
  });

  it('covers pledges until noon of the day after the event', () => {
    expect(terms('2026-11-21T18:00:00Z', 'UTC').pledgedUntil.toISOString()).toBe('2026-11-22T12:00:00.000Z');
  });
});
