import currencyCodes from 'currency-codes';

const EXPONENTS: ReadonlyMap<string, number> = new Map(
  currencyCodes.data
    // X-codes are metals, funds and test codes (except the four that are money).
    .filter(({ code }) => !code.startsWith('X') || ['XAF', 'XCD', 'XCG', 'XOF', 'XPF'].includes(code))
    .map(({ code, digits }) => [code.toLowerCase(), digits]),
);

/** Every ISO 4217 code of money, in lower case. */
export const CURRENCIES: readonly string[] = [...EXPONENTS.keys()];

/** Whether the text is an ISO 4217 code of money, in lower case. */
export const isCurrency = (text: string): boolean => EXPONENTS.has(text);

/** How many decimals the minor unit has: 2 for eur, 0 for jpy, 3 for kwd. */
export function currencyExponent(currency: string): number {
  const exponent = EXPONENTS.get(currency);
  if (exponent === undefined) throw new RangeError(`not a currency: ${currency}`);
  return exponent;
}
