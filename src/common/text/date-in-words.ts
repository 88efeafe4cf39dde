const formats = new Map<string, Intl.DateTimeFormat>();

/** A day for people, `1 March 2026`, in a locale and a time zone; with the time of day where asked. */
export function dateInWords(time: Date, locale: string, timezone: string, { withTime = false } = {}): string {
  const key = `${locale}/${timezone}/${withTime}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(locale, {
      dateStyle: 'long',
      ...(withTime && { timeStyle: 'short' }),
      timeZone: timezone,
      // The one that receipt numbers count years by, whatever the locale is used to.
      calendar: 'gregory',
    });
    formats.set(key, format);
  }
  return format.format(time);
}
