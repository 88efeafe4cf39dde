import currencyCodes from 'currency-codes';
import { ConflictError } from '../errors/domain-errors.js';

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
  // Convertible peso of Cuba, given up for the peso (cup).
  cuc: '2021-07-01',
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

/** The codes that something new may be in, by the alphabet. */
export const CURRENCIES_IN_USE: string[] = CURRENCIES.filter(isCurrency).sort();

/** How many decimals the minor unit has: 2 for eur, 0 for jpy, 3 for kwd. */
export function currencyExponent(currency: string): number {
  const exponent = EXPONENTS.get(currency);
  if (exponent === undefined) throw new RangeError(`not a currency: ${currency}`);
  return exponent;
}

/** The most an offline donation may be, in minor units. */
export const MAX_OFFLINE_AMOUNT = 1_000_000_000_000;

/** `12345n, 'eur'` → `"123.45"`; exact, for files and for providers that want decimals. */
export function toDecimalString(amount: bigint, exponent: number): string {
  if (exponent === 0) return amount.toString();
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(exponent + 1, '0');
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/**
 * `"123.45", 2` → `12345n`.
 * @throws RangeError when the text is not a decimal number of at most `exponent` places.
 */
export function fromDecimalString(text: string, exponent: number): bigint {
  const match = /^(-?)(\d{1,18})(?:\.(\d+))?$/.exec(text);
  const fraction = (match?.[3] ?? '').replace(/0+$/, '');
  if (!match || fraction.length > exponent) throw new RangeError('not a decimal amount of this currency');
  const minor = BigInt(`${match[2] ?? ''}${fraction.padEnd(exponent, '0')}`);
  return match[1] ? -minor : minor;
}

const formats = new Map<string, Intl.NumberFormat>();

/** An amount for people, in the reader's locale: `€123.45`. */
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
  // The decimal string keeps every digit; a float would not.
  return format.format(toDecimalString(amount, currencyExponent(currency)) as Intl.StringNumericLiteral);
}

/**
 * A bigint of the database as a JSON number.
 * @throws ConflictError `TOTAL_OUT_OF_RANGE` beyond the safe integers, where a number would lie.
 */
export function toJsonAmount(amount: bigint): number {
  const number = Number(amount);
  if (!Number.isSafeInteger(number))
    throw new ConflictError('TOTAL_OUT_OF_RANGE', 'An amount is more than can be counted');
  return number;
}
