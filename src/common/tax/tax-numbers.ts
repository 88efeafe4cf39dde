/** The numbers of charities at tax authorities. Each check takes the number as it is printed. */

const digitsOf = (text: string): number[] => Array.from(text.replace(/\D/g, ''), Number);

const weighted = (digits: readonly number[], weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0);

/** The Luhn algorithm (ISO/IEC 7812-1, annex B): finds every single wrong digit. */
function isLuhn(digits: readonly number[]): boolean {
  const sum = digits.toReversed().reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** Employer identification number of the United States, such as `12-3456789`. It has no check digit. */
export const isEin = (text: string): boolean => /^\d{2}-\d{7}$/.test(text) && !/^00|-0{7}$/.test(text);

/** Pattern of the registration number of a Canadian charity: nine digits, RR and four digits. */
export const CANADIAN_CHARITY = '[0-9]{9}RR[0-9]{4}';

const CANADIAN = new RegExp(`^${CANADIAN_CHARITY}$`);

export const isCanadianCharity = (text: string): boolean => CANADIAN.test(text);

/** SIREN of a French organization: nine digits, the last one of which is a check digit. */
export const isSiren = (text: string): boolean =>
  /^\d{3} ?\d{3} ?\d{3}$/.test(text) && !/^0+$/.test(text.replace(/ /g, '')) && isLuhn(digitsOf(text));

/** Pattern of the RNA of a French association: W, the department and the prefecture, and seven digits. Corsica and overseas have a letter. */
export const RNA = 'W[0-9][0-9A-Z][0-9]{7}';

const FRENCH_ASSOCIATION = new RegExp(`^${RNA}$`);

export const isRna = (text: string): boolean => FRENCH_ASSOCIATION.test(text);

/** RSIN of a Dutch organization: nine digits that pass the eleven test. */
export function isRsin(text: string): boolean {
  return (
    /^\d{9}$/.test(text) &&
    !/^0+$/.test(text) &&
    weighted(digitsOf(text), [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0
  );
}

/** UID of a Swiss organization, such as `CHE-116.281.710`: nine digits, the last one of which is a check digit. */
export function isSwissUid(text: string): boolean {
  if (!/^CHE-\d{3}\.\d{3}\.\d{3}$/.test(text)) return false;
  const digits = digitsOf(text);
  const check = (11 - (weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4]) % 11)) % 11;
  return check === digits[8];
}

/** Pattern of the tax number of a German tax office: ten or eleven digits, or thirteen in the federal form, with or without slashes. */
export const GERMAN_TAX_NUMBER = '(([0-9][/ ]?){9,10}[0-9]|([0-9][/ ]?){12}[0-9])';

const GERMAN = new RegExp(`^${GERMAN_TAX_NUMBER}$`);

export const isGermanTaxNumber = (text: string): boolean => GERMAN.test(text);
