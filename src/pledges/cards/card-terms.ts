import { localDay, localIso } from '../../common/text/local-time.js';
import type { EventRecord } from '../../events/event-record.js';
import type { Settings } from '../../settings/settings.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The limits that a guest agrees to. */
export interface CardTerms {
  /** Largest sum of all charges; minor units of `currency`. */
  readonly most: bigint;
  readonly currency: string;
  /** Noon of the day after the event, because an evening ends after midnight. Later pledges are not charged. */
  readonly pledgedUntil: Date;
  /** Last day on which the card may be charged, for readers. */
  readonly lastDay: Date;
  /** End of this day. */
  readonly validUntil: Date;
}

export function termsOf(
  { date, currency }: Pick<EventRecord, 'date' | 'currency'>,
  { ready, timezone }: Pick<Settings, 'ready' | 'timezone'>,
): CardTerms {
  const validUntil = dayEnd(new Date(date.getTime() + ready.days * DAY_MS), timezone);
  return {
    most: BigInt(ready.most),
    currency,
    pledgedUntil: new Date(dayEnd(date, timezone).getTime() + 12 * HOUR_MS),
    lastDay: new Date(validUntil.getTime() - 1_000),
    validUntil,
  };
}

/** The end of the local day. Days on which the clocks change have 23 or 25 hours. */
function dayEnd(time: Date, timezone: string): Date {
  const next = Date.parse(localDay(time, timezone)) + DAY_MS;
  const offset = /[+-]\d\d:\d\d/.exec(localIso(new Date(next), timezone).slice(19))?.[0] ?? '+00:00';
  return new Date(`${new Date(next).toISOString().slice(0, 10)}T00:00:00${offset}`);
}
