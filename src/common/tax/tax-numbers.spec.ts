import { describe, expect, it } from '@jest/globals';
import {
  isCanadianCharity,
  isEin,
  isGermanTaxNumber,
  isRna,
  isRsin,
  isSiren,
  isSwissUid,
} from './tax-numbers.js';

/** Returns the number with another digit at each place in turn: twelve of them are at least the first twelve. */
const mistyped = (number: string): string[] =>
  Array.from(number).flatMap((character, place) =>
    /\d/.test(character)
      ? Array.from('0123456789')
          .filter((digit) => digit !== character)
          .map((digit) => number.slice(0, place) + digit + number.slice(place + 1))
      : [],
  );

describe('a number with a check digit', () => {
  it.each([
    ['SIREN', isSiren, ['732829320', '732 829 320', '552100554']],
    ['RSIN', isRsin, ['111222333', '123456782']],
    ['Swiss UID', isSwissUid, ['CHE-116.281.710', 'CHE-109.322.551']],
  ] as const)(
    'is accepted if it is right, and refused with any one wrong digit: %s',
    (_name, check, right) => {
      for (const number of right) {
        expect(check(number)).toBe(true);
        const wrong = mistyped(number);
        expect(wrong.length).toBeGreaterThanOrEqual(12);
        expect(wrong.filter((one) => check(one))).toEqual([]);
      }
    },
  );

  it.each([
    ['SIREN', isSiren, ['', '000000000', '73282932', '7328293200', '73282932A', '732-829-320']],
    ['RSIN', isRsin, ['', '000000000', '11122233', '1112223330', '11122233A', '111.222.333']],
    ['Swiss UID', isSwissUid, ['', 'CHE116281710', 'CHE-116281710', 'che-116.281.710', 'CHE-116.281.71']],
  ] as const)('is refused in another form: %s', (_name, check, wrong) => {
    expect(wrong.filter((one) => check(one))).toEqual([]);
  });
});

describe('a number without a check digit', () => {
  it.each([
    [
      'EIN',
      isEin,
      ['12-3456789', '53-0196605'],
      [
        ...['', '123456789', '1-23456789', '12-345678', '12-34567890', '12 3456789', 'AB-3456789'],
        ...['12-345678A', '00-1234567', '12-0000000', '12–3456789', ' 12-3456789'],
      ],
    ],
    [
      'Canadian charity',
      isCanadianCharity,
      ['123456789RR0001', '118814524RR0002'],
      [
        ...['', '123456789', '123456789RR001', '123456789RR00001', '12345678RR0001', '123456789RP0001'],
        ...['123456789rr0001', '123456789 RR0001', 'A23456789RR0001', '123456789RR000A', '123456789R0001'],
        '1234567890RR0001',
      ],
    ],
    [
      'RNA',
      isRna,
      ['W751212517', 'W2A1000123', 'W9R1000456'],
      [
        ...['', '751212517', 'W75121251', 'W7512125170', 'w751212517', 'V751212517', 'W75121251A'],
        ...['W 751212517', 'WA51212517', 'W75-1212517', 'W7512A2517', 'W751212517 '],
      ],
    ],
    [
      'German tax number',
      isGermanTaxNumber,
      ['27/640/12345', '143/210/50367', '2893081508152', '181/815/0815 5'],
      [
        ...['', '123', '27/640/1234', '27/640/1234567', 'DE123456789', '27-640-12345', '27/640/1234A'],
        ...['28930815081521', '289308150815', '27.640.12345', 'St 27/640/12345', '/////'],
      ],
    ],
  ] as const)('is accepted in its form, and twelve others are refused: %s', (_name, check, right, wrong) => {
    expect(right.filter((one) => !check(one))).toEqual([]);
    expect(wrong).toHaveLength(12);
    expect(wrong.filter((one) => check(one))).toEqual([]);
  });
});
