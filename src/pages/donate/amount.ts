/** Parses amounts as donors type them. Shared by the server and the page's script, so it imports nothing. */

const DIGITS = /[\u0660-\u0669\u06F0-\u06F9]/g;

/**
 * `"1.234,50"`, `"1,234.50"`, `"€ 25"` → minor units; undefined for anything that is not an amount above zero. The
 * last separator is the decimal point if at most as many digits follow as the currency has decimals; `1.000` is a
 * thousand euros.
 */
export function parseAmount(text: string, exponent: number): number | undefined {
  // A letter between two digits is not a currency symbol: 1e3 is a typing mistake.
  if (/\p{Nd}\s*\p{L}+\s*\p{Nd}/u.test(text)) return undefined;
  const plain = text
    .replace(DIGITS, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf))
    .replace(/[\u066B]/g, '.')
    .replace(/[\s'\u2019\u066C\p{Sc}\p{L}\u200E\u200F\u2066-\u2069]/gu, '');
  const match = /^(\d[\d.,]*?)(?:[.,](\d+))?$/.exec(plain.replace(/[.,]$/, ''));
  if (!match) return undefined;
  const [, front = '', tail] = match;
  const decimals = tail !== undefined && tail.length <= exponent ? tail : undefined;
  const whole = (decimals === undefined ? front + (tail ?? '') : front).replace(/[.,]/g, '');
  // Groups between separators need three digits: `12.34.56` is a typing mistake.
  if (tail !== undefined && decimals === undefined && tail.length !== 3) return undefined;
  const minor = Number(whole + (decimals ?? '').padEnd(exponent, '0'));
  return Number.isSafeInteger(minor) && minor > 0 ? minor : undefined;
}

/**
 * Makes an amount safe in text of either direction. Right-to-left locales already mark their amounts. In other
 * right-to-left text an unmarked amount would change places with its neighbours.
 */
export const isolated = (money: string): string =>
  /[\u200E\u200F\u061C]/.test(money) ? `\u2066${money}\u2069` : money;

/** An amount for a button, without decimals if they are all zero. */
export function shortMoney(amount: number, currency: string, exponent: number, locale: string): string {
  const isWhole = amount % 10 ** exponent === 0;
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: isWhole ? 0 : exponent,
    maximumFractionDigits: exponent,
  });
  return isolated(format.format(amount / 10 ** exponent));
}
