import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  amountOf,
  decimal,
  entryOf,
  erase,
  press,
  separatorOf,
  shownEntry,
  parseAmount,
} from '../../web/pos/amounts.js';
import { changeFor, denominations } from '../../web/pos/cash.js';
import { judge, nextKind } from '../../web/pos/recording.js';
const typed = (keys: string, exponent: number) =>
  [...keys].reduce((entry, key) => press(entry, key, exponent), '');

describe('typed amounts', () => {
  it.each([
    ['25', 2, 2_500],
    ['25.5', 2, 2_550],
    ['0.05', 2, 5],
    ['.5', 2, 50],
    ['12.345', 2, 1_234],
    ['007', 2, 700],
    ['1.5.5', 2, 155],
    ['25.5', 0, 255],
    ['1.2345', 3, 1_234],
    ['', 2, 0],
  ])('the keys %s with %d decimals make the amount %d', (keys, exponent, amount) => {
    expect(amountOf(typed(keys, exponent), exponent)).toBe(amount);
  });

  it('a typed amount never exceeds the maximum of the service', () => {
    expect(amountOf(typed('99999999999999', 2), 2)).toBeLessThanOrEqual(1_000_000_000_000);
  });

  it('converting an amount to keys and back gives the same amount, and erasing removes the last digit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), fc.constantFrom(0, 2, 3), (amount, exponent) => {
        expect(amountOf(entryOf(amount, exponent), exponent)).toBe(amount);
      }),
    );
    expect(erase('12.5')).toBe('12.');
  });

  it.each([
    ['', 'eur', 'en', '€0'],
    ['1234', 'eur', 'en', '€1,234'],
    ['12.', 'eur', 'en', '€12.'],
    ['12.', 'eur', 'de', '12, €'],
    ['12.5', 'eur', 'de', '12,5 €'],
    ['1500', 'jpy', 'en', '¥1,500'],
  ])('the entry %s is shown in %s and %s as %s', (entry, currency, locale, shown) => {
    expect(shownEntry(entry, currency, locale).replace(/\s/g, ' ')).toBe(shown);
  });

  it('the decimal key shows the separator of the language', () => {
    expect([separatorOf('en'), separatorOf('de')]).toEqual(['.', ',']);
  });

  it.each([
    ['12,50', 2, '12.50'],
    ["1'000", 2, '1000'],
    ['12.505', 2, undefined],
    ['-5', 2, undefined],
    ['abc', 2, undefined],
    ['7', 0, '7'],
    ['7,5', 0, undefined],
  ])('the text %s in a field with %d decimals is read as %s', (text, exponent, entry) => {
    expect(parseAmount(text, exponent)).toBe(entry);
  });

  it('large amounts are written exactly', () => {
    expect(decimal(900_719_925_474_099, 2)).toBe('9007199254740.99');
  });
});

describe('cash', () => {
  it('the terminal suggests the notes that a donor may pay with, and their change', () => {
    expect(changeFor(3_750, 'eur', 2)).toEqual([
      { given: 4_000, back: 250 },
      { given: 5_000, back: 1_250 },
      { given: 10_000, back: 6_250 },
    ]);
    expect(changeFor(5_000, 'eur', 2)[0]).toEqual({ given: 6_000, back: 1_000 });
    expect(changeFor(2_500, 'jpy', 0)[0]).toEqual({ given: 3_000, back: 500 });
  });

  it.each([
    ['eur', 2],
    ['kwd', 3],
    ['jpy', 0],
    ['brl', 2],
    ['clp', 0],
    ['tnd', 3],
  ])(
    'the coins and notes of %s are whole numbers in descending order without repeats',
    (currency, exponent) => {
      const values = denominations(currency, exponent);
      expect(values.length).toBeGreaterThan(8);
      expect([...values]).toEqual([...new Set(values)].sort((a, b) => b - a));
      expect(values.every((value) => Number.isInteger(value) && value > 0)).toBe(true);
      expect(values.length).toBeLessThanOrEqual(40);
    },
  );
});

describe('a record before it is saved', () => {
  it('the rules of the event decide about the amount', () => {
    const rules = { confirmAbove: 1_000, maxAmount: 5_000 };
    expect([0, 1_000, 1_001, 5_001].map((amount) => judge(amount, rules))).toEqual([
      'nothing',
      'fine',
      'confirm',
      'too large',
    ]);
    expect(judge(1e12, { confirmAbove: null, maxAmount: null })).toBe('fine');
  });

  it('the arrow keys cycle through the kinds in both directions', () => {
    expect(nextKind(['cash', 'check'], undefined, 1)).toBe('cash');
    expect(nextKind(['cash', 'check'], undefined, -1)).toBe('check');
    expect(nextKind(['cash', 'check'], 'check', 1)).toBe('cash');
  });
});
