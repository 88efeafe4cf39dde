import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../data/database.js';
import type { MessageState } from '../donations/store/donation-columns.js';
import type { PublicTribute } from '../donations/tributes/tribute.js';
import { FeedSubjects } from './feed-subjects.js';
import type { NumberedRow } from '../outbox/outbox.sql.js';
import type {
  DonationMessage,
  FeedMessage,
  RetractedMessage,
  RoundMessage,
  TotalsMessage,
} from './live-messages.js';
import { DONATIONS, ROUNDS, TOTALS } from './live.sql.js';
import type { SubjectTopic } from '../outbox/outbox.js';
import { toJsonAmount } from '../common/money/money.js';

/** The public columns of a donation. Broadcasts read only these columns. */
export interface PublicDonationRow {
  readonly donation_id: string;
  /** Null if the donor hides the amount. */
  readonly amount: bigint | null;
  readonly currency: string;
  readonly status: string;
  /** Null for an anonymous donor. */
  readonly donor_name: string | null;
  /** How a speaker says the name; null without a name. Absent in reads that do not select it. */
  readonly donor_pronunciation?: string | null;
  /** Null unless walls may show the message. */
  readonly message: string | null;
  /** Null unless walls may show the tribute. */
  readonly tribute: PublicTribute | null;
  /** `held`: the card waits for a second person; `visible`: a person showed it; null: it never waited. */
  readonly wall_state: MessageState | null;
  readonly created_at: Date;
  /** Null if the donation drew nothing from match pools, or hides its amount. */
  readonly matched?: bigint | null;
}

/** An outbox row: the donation or pledge round, the kind of change, and its position in the feed. */
export interface FeedRow {
  readonly event_id: string;
  readonly topic: string;
  readonly donation_id: string | null;
  readonly round_id: string | null;
  readonly subject_id: string | null;
  readonly sequence: bigint;
}

/** A pledge round with the sum of its pledges. */
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

/** Builds an event's feed messages and totals from the current database state. */
@Injectable()
export class LiveFeed {
  private readonly logger = new Logger(LiveFeed.name);

  constructor(
    private readonly database: Database,
    private readonly subjects: FeedSubjects,
  ) {}

  /** Builds the messages of numbered outbox rows from the current state of the donations. */
  async messagesOf(rows: readonly NumberedRow[]): Promise<FeedMessage[]> {
    const [donations, rounds, subjects] = await Promise.all([
      this.database.query<PublicDonationRow>(DONATIONS, [rows.map(({ donation_id }) => donation_id)]),
      this.readRounds(rows.map(({ round_id }) => round_id)),
      this.subjects.statesOf(rows),
    ]);
    const byId = new Map(donations.map((donation) => [donation.donation_id, donation]));
    return rows.map((row) =>
      toFeedMessage(
        row,
        byId.get(row.donation_id ?? ''),
        rounds.get(row.round_id ?? ''),
        subjects.get(row.subject_id ?? ''),
      ),
    );
  }

  /**
   * Returns the totals of several events in the requested order. Undefined for an event that does not exist or whose totals are
   * out of range.
   */
  async readTotals(eventIds: readonly string[]): Promise<(TotalsMessage | undefined)[]> {
    const rows = await this.database.query<TotalsRow>(TOTALS, [[...new Set(eventIds)]]);
    const totals = new Map<string, TotalsMessage>();
    for (const [id, own] of groupByEvent(rows))
      try {
        if (own[0]) totals.set(id, toTotals(own[0], own));
      } catch (error) {
        this.logger.error({ msg: 'Event totals out of range', event: id, err: error });
      }
    return eventIds.map((id) => totals.get(id));
  }

  /** Current pledge rounds by id. */
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
    ...(row.amount === null
      ? { amount: null, isAmountHidden: true as const }
      : { amount: toJsonAmount(row.amount) }),
    currency: row.currency,
    donorName: row.donor_name ?? ANONYMOUS,
    ...(row.donor_pronunciation ? { donorPronunciation: row.donor_pronunciation } : {}),
    ...(row.message === null ? {} : { message: row.message }),
    ...(row.tribute === null ? {} : { tribute: row.tribute }),
    ...(row.matched ? { matched: toJsonAmount(row.matched) } : {}),
    createdAt: row.created_at.toISOString(),
  };
}

const REASONS: Record<string, RetractedMessage['reason']> = { CANCELLED: 'cancelled', REFUNDED: 'refunded' };

/**
 * Builds the message of an outbox row from the current state of the donation.
 *
 * `donation.created` is broadcast even if the donation was refunded or cancelled later, because a `donation.retracted` message
 * follows. If a donation is no longer completed, its update becomes a retraction. So a wall never keeps showing money that is
 * not booked, in any order of messages.
 *
 * While the card of a large record waits, each of its messages is a retraction: clients count it, and show nothing. The message
 * about its approval is its `donation.created`, so walls celebrate it once. On a replay, its earlier `created` stays a retraction.
 */
export function toFeedMessage(
  row: FeedRow,
  donation: PublicDonationRow | undefined,
  round?: RoundRow,
  subject?: object,
): FeedMessage {
  const { event_id: eventId, topic } = row;
  const sequence = Number(row.sequence);
  if (row.subject_id !== null) return [topic as SubjectTopic, { ...subject, eventId, sequence }];
  if (round) return ['pledge.round', { ...toRound(round), sequence }];
  if (donation && donation.wall_state !== 'held') {
    const message = { ...toPublicDonation(eventId, donation), sequence };
    const creates = donation.wall_state === null ? 'donation.created' : 'donation.shown';
    if (topic === creates) return ['donation.created', message];
    if (topic === 'donation.updated' && donation.status === 'COMPLETED') return [topic, message];
  }
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
