import { boundedCache } from '../caching/bounded-cache.js';

const DAY_MS = 86_400_000;
const offsetFormats = new Map<string, Intl.DateTimeFormat>();
/** Cached UTC offsets at 00:00 UTC, by day and time zone. */
const midnights = boundedCache<number>(10_000);

/**
 * Returns the local time in a time zone with its UTC offset: `2026-10-25T02:30:00+01:00`. In the night that ends summer time,
 * one hour occurs twice, and the offset shows which one is meant.
 */
export function localIso(time: Date, timezone: string): string {
  const seconds = offsetAt(time, timezone);
  const local = new Date(Math.floor(time.getTime() / 1_000) * 1_000 + seconds * 1_000).toISOString();
  const minutes = Math.abs(Math.trunc(seconds / 60));
  const two = (count: number) => String(count).padStart(2, '0');
  const rest = Math.abs(seconds) % 60;
  const offset = `${seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}${rest === 0 ? '' : `:${two(rest)}`}`;
  return `${local.slice(0, -5)}${offset}`;
}

/**
 * Returns the UTC offset of a zone. Because reading an offset is slow, uses cached offsets: if the offset is the same at the
 * start and end of a day, it is the same all day.
 */
function offsetAt(time: Date, timezone: string): number {
  const day = Math.floor(time.getTime() / DAY_MS);
  const [before, after] = [midnightOf(day, timezone), midnightOf(day + 1, timezone)];
  return before === after ? before : readOffset(time, timezone);
}

function midnightOf(day: number, timezone: string): number {
  const key = `${timezone} ${day}`;
  const known = midnights.get(key);
  if (known !== undefined) return known;
  const offset = readOffset(new Date(day * DAY_MS), timezone);
  midnights.set(key, offset);
  return offset;
}

/** Reads the seconds between the local time of a zone and UTC. */
function readOffset(time: Date, timezone: string): number {
  let format = offsetFormats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
    offsetFormats.set(timezone, format);
  }
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /^GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(name) ?? [];
  const distance = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -distance : distance;
}

const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** Returns the day in a time zone, for file names: `2026-10-25`. */
export const localDay = (time: Date, timezone: string): string => localIso(time, timezone).slice(0, 10);

/** Time zones whose readers of English expect the month before the day. */
const AMERICAN = /^(America|US)\/|^Pacific\/(Honolulu|Guam|Pago_Pago|Midway|Saipan)$/;
const NO_PLACE = /^(UTC|GMT|Etc\/.*)$/;

/**
 * Returns the locale for dates. `en` names no country, and `Intl` then writes dates as in the United States. The time zone of
 * the charity names the country, and with UTC the currency does.
 */
function localeOfDates(locale: string, timezone: string, currency: string | undefined): string {
  if (locale !== 'en') return locale;
  const isAmerican = AMERICAN.test(timezone) || (currency === 'usd' && NO_PLACE.test(timezone));
  return isAmerican ? 'en-US' : 'en-GB';
}

/**
 * Returns a date for readers, such as `1 March 2026`, in a locale and a time zone. With `withTime`, adds the time of day.
 * @param currency currency of the money in the same text, ISO 4217 in lower case
 */
export function dateInWords(
  time: Date,
  locale: string,
  timezone: string,
  {
    withTime = false,
    currency,
  }: { readonly withTime?: boolean; readonly currency?: string | undefined } = {},
): string {
  const written = localeOfDates(locale, timezone, currency);
  const key = `${written}/${timezone}/${withTime}`;
  let format = dayFormats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(written, {
      dateStyle: 'long',
      ...(withTime && { timeStyle: 'short' }),
      timeZone: timezone,
      // Always the Gregorian calendar, because receipt numbers contain the Gregorian year.
      calendar: 'gregory',
    });
    dayFormats.set(key, format);
  }
  return format.format(time);
}
