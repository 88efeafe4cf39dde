import { describe, expect, it } from '@jest/globals';
import { dateInWords, localDay, localIso } from './local-time.js';

describe('local time', () => {
  it.each([
    ['2026-11-21T19:30:00Z', 'Europe/Berlin', '2026-11-21T20:30:00+01:00'],
    // In the night that ends summer time, the hour from two to three occurs twice.
    ['2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25T02:30:00+02:00'],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25T02:30:00+01:00'],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29T03:00:00+02:00'],
    ['2026-07-01T00:15:00Z', 'Asia/Kolkata', '2026-07-01T05:45:00+05:30'],
    ['2026-07-01T23:00:00Z', 'UTC', '2026-07-01T23:00:00+00:00'],
    ['2026-01-01T00:00:00Z', 'America/St_Johns', '2025-12-31T20:30:00-03:30'],
  ])('%s in %s is %s', (time, timezone, local) => {
    expect(localIso(new Date(time), timezone)).toBe(local);
  });

  it.each([
    'Europe/Berlin',
    'America/St_Johns',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'UTC',
  ])(
    'is the local time of %s, at every half hour of a year and on the day that one zone skipped',
    (timezone) => {
      const clock = new Intl.DateTimeFormat('sv', {
        timeZone: timezone,
        dateStyle: 'short',
        timeStyle: 'medium',
      });
      const from = [Date.UTC(2026, 0, 1), Date.UTC(2011, 11, 28)];
      const halfHours = [365 * 48, 4 * 48];
      for (const [index, start] of from.entries())
        for (let n = 0; n < (halfHours[index] ?? 0); n++) {
          const time = new Date(start + n * 1_800_000);
          const local = localIso(time, timezone);
          if (
            local.slice(0, 19) !== clock.format(time).replace(' ', 'T') ||
            Date.parse(local) !== time.getTime()
          )
            expect({ time: time.toISOString(), local }).toEqual(clock.format(time));
        }
    },
  );
});

describe('a date in words', () => {
  const time = new Date('2026-11-28T01:30:00Z');

  it.each([
    ['en', 'Europe/London', 'gbp', '28 November 2026'],
    ['en', 'Europe/London', undefined, '28 November 2026'],
    ['en', 'UTC', 'gbp', '28 November 2026'],
    ['en', 'Europe/Berlin', 'usd', '28 November 2026'],
    ['en', 'UTC', 'usd', 'November 28, 2026'],
    ['en', 'America/New_York', 'usd', 'November 27, 2026'],
    ['en-GB', 'America/New_York', 'usd', '27 November 2026'],
    ['en-US', 'Europe/London', 'gbp', 'November 28, 2026'],
    ['de', 'Europe/Berlin', 'eur', '28. November 2026'],
  ])('in %s at %s for %s is %s', (locale, timezone, currency, text) => {
    expect(dateInWords(time, locale, timezone, { ...(currency !== undefined && { currency }) })).toBe(text);
  });

  it('in a file name is the day at the place of the charity, not in UTC', () => {
    expect(localDay(time, 'America/New_York')).toBe('2026-11-27');
  });
});
