import { fromDecimalString } from '../../common/money/money.js';
import { parseInstant } from '../../common/validation/field.decorators.js';
import { type DateOrder, type Decimal, DECIMALS, type ValueFormats } from './donation-fields.js';

/*
 * Reads amounts and dates as people write them. `1.234` and 03/04/2026 have two meanings. One file has one meaning, so it comes
 * from values of the column that are certain, and otherwise from the person who imports.
 */

/** Currency signs and codes, spaces and the apostrophes of Switzerland. */
const AROUND = /[\p{Sc}\p{Z}\s'’`]|\b[A-Za-z]{3}\b/gu;
const bare = (text: string): string => text.replace(AROUND, '').replace(/,-+$|\.-+$/, '');

/** Returns the decimal sign that an amount certainly has; null if it has none; undefined if it has two meanings. */
function decimalIn(text: string): Decimal | null | undefined {
  const [amount, signs] = [bare(text), bare(text).replace(/[^.,]/g, '')];
  const last = signs.at(-1) as Decimal | undefined;
  if (last === undefined) return null;
  if (new Set(signs).size === 2) return last;
  if (signs.length > 1) return last === '.' ? ',' : '.';
  const [before = '', after = ''] = amount.split(last);
  const isGroup = after.length === 3 && /^[1-9]\d{0,2}$/.test(before);
  return isGroup ? undefined : last;
}

const SLASHED = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d{2})$/;
const DOTTED = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})$/;
/** The date without a time of the day. */
const dayOf = (text: string): string => text.replace(/[T\s].*$/s, '').replace(/\.\s+/g, '.');

/** Like `decimalIn`, for the order of day and month. */
function orderIn(text: string): DateOrder | null | undefined {
  const [, first, second] = SLASHED.exec(dayOf(text)) ?? [];
  if (first === undefined || Number(first) === Number(second)) return null;
  if (Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : undefined;
}

/** A format of the file; undefined if the person who imports must choose it. */
function certain<Format extends string>(
  found: readonly (Format | null | undefined)[],
  any: Format,
): Format | undefined {
  const sure = new Set(found.filter((one) => one !== null));
  sure.delete(undefined);
  const [only] = sure;
  if (sure.size > 1 || (sure.size === 0 && found.includes(undefined))) return undefined;
  return only ?? any;
}

/** Finds how a file writes amounts and dates. */
export const formatsIn = (
  amounts: readonly string[],
  dates: readonly string[],
): { readonly [Format in keyof ValueFormats]: ValueFormats[Format] | undefined } => ({
  decimal: certain(amounts.map(decimalIn), '.'),
  dateOrder: certain(dates.map(orderIn), 'dmy'),
});

/**
 * Returns an amount in minor units; undefined if the text is none in this format.
 * @param exponent number of decimals of the currency
 */
export function readAmount(text: string, decimal: Decimal, exponent: number): bigint | undefined {
  const group = DECIMALS.find((sign) => sign !== decimal) ?? ',';
  const [whole = '', cents = '', ...others] = bare(text).split(decimal);
  const isGrouped = /^\d{1,3}$/.test(whole.split(group)[0] ?? '');
  const groups = whole.split(group).slice(1);
  if (others.length > 0 || (groups.length > 0 && !isGrouped) || groups.some((one) => !/^\d{3}$/.test(one)))
    return undefined;
  const digits = whole.replaceAll(group, '');
  if (!/^\d{1,15}$/.test(digits) || !/^\d*$/.test(cents)) return undefined;
  try {
    return fromDecimalString(cents === '' ? digits : `${digits}.${cents}`, exponent);
  } catch {
    // The currency has fewer decimals.
    return undefined;
  }
}

/** Returns a day such as `2026-12-01`; undefined if the text is no date in this format. */
export function readDay(text: string, order: DateOrder): string | undefined {
  const day = dayOf(text);
  const [, first = '', second = '', year = ''] = SLASHED.exec(day) ?? DOTTED.exec(day) ?? [];
  const isDotted = DOTTED.test(day);
  const [date, month] = isDotted || order === 'dmy' ? [first, second] : [second, first];
  const iso =
    year === ''
      ? day
      : `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  return iso.length === 10 && parseInstant(iso) ? iso : undefined;
}
