/** An amount while the volunteer types it: digits, and a point if it has decimals. Empty before the first key. */
export type Entry = string;

/** Maximum amount that the server accepts, in minor units. */
const MOST = 1_000_000_000_000;

export const POINT = '.';
export const DOUBLE_ZERO = '00';

/** Returns the entry after one more key. An invalid key does not change the entry. */
export function press(entry: Entry, key: string, exponent: number): Entry {
  if (key === POINT) return exponent === 0 || entry.includes(POINT) ? entry : `${entry || '0'}${POINT}`;
  if (!/^\d{1,2}$/.test(key)) return entry;
  const [whole = '', decimals] = entry.split(POINT);
  if (decimals !== undefined) {
    const longer = (decimals + key).slice(0, exponent);
    return `${whole}${POINT}${longer}`;
  }
  const next = (entry + key).replace(/^0+(?=\d)/, '');
  return amountOf(next, exponent) > MOST ? entry : next;
}

export const erase = (entry: Entry): Entry => entry.slice(0, -1);

/** Converts an entry to minor units; 0 for an empty entry. */
export function amountOf(entry: Entry, exponent: number): number {
  const [whole = '', decimals = ''] = entry.split(POINT);
  return Number(`${whole}${decimals.padEnd(exponent, '0')}`);
}

/** Converts an amount in minor units to an entry. */
export function entryOf(amount: number, exponent: number): Entry {
  const text = decimal(amount, exponent);
  return /\.0+$/.test(text) ? text.replace(/\.0+$/, '') : text;
}

/** Converts minor units to a decimal text: `12345, 2` → `"123.45"`. A division could lose digits of large amounts. */
export function decimal(amount: number, exponent: number): string {
  if (exponent === 0) return String(amount);
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(locale: string, currency: string, decimals: number): Intl.NumberFormat {
  const key = `${locale}/${currency}/${decimals}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency: currency.toUpperCase(),
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    formats.set(key, format);
  }
  return format;
}

/** Formats an amount in minor units as money. */
export const money = (amount: number, currency: string, exponent: number, locale: string): string =>
  formatOf(locale, currency, exponent).format(decimal(amount, exponent) as Intl.StringNumericLiteral);

/** Formats an amount as money, without decimals if they are zero. For keys and labels. */
export const shortMoney = (amount: number, currency: string, exponent: number, locale: string): string =>
  formatOf(locale, currency, amount % 10 ** exponent === 0 ? 0 : exponent).format(
    decimal(amount, exponent) as Intl.StringNumericLiteral,
  );

/** Formats an unfinished entry as money, with only the decimals that were typed so far. */
export function shownEntry(entry: Entry, currency: string, locale: string): string {
  const [whole = '', decimals] = entry.split(POINT);
  const digits = decimals?.length ?? 0;
  const format = formatOf(locale, currency, digits);
  const number = (digits > 0 ? `${whole}.${decimals}` : whole || '0') as Intl.StringNumericLiteral;
  if (decimals !== '') return format.format(number);
  const parts = format.formatToParts(number);
  const last = parts.findLastIndex(({ type }) => type === 'integer');
  return parts.map(({ value }, index) => (index === last ? value + separatorOf(locale) : value)).join('');
}

/** Returns the decimal separator of a locale. */
export const separatorOf = (locale: string): string =>
  new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? POINT;

/** Converts an amount typed with a comma or a point to an entry; undefined if the text is not an amount. */
export function parseAmount(text: string, exponent: number): Entry | undefined {
  const plain = text
    .trim()
    .replace(/[\s\u00a0']/g, '')
    .replace(',', '.');
  const match = /^(\d{1,13})(?:\.(\d*))?$/.exec(plain);
  if (!match || (match[2] ?? '').length > exponent) return undefined;
  return plain;
}
