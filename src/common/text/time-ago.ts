const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Units by their first use: a day and longer counts in days. The last units are mean lengths. */
const UNITS = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const;

/** Returns the time since a moment in words of the locale, such as "5 minutes ago"; "now" for less than a minute. */
export function timeAgo(then: Date, now: Date, locale: string): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const passed = Math.max(0, now.getTime() - then.getTime());
  const [unit, length] = UNITS.find(([, least]) => passed >= least) ?? (['second', Infinity] as const);
  return format.format(-Math.floor(passed / length), unit);
}
