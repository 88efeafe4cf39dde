import { describe, expect, it } from '@jest/globals';
import { fillText } from './fill-text.js';

describe('a text with placeholders', () => {
  it.each([
    ['Ask {who}.', { who: 'Example Aid e.V.' }, 'Ask Example Aid e.V.'],
    ['Ask {who}.', { who: 'Example Aid' }, 'Ask Example Aid.'],
    ['Ask {who}, please.', { who: 'Example Aid e.V.' }, 'Ask Example Aid e.V., please.'],
    ['{who} asks {who}.', { who: 'A.' }, 'A. asks A.'],
    ['Until {date}.', { date: '9:30 p.m.' }, 'Until 9:30 p.m.'],
    ['{count} of {all}', { count: 1, all: 2 }, '1 of 2'],
    ['{one}', { one: '{two}', two: 'x' }, '{two}'],
    ['{unknown}.', {}, '{unknown}.'],
    ['{constructor}', {}, '{constructor}'],
  ])('"%s" with %j reads "%s"', (text, values, filled) => {
    expect(fillText(text, values)).toBe(filled);
  });
});
