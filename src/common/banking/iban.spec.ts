import { describe, expect, it } from '@jest/globals';
import { compact, ibanProblem, inFours, isBic, isInEea, isQrIban, isSwissIban } from './iban.js';

/** Examples of the IBAN registry of SWIFT. */
const REGISTRY = [
  ...['AL47 2121 1009 0000 0002 3569 8741', 'AD12 0001 2030 2003 5910 0100', 'AT61 1904 3002 3457 3201'],
  ...['BE68 5390 0754 7034', 'BG80 BNBG 9661 1020 3456 78', 'HR12 1001 0051 8630 0016 0'],
  ...['CY17 0020 0128 0000 0012 0052 7600', 'CZ65 0800 0000 1920 0014 5399', 'DK50 0040 0440 1162 43'],
  ...['EE38 2200 2210 2014 5685', 'FI21 1234 5600 0007 85', 'FR14 2004 1010 0505 0001 3M02 606'],
  ...['DE89 3704 0044 0532 0130 00', 'GI75 NWBK 0000 0000 7099 453', 'GR16 0110 1250 0000 0001 2300 695'],
  ...[
    'HU42 1177 3016 1111 1018 0000 0000',
    'IS14 0159 2600 7654 5510 7303 39',
    'IE29 AIBK 9311 5212 3456 78',
  ],
  ...['IT60 X054 2811 1010 0000 0123 456', 'LV80 BANK 0000 4351 9500 1', 'LI21 0881 0000 2324 013A A'],
  ...['CH93 0076 2011 6238 5295 7', 'GB29 NWBK 6016 1331 9268 19', 'NL91 ABNA 0417 1643 00'],
];

describe('an IBAN', () => {
  it.each(REGISTRY)('is accepted with spaces from the registry: %s', (iban) => {
    expect(ibanProblem(compact(iban))).toBeUndefined();
    expect(inFours(compact(iban))).toBe(iban);
  });

  it('is invalid if any single digit is wrong', () => {
    const iban = 'DE89370400440532013000';
    for (let place = 2; place < iban.length; place++)
      for (let digit = 0; digit < 10; digit++) {
        const changed = `${iban.slice(0, place)}${digit}${iban.slice(place + 1)}`;
        if (changed !== iban) expect(ibanProblem(changed)).toBe('check');
      }
  });

  it.each([
    ['DE8937040044053201300', 'length'],
    ['US12345678901234567890', 'country'],
    ['DE8937040044053201300!', 'form'],
    ['', 'form'],
    ['DE88370400440532013000', 'check'],
  ])('names the reason of a refusal: %s', (iban, problem) => {
    expect(ibanProblem(iban)).toBe(problem);
  });

  it('counts as a QR-IBAN if the bank number is from 30000 to 31999', () => {
    const banks = ['29999', '30000', '31999', '32000'];
    expect(banks.map((bank) => isQrIban(`CH00${bank}123000889012`))).toEqual([false, true, true, false]);
    expect(isQrIban('LI0030000123000889012')).toBe(true);
    expect(isQrIban('DE0030000123000889012')).toBe(false);
  });

  it('is known to belong to the European Economic Area, Switzerland or Liechtenstein, or to another country', () => {
    expect(['DE', 'LI', 'CH', 'GB'].map((country) => isInEea(`${country}00`))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(['DE', 'LI', 'CH', 'GB'].map((country) => isSwissIban(`${country}00`))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('a BIC', () => {
  it.each(['COBADEFF', 'COBADEFFXXX', 'POFICHBEXXX'])('is accepted with 8 or 11 characters: %s', (bic) => {
    expect(isBic(bic)).toBe(true);
  });

  it.each(['', 'COBADEF', 'COBADEFFX', 'COBA1EFF', 'cobadeff'])('is refused in another form: %j', (bic) => {
    expect(isBic(bic)).toBe(false);
  });
});
