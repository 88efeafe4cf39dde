const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Units, the largest first. A time of at least one unit is counted in this unit. A month counts as 30 days, a year as 365 days. */
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
