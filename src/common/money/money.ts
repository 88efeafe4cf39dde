import currencyCodes from 'currency-codes';
import { ConflictError } from '../errors/domain-errors.js';

/** Currencies that ISO 4217 added after the data package was published (June 2024): decimals, and first day of use. */
export const ADDED_SINCE = {
  // Caribbean guilder of Curaçao and Sint Maarten, amendment 176.
  xcg: { digits: 2, since: '2025-03-31' },
} as const;

/**
 * Currencies that ended after the data package was published, with the first day on which each was invalid. New amounts cannot
 * use these currencies. Their decimals stay known, because old donations use them.
 */
export const WITHDRAWN_SINCE: Readonly<Record<string, string>> = {
  // Convertible peso of Cuba, replaced by the peso (cup).
  cuc: '2021-07-01',
  // Netherlands Antillean guilder, replaced by xcg.
  ang: '2025-07-01',
  // Bulgaria adopted the euro.
  bgn: '2026-01-01',
};

const EXPONENTS: ReadonlyMap<string, number> = new Map([
  ...currencyCodes.data
    // X-codes are metals, funds and test codes (except those that are money).
    .filter(({ code }) => !code.startsWith('X') || ['XAF', 'XCD', 'XOF', 'XPF'].includes(code))
    .map(({ code, digits }) => [code.toLowerCase(), digits] as const),
  ...Object.entries(ADDED_SINCE).map(([code, { digits }]) => [code, digits] as const),
]);

/** All current and recent ISO 4217 currency codes, in lower case: the possible currencies of stored amounts. */
export const CURRENCIES: readonly string[] = [...EXPONENTS.keys()];

/** True if the text is a current ISO 4217 currency code, in lower case. */
export const isCurrency = (text: string): boolean =>
  EXPONENTS.has(text) && !Object.hasOwn(WITHDRAWN_SINCE, text);

/** Currency codes for new amounts, sorted. */
export const CURRENCIES_IN_USE: string[] = CURRENCIES.filter(isCurrency).sort();

/** Units of account of ISO 4217, not used for payments: funds, indexed units, next-day dollars. */
const FUNDS = new Set(['bov', 'che', 'chw', 'clf', 'cou', 'mxv', 'usn', 'uyi', 'uyw']);

/** Currency codes that the dashboard offers for new events, sorted. The API also accepts funds. */
export const CURRENCIES_OFFERED: string[] = CURRENCIES_IN_USE.filter((code) => !FUNDS.has(code));

/** Returns the number of decimals of the minor unit: 2 for eur, 0 for jpy, 3 for kwd. */
export function currencyExponent(currency: string): number {
  const exponent = EXPONENTS.get(currency);
  if (exponent === undefined) throw new RangeError(`not a currency: ${currency}`);
  return exponent;
}

/** Maximum amount of an offline donation, in minor units. */
export const MAX_OFFLINE_AMOUNT = 1_000_000_000_000;

/**
 * Returns an amount as a decimal string: `12345n` with 2 decimals → `"123.45"`. The result is exact, for files and for
 * providers that need decimals.
 */
export function toDecimalString(amount: bigint, exponent: number): string {
  if (exponent === 0) return amount.toString();
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(exponent + 1, '0');
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/**
 * Returns an amount in minor units: `"123.45", 2` → `12345n`.
 * @throws RangeError if the text is not a decimal number of at most `exponent` places
 */
export function fromDecimalString(text: string, exponent: number): bigint {
  const match = /^(-?)(\d{1,18})(?:\.(\d+))?$/.exec(text);
  const fraction = (match?.[3] ?? '').replace(/0+$/, '');
  if (!match || fraction.length > exponent) throw new RangeError('not a decimal amount of this currency');
  const minor = BigInt(`${match[2] ?? ''}${fraction.padEnd(exponent, '0')}`);
  return match[1] ? -minor : minor;
}

const formats = new Map<string, Intl.NumberFormat>();

/** Returns an amount formatted in a locale, such as `€123.45`. */
export function formatMoney(amount: bigint, currency: string, locale: string): string {
  const key = `${locale}/${currency}`;
  let format = formats.get(key);
  if (!format) {
    const digits = currencyExponent(currency);
    format = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency: currency.toUpperCase(),
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formats.set(key, format);
  }
  // A decimal string keeps every digit; a floating-point number would lose digits.
  return format.format(toDecimalString(amount, currencyExponent(currency)) as Intl.StringNumericLiteral);
}

/**
 * Returns a database bigint as a number for JSON.
 * @throws ConflictError `TOTAL_OUT_OF_RANGE` for values beyond the safe integers, because a number cannot represent them
 * exactly
 */
export function toJsonAmount(amount: bigint): number {
  const number = Number(amount);
  if (!Number.isSafeInteger(number))
    throw new ConflictError('TOTAL_OUT_OF_RANGE', 'The amount is too large to count');
  return number;
}
