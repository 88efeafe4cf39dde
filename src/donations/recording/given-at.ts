import type { DonationRow } from '../store/donation-columns.js';

/** Maximum difference between a terminal's clock and ours. */
export const CLOCKS_DIFFER_MS = 120_000;

/** Covers the event's day and the day before it, in any time zone. */
const BEFORE_EVENT_MS = 48 * 3_600_000;

/**
 * The device's time of a donation; null if it is impossible. It may be slightly ahead of our clock, and a record may
 * have waited for days. It must not be earlier than the day before the event, in any time zone.
 */
export function believedTime(said: Date, arrived: Date, eventDate: Date): Date | null {
  const earliest = Math.min(eventDate.getTime(), arrived.getTime()) - BEFORE_EVENT_MS;
  const latest = arrived.getTime() + CLOCKS_DIFFER_MS;
  if (said.getTime() < earliest || said.getTime() > latest) return null;
  return said > arrived ? arrived : said;
}

/**
 * When the donation was given, as the donor remembers it. Recorded at a terminal: the terminal's time, even if it was
 * sent later. Online: when the payment succeeded. Pledge: when it was paid. Never paid: when it was created.
 */
export function givenAt({
  recorded_at: recorded,
  completed_at: completed,
  created_at: created,
}: Pick<DonationRow, 'recorded_at' | 'completed_at' | 'created_at'>): Date {
  const cameAtOnce = completed?.getTime() === created.getTime();
  return (cameAtOnce ? recorded : completed) ?? completed ?? created;
}
