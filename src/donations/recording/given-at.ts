import type { DonationRow } from '../store/donation-columns.js';

/** Maximum difference between the clocks of a terminal and of the server. */
export const CLOCKS_DIFFER_MS = 120_000;

/** Tolerance before the date of the event. It covers the event's day and the day before, in any time zone. */
const BEFORE_EVENT_MS = 48 * 3_600_000;

/** Returns the earliest possible time of a donation that arrives at `arrived`, in milliseconds since 1970. */
export const earliestGivenAt = (arrived: Date, eventDate: Date): number =>
  Math.min(eventDate.getTime(), arrived.getTime()) - BEFORE_EVENT_MS;

/**
 * Returns the device's time of a donation, or null if this time is impossible. A device's clock may be slightly ahead of the
 * server's clock, and a record may have waited for days. The time must not be earlier than the day before the event, in any
 * time zone.
 */
export function believedTime(said: Date, arrived: Date, eventDate: Date): Date | null {
  const earliest = earliestGivenAt(arrived, eventDate);
  const latest = arrived.getTime() + CLOCKS_DIFFER_MS;
  if (said.getTime() < earliest || said.getTime() > latest) return null;
  return said > arrived ? arrived : said;
}

/**
 * Returns the time when the donor gave the donation. For a record this is the terminal's time, even if the terminal sent the
 * record later. For an online donation it is the time of the successful payment, and for a pledge the time of its payment. For
 * a bank transfer that was marked as received it is the day on which the money arrived. For an unpaid donation it is the creation
 * time.
 */
export function givenAt({
  recorded_at: recorded,
  completed_at: completed,
  created_at: created,
  paid_at: paid,
  type,
}: Pick<DonationRow, 'recorded_at' | 'completed_at' | 'created_at' | 'paid_at' | 'type'>): Date {
  if (type === 'bank_transfer' && paid !== null) return paid;
  const cameAtOnce = completed?.getTime() === created.getTime();
  return (cameAtOnce ? recorded : completed) ?? completed ?? created;
}
