import { describe, expect, it } from '@jest/globals';
import { contrastOf, contrastWarnings, readColour } from './contrast.js';

describe('contrastOf()', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#fff', '#FFFFFF', 1],
    ['#777777', '#ffffff', 4.48],
    ['rgb(118, 118, 118)', '#ffffff', 4.54],
    ['#0000ff', '#ffffff', 8.59],
  ])('gives the WCAG contrast of %s and %s as %d', (one, other, expected) => {
    expect(contrastOf(readColour(one)!, readColour(other)!)).toBeCloseTo(expected, 2);
  });

  it.each(['', 'teal', '#12', '#12345', '#12345g', 'rgb(1, 2)', 'var(--x)'])(
    'ignores %p, which is not a colour',
    (text) => {
      expect(readColour(text)).toBeUndefined();
    },
  );
});

describe('contrastWarnings()', () => {
  it('warn about unreadable branding colours and never about defaults', () => {
    expect(contrastWarnings({})).toEqual([]);
    expect(contrastWarnings({ '--gap': '2px', '--brand-color': '#0a5c2f' })).toEqual([]);
    expect(contrastWarnings({ '--brand-color': '#ffee00' })).toEqual([
      { text: '--brand-color', background: '--background-color', ratio: 1.1, needed: 4.5 },
      { text: '#ffffff', background: '--brand-color', ratio: 1.2, needed: 4.5 },
    ]);
    expect(contrastWarnings({ '--text-color': '#fff', '--background-color': '#ffe' })).toEqual([
      { text: '--text-color', background: '--background-color', ratio: 1, needed: 4.5 },
    ]);
    expect(contrastWarnings({ '--text-color': 'papayawhip' })).toEqual([]);
  });
});
