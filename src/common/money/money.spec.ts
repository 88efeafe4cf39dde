import { describe, expect, it } from '@jest/globals';
import {
  ADDED_SINCE,
  CURRENCIES,
  CURRENCIES_IN_USE,
  CURRENCIES_OFFERED,
  currencyExponent,
  isCurrency,
  WITHDRAWN_SINCE,
} from './money.js';

/** ISO 4217 codes in use that `Intl` leaves out. */
const NOT_IN_INTL: Readonly<Record<string, string>> = {
  ved: 'the digital bolívar, since 2021-10-01; CLDR has the code VES for both',
  xcg: 'since 2025-03-31; ICU before 76 does not know it',
  ...Object.fromEntries(
    ['bov', 'che', 'chw', 'clf', 'cou', 'mxv', 'usn', 'uyi', 'uyw'].map((code) => [code, 'a fund code']),
  ),
};

/** Codes that `Intl` still accepts for old amounts, with the first day on which each code was invalid. */
const ONLY_IN_INTL: Readonly<Record<string, string>> = {
  ...WITHDRAWN_SINCE,
  hrk: '2023-01-01',
  sll: '2024-04-01',
  zwl: '2024-09-01',
};

describe('the currencies in use', () => {
  const inUse = CURRENCIES_IN_USE;
  const known = Intl.supportedValuesOf('currency').map((code) => code.toLowerCase());

  it('equal the currencies of Intl, except the listed ones', () => {
    const ours = inUse.filter((code) => !known.includes(code));
    expect(ours.filter((code) => !(code in NOT_IN_INTL))).toEqual([]);
  });

  it('include all currencies that Intl knows, except metals, test codes and withdrawn currencies', () => {
    const missing = known.filter((code) => !isCurrency(code) && !code.startsWith('x'));
    expect(missing.filter((code) => !(code in ONLY_IN_INTL))).toEqual([]);
  });

  it('the offered currencies contain no funds and no indexed units', () => {
    for (const fund of ['bov', 'che', 'chw', 'clf', 'cou', 'mxv', 'usn', 'uyi', 'uyw']) {
      expect(isCurrency(fund)).toBe(true);
      expect(CURRENCIES_OFFERED).not.toContain(fund);
    }
    expect(CURRENCIES_OFFERED).toEqual(expect.arrayContaining(['chf', 'eur', 'jpy', 'xof']));
    expect(CURRENCIES_OFFERED.filter((code) => !inUse.includes(code))).toEqual([]);
  });

  it('include the current Caribbean guilder, and exclude currencies that ended', () => {
    expect(isCurrency('xcg')).toBe(true);
    expect(inUse).toContain('xcg');
    for (const ended of ['ang', 'bgn', 'cuc', 'hrk', 'sll', 'zwl']) {
      expect(isCurrency(ended)).toBe(false);
      expect(inUse).not.toContain(ended);
    }
  });

  it('have only past dates in the lists of changes', () => {
    const dates = [
      ...Object.values(WITHDRAWN_SINCE),
      ...Object.values(ADDED_SINCE).map(({ since }) => since),
    ];
    for (const date of dates) expect(Date.parse(date)).toBeLessThan(Date.now());
  });

  it('keep the decimals of withdrawn currencies', () => {
    expect(CURRENCIES).toEqual(expect.arrayContaining(Object.keys(WITHDRAWN_SINCE)));
    expect(currencyExponent('bgn')).toBe(2);
    expect(currencyExponent('ang')).toBe(2);
  });
});
