import { takesRecords, type EventStatus } from '../../events/event-status.js';
import type { Settings } from '../../settings/settings.js';
import { passesPromised, passesRecorded } from '../../totals/range-of-totals.js';
import { countedOf } from '../lifecycle/donation-changes.js';
import type { DonationRow } from '../store/donation-columns.js';
import { believedTime } from './given-at.js';
import { moderationStates } from './new-donation.js';

/** An event as the records of one batch find it, read under its lock. */
export interface EventOfRecords {
  readonly currency: string;
  readonly date: Date;
  readonly status: EventStatus;
  /** In force there. */
  readonly settings: Pick<Settings, 'donation' | 'live'>;
  /** What it has raised in its currency, minor units. */
  readonly raised: bigint;
  /** What its pledges promise; zero where no record asks for that. */
  readonly promised: bigint;
  /** The currencies of those of its pledge rounds that the records name, by id. */
  readonly rounds: Readonly<Record<string, string>>;
}

/** A record as it was sent. */
export interface SentRecord {
  /** As `DonationChanges.draft` made it, without what the event says; `recorded_at` is what the device says. */
  readonly donation: DonationRow;
  /** Whether somebody was asked about an unusually large amount and said yes. */
  readonly confirmed: boolean;
}

export type Refusal =
  /** The event does not exist or takes no offline donations now. */
  | { readonly kind: 'event-closed' }
  /** More than the settings let one record be, or be without a confirmation. */
  | { readonly kind: 'too-large' | 'unconfirmed'; readonly limit: number }
  /** The event's total would be more than can be counted. */
  | { readonly kind: 'out-of-range'; readonly currency: string }
  /** The event has no such pledge round. */
  | { readonly kind: 'unknown-round' };

/** The row as it is to be written, or why it is not. */
export type Verdict = { readonly kind: 'accepted'; readonly donation: DonationRow } | Refusal;

/** Judges the records of one event in their order: what one adds to the totals, the next finds there. */
export function judge(records: readonly SentRecord[], event: EventOfRecords | undefined): Verdict[] {
  if (!event || !takesRecords(event.status)) return records.map(() => ({ kind: 'event-closed' }));
  let { raised, promised } = event;
  return records.map((record) => {
    const { donation } = record;
    const refusal = refusalOf(record, { ...event, raised, promised });
    if (refusal) return refusal;
    raised += countedOf(donation)?.net ?? 0n;
    if (donation.type === 'pledge') promised += donation.amount;
    return { kind: 'accepted', donation: asAccepted(donation, event) };
  });
}

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

/** The row with what the event says of it: currency, what waits for approval, and when it was taken. */
function asAccepted(donation: DonationRow, { currency, date, settings }: EventOfRecords): DonationRow {
  const { donor_name: donorName, is_anonymous: isAnonymous, message, recorded_at: said } = donation;
  return {
    ...donation,
    currency,
    ...moderationStates(settings.live.moderate, { donorName, isAnonymous, message }),
    recorded_at: said && believedTime(said, donation.created_at, date),
  };
}
