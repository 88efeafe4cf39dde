/**
 * The day on which the accounting year of a day ends, some years later.
 * @param day `YYYY-MM-DD`
 * @param yearEnd last day of each accounting year, `MM-DD`; `12-31` for the calendar year
 * @returns `YYYY-MM-DD`
 */
export function yearEndAfter(day: string, yearEnd: string, years: number): string {
  const year = Number(day.slice(0, 4));
  const ends = day.slice(5) <= yearEnd ? year : year + 1;
  return `${ends + years}-${yearEnd}`;
}
