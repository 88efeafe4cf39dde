import { describe, expect, it } from '@jest/globals';
import { readCssColour } from './css-colour.js';
import { toHex } from './palette.js';

describe('readCssColour()', () => {
  it.each([
    ['#ABC', '#aabbcc'],
    ['#abcd', '#aabbcc'],
    ['#0d5c4c80', '#0d5c4c'],
    ['Teal', '#008080'],
    ['rebeccapurple', '#663399'],
    ['rgb(12, 34, 56)', '#0c2238'],
    ['rgb(12 34 56 / 50%)', '#0c2238'],
    ['rgba(100%, 50%, 0%, 0.3)', '#ff8000'],
    ['rgb(400 -5 none)', '#ff0000'],
    ['hsl(168 75% 21%)', '#0d5e4e'],
    ['hsl(0.5turn, 100%, 50%)', '#00ffff'],
    ['hsla(-120deg, 100%, 25%, 1)', '#000080'],
    ['hwb(0 20% 40%)', '#993333'],
    ['hwb(90 60% 60%)', '#808080'],
    ['color(srgb 1 0.5 0)', '#ff8000'],
    ['oklch(0.628 0.2577 29.23)', '#ff0000'],
    ['oklab(100% 0 0)', '#ffffff'],
    ['lab(54.29 80.8 69.89)', '#ff0000'],
    ['lch(100 0 0)', '#ffffff'],
  ])('reads %s as %s', (text, expected) => {
    const colour = readCssColour(text);
    expect(colour && toHex(colour)).toBe(expected);
  });

  it.each([
    '',
    'no colour',
    '#12',
    'rgb(1 2)',
    'var(--x)',
    'color(display-p3 1 0 0)',
    'bold',
    'constructor',
    'calc(1)',
    'constructor(1 2 3)',
  ])('does not read %p as a colour', (text) => {
    expect(readCssColour(text)).toBeUndefined();
  });
});
