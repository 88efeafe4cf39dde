/** Parses amounts that donors type. The server and the page's script share this file, so it imports no other file. */

const DIGITS = /[\u0660-\u0669\u06F0-\u06F9\uFF10-\uFF19]/g;
/** Digits without separators or in groups. The last group has three digits. In India the other groups have two digits. */
const GROUPS = /^\d*$|^\d{1,3}(?:([.,])\d{2,3}(?:\1\d{2,3})*)?$/;

/**
 * Converts texts such as `"1.234,50"`, `"1,234.50"` or `"€ 25"` to minor units; undefined for a text that is not an amount
 * above zero. The last separator is the decimal point if the number of digits after it is at most the number of the currency's
 * decimals. So `1.000` is a thousand euros.
 * @param currency if given, the sign or name of another currency makes the amount invalid: `CHF 25` is not €25
 */
export function parseAmount(
  text: string,
  exponent: number,
  currency?: string,
  locale = 'en',
): number | undefined {
  // A letter between two digits, as in `1e3`, is a typing mistake and not a currency symbol.
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
  // Groups of a wrong length, as in `12.34.56`, are a typing mistake.
  if (!isGrouped(decimals === undefined && point !== undefined ? `${front}${point}${tail ?? ''}` : front))
    return undefined;
  if (decimals !== undefined && point !== undefined && front.includes(point)) return undefined;
  const minor = Number(whole + (decimals ?? '').padEnd(exponent, '0'));
  return Number.isSafeInteger(minor) && minor > 0 ? minor : undefined;
}

/** True if the digits have no separators, or groups with one kind of separator and three digits in the last group. */
const isGrouped = (digits: string): boolean => GROUPS.test(digits) && !/[.,]\d{1,2}$/.test(digits);

/** True if all letters and currency signs of the text belong to this currency: to its code, sign or name. */
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
  // An abbreviation such as "Fr." is the start of a name such as "francs".
  return typed.every((word) => words.some((name) => name.startsWith(word.replace('.', ''))));
}

/**
 * Keeps an amount together in text of any direction. Amounts in right-to-left locales contain direction marks. Without
 * isolation, other right-to-left text would change the order of such an amount and its neighbours.
 */
const isolated = (money: string): string =>
  /[\u200E\u200F\u061C]/.test(money) ? `\u2066${money}\u2069` : money;

/**
 * Formats an amount of the donate page. The amount has decimals only if this amount, or another amount of its
 * group, is not whole. So amounts next to each other have the same form.
 * @param group the amounts next to each other, in minor units
 */
export function shortMoney(
  amount: number,
  currency: string,
  exponent: number,
  locale: string,
  group: readonly number[] = [],
): string {
  const isWhole = [amount, ...group].every((one) => one % 10 ** exponent === 0);
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: isWhole ? 0 : exponent,
    maximumFractionDigits: exponent,
  });
  return isolated(format.format(amount / 10 ** exponent));
}
