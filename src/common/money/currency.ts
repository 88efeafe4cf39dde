import currencyCodes from 'currency-codes';

/** What ISO 4217 added after the data package was made (June 2024): decimals, and the day it came into use. */
export const ADDED_SINCE = {
  // Caribbean guilder of Curaçao and Sint Maarten, amendment 176.
  xcg: { digits: 2, since: '2025-03-31' },
} as const;

/**
 * What ceased to be money after the data package was made, by the first day on which it was none. Nothing new
 * may be in these; old donations still are, so their decimals stay known.
 */
export const WITHDRAWN_SINCE: Readonly<Record<string, string>> = {
  // Netherlands Antillean guilder, replaced by xcg.
  ang: '2025-07-01',
  // Bulgaria took the euro.
  bgn: '2026-01-01',
};

const EXPONENTS: ReadonlyMap<string, number> = new Map([
  ...currencyCodes.data
    // X-codes are metals, funds and test codes (except those that are money).
    .filter(({ code }) => !code.startsWith('X') || ['XAF', 'XCD', 'XOF', 'XPF'].includes(code))
    .map(({ code, digits }) => [code.toLowerCase(), digits] as const),
  ...Object.entries(ADDED_SINCE).map(([code, { digits }]) => [code, digits] as const),
]);

/** Every ISO 4217 code of money, now or lately, in lower case: what a stored amount may be in. */
export const CURRENCIES: readonly string[] = [...EXPONENTS.keys()];

/** Whether the text is an ISO 4217 code of money that is in use, in lower case. */
export const isCurrency = (text: string): boolean =>
  EXPONENTS.has(text) && !Object.hasOwn(WITHDRAWN_SINCE, text);

/** How many decimals the minor unit has: 2 for eur, 0 for jpy, 3 for kwd. */
export function currencyExponent(currency: string): number {
  const exponent = EXPONENTS.get(currency);
  if (exponent === undefined) throw new RangeError(`not a currency: ${currency}`);
  return exponent;
}
