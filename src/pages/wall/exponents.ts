import { CURRENCIES, currencyExponent } from '../../common/money/money.js';

/** Number of decimals for each currency with fewer or more than two decimals. */
export const EXPONENTS = Object.fromEntries(
  CURRENCIES.map((code) => [code, currencyExponent(code)] as const).filter(([, exponent]) => exponent !== 2),
);
