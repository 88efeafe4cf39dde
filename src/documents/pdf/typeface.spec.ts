import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { baseTypeface } from './typefaces.js';

const RANGES = [
  [0x20, 0x7e],
  [0xa0, 0xac],
  [0xae, 0x17f],
  [0x2010, 0x201f],
  [0x2026],
  [0x202f],
  [0x20ac],
] as const;
const letters = RANGES.flatMap(([first, last = first]) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index)),
);
const ascii = letters.filter((letter) => letter <= '~');
const ofLetters = (from: readonly string[]) =>
  fc.array(fc.constantFrom(...from), { minLength: 1, maxLength: 20 }).map((parts) => parts.join(''));
const names = fc.oneof(
  ofLetters(ascii),
  ofLetters(letters),
  fc.constantFrom(
    'AVAWAT To. Ty',
    'office fluffy fjord',
    'Ada Lovelace',
    '2026-000042',
    '€1,234.50',
    '1 234,50 €',
    'ff',
    'fi',
    'T',
  ),
);

describe.each(['regular', 'bold'] as const)('Western text, %s', (weight) => {
  it('places letters from pairs exactly as the shaper places the whole text', () => {
    const typeface = baseTypeface(weight);
    fc.assert(
      fc.property(names, (text) => {
        const run = typeface.shaped(text);
        const whole = typeface.font.layout(text);
        expect(run.glyphs.map(({ id }) => id)).toEqual(whole.glyphs.map(({ id }) => id));
        expect(run.positions.map(({ xAdvance }) => xAdvance)).toEqual(
          whole.positions.map(({ xAdvance }) => xAdvance),
        );
        expect(run.advanceWidth).toBeCloseTo(whole.advanceWidth, 6);
      }),
      { numRuns: 1_000 },
    );
  });
});
