import { localIso } from '../../common/text/local-time.js';

/** No reminder is sent from the evening hour until the morning hour, in the time zone of the event. */
const EVENING = 20;
const MORNING = 8;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Returns the milliseconds until the quiet hours end; 0 outside of the quiet hours. */
export function quietMs(now: Date, timezone: string): number {
  const minutes = minutesOf(now, timezone);
  if (minutes >= MORNING * 60 && minutes < EVENING * 60) return 0;
  const ahead = (MORNING * 60 - minutes + 24 * 60) % (24 * 60);
  const end = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS + ahead * MINUTE_MS;
  // If the clocks change in this night, the first result is wrong by the difference of the clocks.
  const late = minutesOf(new Date(end), timezone) - MORNING * 60;
  return end - late * MINUTE_MS - now.getTime();
}

/** Returns the number of local midnights between two times. */
export function daysBetween(from: Date, to: Date, timezone: string): number {
  const day = (time: Date) => Date.parse(localIso(time, timezone).slice(0, 10));
  return Math.round((day(to) - day(from)) / DAY_MS);
}

/** Minutes since local midnight. */
function minutesOf(time: Date, timezone: string): number {
  const local = localIso(time, timezone);
  return Number(local.slice(11, 13)) * 60 + Number(local.slice(14, 16));
}
