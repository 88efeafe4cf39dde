import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../data/database.js';
import type { NumberedRow } from '../outbox/outbox.sql.js';
import type {
  DonationMessage,
  FeedMessage,
  RetractedMessage,
  RoundMessage,
  TotalsMessage,
} from './live-messages.js';
import { DONATIONS, ROUNDS, TOTALS } from './live.sql.js';
import { toJsonAmount } from '../common/money/money.js';

/** What is read of a donation for the room; nothing else of it leaves the database for this. */
export interface PublicDonationRow {
  readonly donation_id: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: string;
  /** Null when anonymous. */
  readonly donor_name: string | null;
  /** Null unless visible. */
  readonly message: string | null;
  readonly created_at: Date;
}

/** What the outbox says: what happened to which donation, and where that stands in the feed. */
export interface FeedRow {
  readonly event_id: string;
  readonly topic: string;
  readonly donation_id: string | null;
  readonly round_id: string | null;
  readonly sequence: bigint;
}

/** A round with what is promised in it. */
export interface RoundRow {
  readonly round_id: string;
  readonly event_id: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly name: string | null;
  readonly is_open: boolean;
  readonly pledges: number;
  readonly promised: bigint;
}

interface TotalsRow {
  readonly event_id: string;
  readonly currency: string;
  readonly goal_amount: bigint;
  readonly published_sequence: bigint;
  readonly total_currency: string | null;
  readonly total_raised: bigint;
  readonly donor_count: bigint;
}

/** What is broadcast of an event: the messages of its feed and its totals, made from what the database holds now. */
@Injectable()
export class LiveFeed {
  private readonly logger = new Logger(LiveFeed.name);

  constructor(private readonly database: Database) {}

  /** The messages of numbered rows, made from the donations as they are now. */
  async messagesOf(rows: readonly NumberedRow[]): Promise<FeedMessage[]> {
    const [donations, rounds] = await Promise.all([
      this.database.query<PublicDonationRow>(DONATIONS, [rows.map(({ donation_id }) => donation_id)]),
      this.readRounds(rows.map(({ round_id }) => round_id)),
    ]);
    const byId = new Map(donations.map((donation) => [donation.donation_id, donation]));
    return rows.map((row) =>
      toFeedMessage(row, byId.get(row.donation_id ?? ''), rounds.get(row.round_id ?? '')),
    );
  }

  /** The totals of several events, in the order asked; undefined for one that is gone or has totals out of range. */
  async readTotals(eventIds: readonly string[]): Promise<(TotalsMessage | undefined)[]> {
    const rows = await this.database.query<TotalsRow>(TOTALS, [[...new Set(eventIds)]]);
    const totals = new Map<string, TotalsMessage>();
    for (const [id, own] of groupByEvent(rows))
      try {
        if (own[0]) totals.set(id, toTotals(own[0], own));
      } catch (error) {
        this.logger.error({ msg: 'The totals of an event cannot be sent', event: id, err: error });
      }
    return eventIds.map((id) => totals.get(id));
  }

  /** Rounds of paddle raises as they are now, by id. */
  async readRounds(ids: readonly (string | null)[]): Promise<Map<string, RoundRow>> {
    const named = [...new Set(ids.filter((id) => id !== null))];
    const rows = named.length === 0 ? [] : await this.database.query<RoundRow>(ROUNDS, [named]);
    return new Map(rows.map((row) => [row.round_id, row]));
  }
}

export const toRound = (row: RoundRow): RoundMessage => ({
  roundId: row.round_id,
  eventId: row.event_id,
  amount: toJsonAmount(row.amount),
  currency: row.currency,
  ...(row.name === null ? {} : { name: row.name }),
  count: row.pledges,
  sum: toJsonAmount(row.promised),
  status: row.is_open ? 'open' : 'closed',
});

export const ANONYMOUS = 'Anonymous';

export function toPublicDonation(eventId: string, row: PublicDonationRow): Omit<DonationMessage, 'sequence'> {
  return {
    id: row.donation_id,
    eventId,
    amount: toJsonAmount(row.amount),
    currency: row.currency,
    donorName: row.donor_name ?? ANONYMOUS,
    ...(row.message === null ? {} : { message: row.message }),
    createdAt: row.created_at.toISOString(),
  };
}

const REASONS: Record<string, RetractedMessage['reason']> = { CANCELLED: 'cancelled', REFUNDED: 'refunded' };

/**
 * The message of an outbox row, made from the donation as it is now.
 *
 * `donation.created` is broadcast even when the donation was refunded or cancelled since: its own `donation.retracted`
 * follows.
 * An update of what is not completed (any more) is broadcast as a retraction, so that no order of events puts
 * money on a wall that is not there.
 */
export function toFeedMessage(
  row: FeedRow,
  donation: PublicDonationRow | undefined,
  round?: RoundRow,
): FeedMessage {
  const { event_id: eventId, topic } = row;
  const sequence = Number(row.sequence);
  if (round) return ['pledge.round', { ...toRound(round), sequence }];
  if (
    donation &&
    (topic === 'donation.created' || (topic === 'donation.updated' && donation.status === 'COMPLETED'))
  )
    return [topic, { ...toPublicDonation(eventId, donation), sequence }];
  const reason = donation && REASONS[donation.status];
  return [
    'donation.retracted',
    { id: row.donation_id ?? '', eventId, sequence, ...(reason ? { reason } : {}) },
  ];
}

function toTotals(event: TotalsRow, rows: readonly TotalsRow[]): TotalsMessage {
  const totals = rows
    .filter((row) => row.total_currency !== null && (row.total_raised !== 0n || row.donor_count !== 0n))
    .map((row) => ({
      currency: row.total_currency ?? event.currency,
      totalRaised: toJsonAmount(row.total_raised),
      donorCount: Number(row.donor_count),
    }))
    .sort((a, b) => Number(b.currency === event.currency) - Number(a.currency === event.currency));
  const own = totals.find(({ currency }) => currency === event.currency);
  return {
    eventId: event.event_id,
    sequence: Number(event.published_sequence),
    currency: event.currency,
    goalAmount: toJsonAmount(event.goal_amount),
    totalRaised: own?.totalRaised ?? 0,
    donorCount: own?.donorCount ?? 0,
    totals,
  };
}

export function groupByEvent<Row extends { readonly event_id: string }>(
  rows: readonly Row[],
): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.event_id);
    if (group) group.push(row);
    else groups.set(row.event_id, [row]);
  }
  return groups;
}
