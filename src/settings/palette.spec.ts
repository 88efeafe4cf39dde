import { describe, expect, it } from '@jest/globals';
import { type Colour, contrastOf } from './contrast.js';
import { palette, paletteProperties, readableOn, type Scheme, toHex, USED_TOGETHER } from './palette.js';

const SCHEMES: readonly Scheme[] = ['light', 'dark', 'gala'];

/** Returns a generator of numbers from 0 to 1. The same seed gives the same numbers. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const faults = (given: Parameters<typeof palette>[0], scheme: Scheme): string[] => {
  const colours = palette(given, scheme);
  return USED_TOGETHER.flatMap(([front, back, needed]) => {
    const ratio = contrastOf(colours[front], colours[back]);
    return ratio < needed
      ? [`${scheme} ${JSON.stringify(given)}: ${front} on ${back} has ${ratio.toFixed(2)}`]
      : [];
  });
};

describe('palette()', () => {
  it('makes every text readable and every edge visible for thousands of random brandings', () => {
    const next = numbers(20_261_127);
    const colour = (): Colour | undefined =>
      next() < 0.2
        ? undefined
        : [Math.floor(next() * 256), Math.floor(next() * 256), Math.floor(next() * 256)];
    const found: string[] = [];
    for (let round = 0; round < 2000; round += 1)
      for (const scheme of SCHEMES)
        found.push(...faults({ brand: colour(), paper: colour(), ink: colour() }, scheme));
    expect(found).toEqual([]);
  });

  it('makes every text readable on every grey, where black and white are equally weak', () => {
    const found: string[] = [];
    for (let grey = 0; grey < 256; grey += 1)
      for (const scheme of SCHEMES)
        found.push(...faults({ paper: [grey, grey, grey], ink: [grey, grey, grey] }, scheme));
    expect(found).toEqual([]);
  });

  it.each([
    ['light', '#fbf7f0', '#ffffff', '#16241f', '#0d5c4c', '#ffffff'],
    ['dark', '#0f1a16', '#27312d', '#eef5f1', '#6ed3b4', '#12221d'],
    ['gala', '#1d0f20', '#3a2b35', '#fdf5e6', '#e9bf6b', '#251f11'],
  ] as const)('keeps the default colours of the %s scheme', (scheme, paper, raised, ink, brand, onBrand) => {
    expect(paletteProperties({}, scheme)).toMatchObject({
      '--paper': paper,
      '--surface-raised': raised,
      '--ink': ink,
      '--brand': brand,
      '--brand-ink': brand,
      '--brand-edge': brand,
      '--on-brand': onBrand,
    });
  });

  it('keeps the charity’s readable colours as they are', () => {
    const [brand, paper, ink]: Colour[] = [
      [194, 24, 91],
      [255, 255, 255],
      [20, 20, 20],
    ];
    expect(palette({ brand, paper, ink }, 'dark')).toMatchObject({ brand, paper, ink });
  });

  it('puts light text on dark surfaces for a dark paper, in a light scheme too', () => {
    const properties = paletteProperties({ paper: [16, 18, 40], ink: [240, 240, 255] }, 'light');
    expect(properties).toMatchObject({ 'color-scheme': 'dark', '--ink': '#f0f0ff' });
    expect(properties['--surface-raised']).not.toBe('#ffffff');
  });

  it('writes dark text on a yellow brand and uses a darker shade of it for links', () => {
    const colours = palette({ brand: [255, 214, 0] }, 'light');
    expect(toHex(colours.brand)).toBe('#ffd600');
    expect(contrastOf(colours['on-brand'], colours.brand)).toBeGreaterThan(7);
    expect(colours['brand-ink']).not.toEqual(colours.brand);
  });
});

describe('readableOn()', () => {
  it('keeps a readable colour and moves another one only as far as needed', () => {
    expect(readableOn([0, 0, 0], [255, 255, 255])).toEqual([0, 0, 0]);
    const moved = readableOn([200, 200, 0], [255, 255, 255]);
    expect(contrastOf(moved, [255, 255, 255])).toBeGreaterThanOrEqual(4.5);
    expect(contrastOf(moved, [255, 255, 255])).toBeLessThan(5);
  });
});
