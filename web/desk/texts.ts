import { fillText } from '../../src/common/text/fill-text.js';
import { percentOf } from '../../src/common/text/percent.js';
import type english from '../admin/texts/en.json';
import { serverNow } from '../kit/clock.js';
import { Store } from './store.js';

export type TextKey = keyof typeof english;
/** A key whose text has a singular and a plural form. */
export type CountedKey = TextKey extends infer Key
  ? Key extends `${infer Base}.other`
    ? Base
    : never
  : never;
type Table = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, string | number>>;

interface Language {
  readonly locale: string;
  readonly table: Table;
  readonly plurals: Intl.PluralRules;
}

/** Language of the dashboard. It is set before the page is drawn for the first time. */
export const language = new Store<Language | undefined>(undefined);

let exponents: Readonly<Record<string, number>> = {};

export function speak(locale: string, table: Table): void {
  formats.clear();
  document.documentElement.lang = locale;
  language.set({ locale, table, plurals: new Intl.PluralRules(locale) });
}

export function setExponents(known: Readonly<Record<string, number>>): void {
  exponents = known;
}

const fill = (text: string, values: Values | undefined): string => (values ? fillText(text, values) : text);

const lookUp = (key: string): string | undefined => language.get()?.table[key];

/** Language of the dashboard without its region, such as `de`. */
export const localeLanguage = (): string => language.get()?.locale.split('-', 1)[0] ?? 'en';

export const t = (key: TextKey, values?: Values): string => fill(lookUp(key) ?? key, values);

/** Returns the text for a word from the server, such as a status. If no text exists, returns the word itself. */
export const word = (group: string, name: string): string => known(group, name) ?? name.replaceAll('_', ' ');

/** Returns the text for a word from the server; undefined if no text exists. */
export const known = (group: string, name: string, values?: Values): string | undefined => {
  const text = lookUp(`${group}.${name}`);
  return text === undefined ? undefined : fill(text, values);
};

/** Returns a text with `{count}` in the correct plural form. */
export function tn(key: CountedKey, count: number, values?: Values): string {
  const form = language.get()?.plurals.select(count) ?? 'other';
  const text = lookUp(`${key}.${form === 'one' ? 'one' : 'other'}`) ?? key;
  return fill(text, { count: number(count), ...values });
}

type AnyFormat = Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat | Intl.DisplayNames;

const formats = new Map<string, AnyFormat>();

function cached<Format extends AnyFormat>(key: string, make: (locale: string) => Format): Format {
  let format = formats.get(key) as Format | undefined;
  if (!format) {
    format = make(language.get()?.locale ?? 'en');
    formats.set(key, format);
  }
  return format;
}

export const exponentOf = (currency: string): number => exponents[currency] ?? 2;

/** Formats an amount in minor units as money. */
export function money(amount: number, currency: string, { short = false } = {}): string {
  const exponent = exponentOf(currency);
  const digits = short && amount % 10 ** exponent === 0 ? 0 : exponent;
  return cached(
    `money ${currency} ${digits}`,
    (locale) =>
      new Intl.NumberFormat(locale, {
        style: 'currency',
        currency: currency.toUpperCase(),
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }),
  ).format(decimal(amount, exponent) as Intl.StringNumericLiteral);
}

/** Converts minor units to a decimal text: `12345, 2` → `"123.45"`. A division could lose digits of large amounts. */
export function decimal(amount: number, exponent: number): string {
  if (exponent === 0) return String(amount);
  const sign = amount < 0 ? '-' : '';
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** Formats an amount as a person types it into a field: `25` or `25.50`. */
export function typedAmount(amount: number, currency: string): string {
  const exponent = exponentOf(currency);
  const text = decimal(amount, exponent);
  return amount % 10 ** exponent === 0 ? text.replace(/\.0+$/, '') : text;
}

export const number = (count: number): string =>
  cached('number', (locale) => new Intl.NumberFormat(locale)).format(count);

/** Returns the name of a currency in the language of the reader, and its code: "Swiss Franc (CHF)". */
export function currencyName(currency: string): string {
  const code = currency.toUpperCase();
  const name = cached(
    'currency',
    (locale) => new Intl.DisplayNames(locale, { type: 'currency', fallback: 'none' }),
  ).of(code);
  return name === undefined ? code : `${name} (${code})`;
}

/** Formats a part of a whole in whole percent, rounded down. */
export const percent = (part: number, whole: number): string =>
  cached(
    'percent',
    (locale) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }),
  ).format(percentOf(part, whole) / 100);

export const bytes = (count: number): string =>
  count < 1_000_000
    ? cached(
        'kilobytes',
        (locale) =>
          new Intl.NumberFormat(locale, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 0 }),
      ).format(Math.ceil(count / 1000))
    : cached(
        'megabytes',
        (locale) =>
          new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 }),
      ).format(count / 1_000_000);

const dateFormat = (name: string, options: Intl.DateTimeFormatOptions) =>
  cached(`date ${name}`, (locale) => new Intl.DateTimeFormat(locale, options));

export const dateTime = (iso: string | number): string =>
  dateFormat('time', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));

/** A day of the calendar, such as `2033-04-05`, independent of the time zone. */
export const calendarDay = (day: string): string => date(`${day}T12:00:00`);

export const date = (iso: string | number): string =>
  dateFormat('day', { dateStyle: 'medium' }).format(new Date(iso));

export const time = (iso: string | number): string =>
  dateFormat('clock', { timeStyle: 'short' }).format(new Date(iso));

export const clock = (at: number): string =>
  dateFormat('seconds', { timeStyle: 'medium' }).format(new Date(at));

/** Formats a time: only the time of day if it is today, otherwise day and time. */
export function moment(iso: string): string {
  const at = new Date(iso);
  return at.toDateString() === new Date().toDateString()
    ? time(iso)
    : dateFormat('short', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }).format(at);
}

const STEPS = [
  [60, 'second', 1],
  [3600, 'minute', 60],
  [86_400, 'hour', 3600],
  [Infinity, 'day', 86_400],
] as const;

/** Formats the time since `at`, for example `3 minutes ago`. */
export function ago(at: number | string, now = serverNow()): string {
  const seconds = Math.max(0, Math.round((now - new Date(at).getTime()) / 1000));
  const [, unit, size] = STEPS.find(([limit]) => seconds < limit) ?? STEPS[3];
  return cached(
    'relative',
    (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }),
  ).format(-Math.floor(seconds / size), unit);
}
