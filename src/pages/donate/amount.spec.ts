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
    ['.5', 50],
    [',50', 50],
    ['２５', 2500],
    ['２５．５０', 2550],
    ['1,00,000', 10_000_000],
    ['1,234,567.89', 123_456_789],
  ])('reads %s as %i cents', (text, cents) => {
    expect(parseAmount(text, 2)).toBe(cents);
  });

  it.each([
    '',
    '0',
    '0,00',
    '-5',
    'much',
    '1e3x.',
    '.',
    '25.1234',
    '12.3456',
    '12.34.56',
    '1.234.56',
    '1,234.567,8',
    '1.2.345',
    '9'.repeat(20),
  ])('rejects "%s"', (text) => {
    expect(parseAmount(text, 2)).toBeUndefined();
  });

  it.each([
    ['25 €', 'eur', 'de', 2500],
    ['EUR 25', 'eur', 'en', 2500],
    ['25 euros', 'eur', 'fr', 2500],
    ['Fr. 25', 'chf', 'en', 2500],
    ['25 Franken', 'chf', 'de', 2500],
    ['$25', 'usd', 'en', 2500],
    ['$25', 'usd', 'de', 2500],
    ['£25', 'gbp', 'en', 2500],
    ['CHF 25', 'eur', 'de', undefined],
    ['Fr. 25', 'eur', 'fr', undefined],
    ['$25', 'eur', 'en', undefined],
    ['25 pounds', 'eur', 'en', undefined],
    ['25', 'eur', 'en', 2500],
  ])('reads "%s" for %s in %s as %s', (text, currency, locale, amount) => {
    expect(parseAmount(text, 2, currency, locale)).toBe(amount);
  });

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

  it('has decimals if an amount of its group is not whole', () => {
    expect(shortMoney(2500, 'eur', 2, 'en', [2500, 5000])).toBe('€25');
    expect(shortMoney(2500, 'eur', 2, 'en', [2500, 1250])).toBe('€25.00');
  });

  it('keeps the amount in place within right-to-left text and can parse it again', () => {
    const shown = shortMoney(1_000, 'gbp', 2, 'ar');
    expect(shown).toMatch(/^\u2066\u200F?10.*\u2069$/);
    expect(parseAmount(shown, 2)).toBe(1_000);
  });
});
