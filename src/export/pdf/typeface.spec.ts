import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { baseTypeface } from './typefaces.js';

const letters = [...Array.from({ length: 95 }, (_, index) => 0x20 + index), 0xa1, 0xe9, 0xfc, 0xdf, 0xc5].map(
  (code) => String.fromCharCode(code),
);
const names = fc.oneof(
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 20 }).map((parts) => parts.join('')),
  fc.constantFrom('AVAWAT To. Ty', 'office fluffy fjord', 'Ada Lovelace', '2026-000042', 'ff', 'fi', 'T'),
);

describe.each(['regular', 'bold'] as const)('Western text, %s', (weight) => {
  it('is set by pairs of letters as the shaper sets it as a whole', () => {
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
