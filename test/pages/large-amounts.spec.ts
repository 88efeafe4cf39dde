import { describe, expect, it } from '@jest/globals';
import { CURRENCIES_IN_USE, currencyExponent } from '../../src/common/money/money.js';
import { confirmAbove } from '../../web/kit/large-amounts.js';

const limitOf = (currency: string, chosen: number | null = null) =>
  confirmAbove(chosen, currency, currencyExponent(currency));

describe('the amount above which the pages ask for a confirmation', () => {
  it('the default is about a thousand euros in each currency', () => {
    expect(['eur', 'usd', 'gbp', 'chf'].map((currency) => limitOf(currency))).toEqual(
      Array<number>(4).fill(100_000),
    );
    expect([limitOf('jpy'), limitOf('kwd'), limitOf('sek'), limitOf('huf')]).toEqual([
      150_000, 300_000, 1_000_000, 50_000_000,
    ]);
  });

  it('a setting of the event replaces the default', () => {
    expect([limitOf('eur', 5_000_000), limitOf('jpy', 1_000), limitOf('kwd', 0)]).toEqual([
      5_000_000, 1_000, 0,
    ]);
  });

  it('every currency has a limit above one unit and within the largest amount of the server', () => {
    for (const currency of CURRENCIES_IN_USE) {
      expect(limitOf(currency)).toBeGreaterThan(10 ** currencyExponent(currency));
      expect(limitOf(currency)).toBeLessThan(1_000_000_000_000);
    }
  });
});
