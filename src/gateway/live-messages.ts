import type { Server, Socket } from 'socket.io';
import type { Principal } from '../common/access/principal.js';
import type { TokenBucket } from '../common/concurrency/token-bucket.js';
import type { ErrorBody } from '../common/http/api-errors.decorator.js';

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
  /** To a socket that named an event as it connected: what `joinEvent` would have answered. */
  'join.answer': (answer: JoinAck | ErrorAck) => void;
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

export interface SocketState {
  /** Who the token of the handshake speaks for; absent on a public wall. */
  principal?: Principal;
  requests: TokenBucket;
}

export type LiveServer = Server<ClientToServer, ServerToClient, BetweenServers, SocketState>;
export type LiveSocket = Socket<ClientToServer, ServerToClient, BetweenServers, SocketState>;
