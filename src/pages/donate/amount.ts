/** Parses amounts as donors type them. Shared by the server and the page's script, so it imports nothing. */

const DIGITS = /[\u0660-\u0669\u06F0-\u06F9\uFF10-\uFF19]/g;
/** Digits without separators, or in groups; the last group has three digits. India uses groups of two before it. */
const GROUPS = /^\d*$|^\d{1,3}(?:([.,])\d{2,3}(?:\1\d{2,3})*)?$/;

/**
 * `"1.234,50"`, `"1,234.50"`, `"€ 25"` → minor units; undefined for anything that is not an amount above zero. The
 * last separator is the decimal point if at most as many digits follow as the currency has decimals; `1.000` is a
 * thousand euros.
 * @param currency if given, a sign or name of another currency makes the amount invalid: `CHF 25` is not €25
 */
export function parseAmount(
  text: string,
  exponent: number,
  currency?: string,
  locale = 'en',
): number | undefined {
  // A letter between two digits is not a currency symbol: 1e3 is a typing mistake.
  if (/\p{Nd}\s*\p{L}+\s*\p{Nd}/u.test(text)) return undefined;
  const plain = text
    .replace(DIGITS, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf))
    .replace(/[\u066B\uFF0E]/g, '.')
    .replace(/\uFF0C/g, ',')
    // The full stop of "Fr." is not a decimal point.
    .replace(/\p{L}\./gu, '')
    .replace(/[\s'\u2019\u066C\p{Sc}\p{L}\u200E\u200F\u2066-\u2069]/gu, '');
  if (currency !== undefined && !namesOnly(text, currency, locale)) return undefined;
  const match = /^(\d[\d.,]*?)(?:([.,])(\d+))?$/.exec(plain.replace(/^(?=[.,]\d)/, '0').replace(/[.,]$/, ''));
  if (!match) return undefined;
  const [, front = '', point, tail] = match;
  const decimals = tail !== undefined && tail.length <= exponent ? tail : undefined;
  const whole = (decimals === undefined ? front + (tail ?? '') : front).replace(/[.,]/g, '');
  // Wrong groups are a typing mistake: `12.34.56`.
  if (!isGrouped(decimals === undefined && point !== undefined ? `${front}${point}${tail ?? ''}` : front))
    return undefined;
  if (decimals !== undefined && point !== undefined && front.includes(point)) return undefined;
  const minor = Number(whole + (decimals ?? '').padEnd(exponent, '0'));
  return Number.isSafeInteger(minor) && minor > 0 ? minor : undefined;
}

/** True for digits without separators, or with one separator and a last group of three digits. */
const isGrouped = (digits: string): boolean => GROUPS.test(digits) && !/[.,]\d{1,2}$/.test(digits);

/** True if all letters and currency signs of the text mean this currency: its code, its sign or its name. */
function namesOnly(text: string, currency: string, locale: string): boolean {
  const typed = text.toLowerCase().match(/\p{L}+\.?\p{Sc}?|\p{Sc}/gu) ?? [];
  if (typed.length === 0) return true;
  const names = (['code', 'symbol', 'narrowSymbol', 'name'] as const).flatMap((currencyDisplay) =>
    [locale, 'en'].flatMap((language) =>
      [1, 2].map((count) =>
        new Intl.NumberFormat(language, {
          style: 'currency',
          currency: currency.toUpperCase(),
          currencyDisplay,
        })
          .formatToParts(count)
          .filter(({ type }) => type === 'currency')
          .map(({ value }) => value.toLowerCase())
          .join(' '),
      ),
    ),
  );
  const words = names.flatMap((name) => [name, ...name.split(/\s+/)]);
  // "Fr." is the start of "francs".
  return typed.every((word) => words.some((name) => name.startsWith(word.replace('.', ''))));
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
