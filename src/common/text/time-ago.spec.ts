import { describe, expect, it } from '@jest/globals';
import { timeAgo } from './time-ago.js';

const NOW = new Date('2026-11-27T20:00:00Z');
const MINUTE = 60_000;
const ago = (minutes: number, locale = 'en') =>
  timeAgo(new Date(NOW.getTime() - minutes * MINUTE), NOW, locale);

describe('timeAgo', () => {
  it.each([
    [0, 'now'],
    [0.99, 'now'],
    [1, '1 minute ago'],
    [59.9, '59 minutes ago'],
    [60, '1 hour ago'],
    [24 * 60 - 1, '23 hours ago'],
    [24 * 60, 'yesterday'],
    [29 * 24 * 60, '29 days ago'],
    [30 * 24 * 60, 'last month'],
    [800 * 24 * 60, '2 years ago'],
  ])('%d minutes are "%s"', (minutes, text) => {
    expect(ago(minutes)).toBe(text);
  });

  it('a moment in the future, from a wrong clock, is now', () => {
    expect(ago(-5)).toBe('now');
  });

  it('uses the words of the locale', () => {
    expect(ago(0, 'de')).toBe('jetzt');
    expect(ago(5, 'fr')).toBe('il y a 5 minutes');
  });
});
