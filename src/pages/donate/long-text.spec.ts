import { describe, expect, it } from '@jest/globals';
import { splitLong } from './long-text.js';

const SENTENCE = 'Every amount keeps the light on for the boats that come home late.';

describe('splitLong()', () => {
  it('keeps a short text whole', () => {
    const text = `${SENTENCE} ${SENTENCE} ${SENTENCE} ${SENTENCE}`;
    expect(splitLong(text, 'en')).toEqual([text, '']);
  });

  it('splits a long text after a sentence and loses no word', () => {
    const text = Array.from({ length: 12 }, () => SENTENCE).join(' ');
    const [start, rest] = splitLong(text, 'en');
    expect(start).toMatch(/late\.$/);
    expect(start.length).toBeLessThanOrEqual(280);
    expect(`${start} ${rest}`).toBe(text);
  });

  it('splits one very long sentence after a word', () => {
    const text = Array.from({ length: 120 }, (_, index) => `word${index}`).join(' ');
    const [start, rest] = splitLong(text, 'en');
    expect(start).toMatch(/word\d+ …$/);
    expect(`${start.slice(0, -2)} ${rest}`).toBe(text);
  });

  it('splits a programme of many short lines', () => {
    const [start, rest] = splitLong(Array.from({ length: 20 }, () => '19:00 Doors').join('\n'), 'en');
    expect(start.split('\n').length).toBeLessThan(8);
    expect(rest.split('\n').length).toBeGreaterThan(12);
  });

  it('keeps a text whole that has no place for a split', () => {
    const text = 'x'.repeat(600);
    expect(splitLong(text, 'en')).toEqual([text, '']);
  });
});
