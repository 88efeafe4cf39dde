import type { DonationRow } from '../store/donation-columns.js';

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
