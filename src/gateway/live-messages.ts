import type { ErrorBody } from '../common/http/error-body.js';
import { toJsonAmount } from '../common/money.js';

/** A donation as the room sees it. */
export interface DonationMessage {
  id: string;
  eventId: string;
  /** Minor units of `currency`. */
  amount: number;
  /** ISO 4217, lower case. */
  currency: string;
  /** `Anonymous` if hidden or not given. */
  donorName: string;
  /** Absent when there is none, or when it is held or hidden. */
  message?: string;
  /** ISO 8601. */
  createdAt: string;
  /** Place in the event's feed: 1, 2, 3 … */
  sequence: number;
}

/** A donation that must not stand on the wall any more: refunded, cancelled. */
export interface RetractedMessage {
  id: string;
  eventId: string;
  sequence: number;
  reason?: 'cancelled' | 'refunded';
}

/** A round of a paddle raise as it stands: what is promised, not yet given. */
export interface RoundMessage {
  roundId: string;
  eventId: string;
  /** Minor units of `currency`: what everybody promises who holds up a paddle. */
  amount: number;
  currency: string;
  /** What it is for; absent when it has no name. */
  name?: string;
  /** How many promised, and how much together. */
  count: number;
  sum: number;
  status: 'open' | 'closed';
  /** Place in the event's feed; absent in a snapshot. */
  sequence?: number;
}

export interface CurrencyTotalMessage {
  currency: string;
  totalRaised: number;
  donorCount: number;
}

/** What stands in the books; a wall shows this and never adds up by itself. */
export interface TotalsMessage {
  eventId: string;
  /** The last message that was published; every donation up to it is in the totals. */
  sequence: number;
  currency: string;
  goalAmount: number;
  totalRaised: number;
  donorCount: number;
  /** Every currency in which something was given, the event's own first. */
  totals: CurrencyTotalMessage[];
}

/** What the team wants the walls to show. It has no place in the feed: the last one holds. */
export interface WallControl {
  /** `wall`, the usual one, or `qr`, the code over the whole screen. */
  scene: 'wall' | 'qr';
  /** A line for the hall; empty when there is none. */
  notice: string;
  /** New donations are held back until it ends; totals, corrections and retractions go on. */
  paused: boolean;
}

export interface WallControlMessage extends WallControl {
  eventId: string;
}

/** Where a wall starts from when it knows nothing, or too little. */
export interface Snapshot extends TotalsMessage {
  /** The newest donations, newest first. */
  donations: Omit<DonationMessage, 'sequence'>[];
  /** The round of a paddle raise that is open now. */
  pledgeRound?: RoundMessage;
  wall: WallControl;
  /** While paused: those of `donations` that came since, by id. They are to be shown when it ends. */
  held?: string[];
}

export interface ErrorAck {
  error: ErrorBody;
}

export interface JoinAck {
  joined: true;
  eventId: string;
  /** Everything up to here has been sent to this socket before this answer, or is in the snapshot. */
  sequence: number;
  /** Present when what was missed cannot be replayed: start again from the snapshot. */
  resync?: true;
  snapshot?: Snapshot;
}

export interface LeaveAck {
  left: true;
  eventId: string;
}

export interface ServerToClient {
  'donation.created': (message: DonationMessage) => void;
  'donation.updated': (message: DonationMessage) => void;
  'donation.retracted': (message: RetractedMessage) => void;
  'pledge.round': (message: RoundMessage) => void;
  'event.totals': (message: TotalsMessage) => void;
  'wall.control': (message: WallControlMessage) => void;
}

export interface ClientToServer {
  joinEvent: (request: unknown, ack?: (answer: JoinAck | ErrorAck) => void) => void;
  leaveEvent: (request: unknown, ack?: (answer: LeaveAck | ErrorAck) => void) => void;
}

/** A message of the feed with the name it is sent under. */
export type FeedMessage =
  | readonly ['donation.created' | 'donation.updated', DonationMessage]
  | readonly ['donation.retracted', RetractedMessage]
  | readonly ['pledge.round', RoundMessage];

/** A message for a room: its name and its body, as Socket.IO sends them. */
export type Sendable =
  FeedMessage | readonly ['event.totals', TotalsMessage] | readonly ['wall.control', WallControlMessage];

/** Between the instances, through Redis. */
export interface BetweenServers {
  'room.messages': (eventId: string, messages: readonly Sendable[]) => void;
}

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
  /** For the server alone: whether it came while walls were paused. */
  readonly completed_at: Date | null;
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
