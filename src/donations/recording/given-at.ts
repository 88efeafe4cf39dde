import type { DonationRow } from '../store/donation-columns.js';

/** By so much clocks of terminals may differ from ours. */
export const CLOCKS_DIFFER_MS = 120_000;

/** The event's day and the one before it, in any time zone. */
const BEFORE_EVENT_MS = 48 * 3_600_000;

/**
 * When it was taken, as its device says it; null where that cannot be. A clock may be ahead a little, and a record may have
 * waited for long, but it is not from before the event's day and the day before, wherever that day is.
 */
export function believedTime(said: Date, arrived: Date, eventDate: Date): Date | null {
  const earliest = Math.min(eventDate.getTime(), arrived.getTime()) - BEFORE_EVENT_MS;
  const latest = arrived.getTime() + CLOCKS_DIFFER_MS;
  if (said.getTime() < earliest || said.getTime() > latest) return null;
  return said > arrived ? arrived : said;
}

/**
 * When a donation was given, as its giver remembers it: when it was handed over, by the clock of the terminal that recorded
 * it and may have sent it later; when its money came online; of a pledge, when it was kept. One that never was given has
 * the time at which it was made.
 */
export function givenAt({
  recorded_at: recorded,
  completed_at: completed,
  created_at: created,
}: Pick<DonationRow, 'recorded_at' | 'completed_at' | 'created_at'>): Date {
  const cameAtOnce = completed?.getTime() === created.getTime();
  return (cameAtOnce ? recorded : completed) ?? completed ?? created;
}
