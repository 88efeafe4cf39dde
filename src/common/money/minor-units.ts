import { currencyExponent } from './currency.js';

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
