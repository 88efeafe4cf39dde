import { describe, expect, it } from '@jest/globals';
import { formatsIn, readAmount, readDay } from './written-values.js';

describe('a written amount', () => {
  it.each([
    ['1234.5', '.', 123_450n],
    ['1,234.56', '.', 123_456n],
    ['1.234,56', ',', 123_456n],
    ["CHF 1'234.50", '.', 123_450n],
    ['1 234,5 €', ',', 123_450n],
    ['250,-', ',', 25_000n],
    ['$12,000', '.', 1_200_000n],
    ['12.000', ',', 1_200_000n],
    ['25.500', '.', 2_550n],
    ['25.505', '.', undefined],
    ['1.234,56', '.', undefined],
    ['12,34,567', '.', undefined],
    ['1.2.3', '.', undefined],
    ['-5', '.', undefined],
    ['five', '.', undefined],
    ['=1+1', '.', undefined],
    ['1e3', '.', undefined],
  ] as const)('%s with the decimal sign %s', (text, decimal, amount) => {
    expect(readAmount(text, decimal, 2)).toBe(amount);
  });

  it('has no decimals in a currency without them', () => {
    expect([readAmount('1,200', '.', 0), readAmount('1200.5', '.', 0)]).toEqual([1_200n, undefined]);
  });
});

describe('a written day', () => {
  it.each([
    ['2026-04-03', 'mdy', '2026-04-03'],
    ['2026-04-03T19:30:00.000Z', 'mdy', '2026-04-03'],
    ['3.4.2026', 'mdy', '2026-04-03'],
    ['03/04/26', 'dmy', '2026-04-03'],
    ['03/04/26', 'mdy', '2026-03-04'],
    ['31/02/2026', 'dmy', undefined],
    ['13/13/2026', 'dmy', undefined],
    ['yesterday', 'dmy', undefined],
  ] as const)('%s in the order %s', (text, order, day) => {
    expect(readDay(text, order)).toBe(day);
  });
});

describe('the formats of a file', () => {
  it.each([
    [['1.234,56', '1.234'], ['31/01/2026', '03/04/2026'], ',', 'dmy'],
    [['12.5', '1,000'], ['1/31/2026'], '.', 'mdy'],
    [['0.125'], [], '.', 'dmy'],
    [['100', '2500'], ['2026-01-01', '03.04.2026', '05/05/2026'], '.', 'dmy'],
  ] as const)('are certain if one value of each column is: %j %j', (amounts, dates, decimal, dateOrder) => {
    expect(formatsIn(amounts, dates)).toEqual({ decimal, dateOrder });
  });

  it('the formats of a file are unknown if each value has two meanings, or if two values contradict each other', () => {
    expect(formatsIn(['1.234', '500'], ['03/04/26'])).toEqual({ decimal: undefined, dateOrder: undefined });
    expect(formatsIn(['1.5', '1,5'], ['13/01/26', '01/13/26'])).toEqual({
      decimal: undefined,
      dateOrder: undefined,
    });
  });
});
