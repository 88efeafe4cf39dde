/** Bank account numbers (ISO 13616) and bank codes (ISO 9362). */

/** Length of the IBAN in each country of the SEPA area, as in the IBAN registry of SWIFT. */
const LENGTHS: Readonly<Record<string, number>> = {
  ...{
    AD: 24,
    AL: 28,
    AT: 20,
    BE: 16,
    BG: 22,
    CH: 21,
    CY: 28,
    CZ: 24,
    DE: 22,
    DK: 18,
    EE: 20,
    ES: 24,
    FI: 18,
  },
  ...{
    FR: 27,
    GB: 22,
    GI: 23,
    GR: 27,
    HR: 21,
    HU: 28,
    IE: 22,
    IS: 26,
    IT: 27,
    LI: 21,
    LT: 20,
    LU: 20,
    LV: 21,
  },
  ...{
    MC: 27,
    MD: 24,
    ME: 22,
    MK: 19,
    MT: 31,
    NL: 18,
    NO: 15,
    PL: 28,
    PT: 25,
    RO: 24,
    RS: 22,
    SE: 24,
    SI: 19,
  },
  ...{ SK: 24, SM: 27, VA: 22 },
};

/** Countries of the European Economic Area. For their accounts, a transfer needs no BIC. */
const EEA: ReadonlySet<string> = new Set([
  ...['AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU', 'IE', 'IS', 'IT'],
  ...['LI', 'LT', 'LU', 'LV', 'MT', 'NL', 'NO', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'],
]);

const LETTER_A = 'A'.charCodeAt(0);

/** Returns a number as banks store it: without spaces, in capital letters. */
export const compact = (given: string): string => given.replace(/[\s\u200b]/gu, '').toUpperCase();

/**
 * Returns the remainder of ISO 7064 MOD 97-10: letters become numbers from 10 to 35.
 * @param text capital letters and digits
 */
export function mod97(text: string): number {
  let rest = 0;
  for (const character of text) {
    const value = /\d/.test(character) ? Number(character) : character.charCodeAt(0) - LETTER_A + 10;
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

/** The reason why a text is no IBAN: its form, its country or length, or its check digits. */
export type IbanProblem = 'form' | 'country' | 'length' | 'check';

/**
 * Returns the error of a compact IBAN; undefined if it is valid.
 * @param iban without spaces, in capital letters
 */
export function ibanProblem(iban: string): IbanProblem | undefined {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/.test(iban)) return 'form';
  const length = LENGTHS[iban.slice(0, 2)];
  if (length === undefined) return 'country';
  if (iban.length !== length) return 'length';
  return mod97(iban.slice(4) + iban.slice(0, 4)) === 1 ? undefined : 'check';
}

/** True if a compact text has the form of a BIC: bank, country, place, and perhaps a branch. */
export const isBic = (bic: string): boolean => /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(bic);

/** True if the account is in Switzerland or Liechtenstein, so that a QR-bill can name it. */
export const isSwissIban = (iban: string): boolean => /^(CH|LI)/.test(iban);

/** True for a QR-IBAN: the number of its bank is from 30000 to 31999. Payments to it must have a QR reference. */
export function isQrIban(iban: string): boolean {
  const bank = Number(iban.slice(4, 9));
  return isSwissIban(iban) && bank >= 30_000 && bank <= 31_999;
}

export const isInEea = (iban: string): boolean => EEA.has(iban.slice(0, 2));

/** Returns a number in groups of four from the left, as banks print it. */
export const inFours = (text: string): string => text.replace(/(.{4})(?=.)/g, '$1 ');
