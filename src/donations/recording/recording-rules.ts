import { takesRecords, type EventStatus } from '../../events/event-status.js';
import type { Settings } from '../../settings/settings.js';
import { passesPromised, passesRecorded } from '../../totals/range-of-totals.js';
import { countedOf } from '../lifecycle/donation-changes.js';
import type { DonationRow } from '../store/donation-columns.js';
import { believedTime } from './given-at.js';
import { tributeState } from '../tributes/tribute-columns.js';
import { moderationStates, recordedWallState } from './new-donation.js';

/** Event data for the records of one batch, read under the event's lock. */
export interface EventOfRecords {
  readonly currency: string;
  readonly date: Date;
  readonly status: EventStatus;
  /** Settings in effect at the event. */
  readonly settings: Pick<Settings, 'donation' | 'live'>;
  /** Amount raised in the event's currency, minor units. */
  readonly raised: bigint;
  /** Sum of the event's pledges; zero if no record needs it. */
  readonly promised: bigint;
  /** Currencies of the event's pledge rounds that occur in the records, by round id. */
  readonly rounds: Readonly<Record<string, string>>;
}

/** A record as the client sent it. */
export interface SentRecord {
  /** From `DonationChanges.draft`, before the event's data is added. `recorded_at` is the device time. */
  readonly donation: DonationRow;
  /** True if staff confirmed an unusually large amount. */
  readonly confirmed: boolean;
}

export type Refusal =
  /** The event does not exist or does not accept offline donations now. */
  | { readonly kind: 'event-closed' }
  /** The amount is above the limit for one record, or above the limit without confirmation. */
  | { readonly kind: 'too-large' | 'unconfirmed'; readonly limit: number }
  /** The event's total would exceed the maximum. */
  | { readonly kind: 'out-of-range'; readonly currency: string }
  /** The event has no such pledge round. */
  | { readonly kind: 'unknown-round' };

/** The row to write, or the reason for the refusal. */
export type Verdict = { readonly kind: 'accepted'; readonly donation: DonationRow } | Refusal;

/**
 * Applies the rules to the records of one event, one after the other. The totals for each record include the accepted records
 * before it.
 */
export function judge(records: readonly SentRecord[], event: EventOfRecords | undefined): Verdict[] {
  if (!event) return records.map(() => ({ kind: 'event-closed' }));
  let { raised, promised } = event;
  return records.map((record) => {
    const { donation } = record;
    if (!takes(event.status, donation)) return { kind: 'event-closed' };
    const refusal = refusalOf(record, { ...event, raised, promised });
    if (refusal) return refusal;
    raised += countedOf(donation)?.net ?? 0n;
    if (donation.type === 'pledge') promised += donation.amount;
    return { kind: 'accepted', donation: asAccepted(donation, event) };
  });
}

/** Past donations belong in archived events, whose walls and pages are no longer public. */
export const takes = (
  status: EventStatus,
  { is_past_donation: isPast }: Pick<DonationRow, 'is_past_donation'>,
): boolean => (isPast ? status === 'archived' : takesRecords(status));

function refusalOf(
  { donation, confirmed }: SentRecord,
  { currency, settings, raised, promised, rounds }: EventOfRecords,
): Refusal | undefined {
  const { amount, type, round_id: round } = donation;
  const { maxOfflineAmount, confirmOfflineAbove } = settings.donation;
  if (maxOfflineAmount !== null && amount > maxOfflineAmount)
    return { kind: 'too-large', limit: maxOfflineAmount };
  if (confirmOfflineAbove !== null && amount > confirmOfflineAbove && !confirmed)
    return { kind: 'unconfirmed', limit: confirmOfflineAbove };
  if (
    passesRecorded(raised, countedOf(donation)?.net ?? 0n) ||
    (type === 'pledge' && passesPromised(promised, amount))
  )
    return { kind: 'out-of-range', currency };
  if (round !== null && rounds[round] !== currency) return { kind: 'unknown-round' };
  return undefined;
}

/** Completes the row with the event's currency, the moderation states and the checked device time. */
function asAccepted(donation: DonationRow, { currency, date, settings }: EventOfRecords): DonationRow {
  const { donor_name: donorName, is_anonymous: isAnonymous, message, recorded_at: said } = donation;
  // Nothing of an archived event is shown, so nothing waits for approval.
  if (donation.is_past_donation) return { ...donation, currency };
  return {
    ...donation,
    currency,
    ...moderationStates(settings.live.moderate, { donorName, isAnonymous, message }),
    tribute_state: tributeState(settings.live.moderate, donation.tribute),
    wall_state: recordedWallState(settings.live.holdFrom, donation),
    recorded_at: said && believedTime(said, donation.created_at, date),
  };
}
