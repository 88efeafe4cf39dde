import { describe, expect, it } from '@jest/globals';
import { parseAmount, shortMoney } from './amount.js';

describe('parseAmount()', () => {
  it.each([
    ['25', 2500],
    ['25.5', 2550],
    ['25,50', 2550],
    ['€ 25', 2500],
    ['25 EUR', 2500],
    ['1.000', 100_000],
    ['1,000', 100_000],
    ['1.234,56', 123_456],
    ['1,234.56', 123_456],
    ['1 234,56', 123_456],
    ["1'234.56", 123_456],
    ['٢٥٫٥', 2550],
    ['25.', 2500],
    ['0.01', 1],
  ])('reads %s as %i cents', (text, cents) => {
    expect(parseAmount(text, 2)).toBe(cents);
  });

  it.each(['', '0', '0,00', '-5', 'much', '1e3x.', '.', '25.1234', '12.3456', '9'.repeat(20)])(
    'rejects "%s"',
    (text) => {
      expect(parseAmount(text, 2)).toBeUndefined();
    },
  );

  it('uses the number of decimals of the currency', () => {
    expect(parseAmount('2500', 0)).toBe(2500);
    expect(parseAmount('2.500', 0)).toBe(2500);
    expect(parseAmount('2.5', 0)).toBeUndefined();
    expect(parseAmount('2.500', 3)).toBe(2500);
  });

  it('omits decimals that are all zero', () => {
    expect(shortMoney(2500, 'eur', 2, 'en')).toBe('€25');
    expect(shortMoney(2550, 'eur', 2, 'en')).toBe('€25.50');
    expect(shortMoney(2500, 'jpy', 0, 'en')).toBe('¥2,500');
  });

  it('keeps the amount in place within right-to-left text and can parse it again', () => {
    const shown = shortMoney(1_000, 'gbp', 2, 'ar');
    expect(shown).toMatch(/^\u2066\u200F?10.*\u2069$/);
    expect(parseAmount(shown, 2)).toBe(1_000);
  });
});
