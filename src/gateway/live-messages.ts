import type { Server, Socket } from 'socket.io';
import type { Principal } from '../common/access/principal.js';
import type { TokenBucket } from '../common/concurrency/token-bucket.js';
import type { PublicTribute } from '../donations/tributes/tribute.js';
import type { ErrorBody } from '../common/errors/error-body.js';
import type { SubjectTopic } from '../outbox/outbox.js';

/** A donation as the walls show it. */
export interface DonationMessage {
  id: string;
  eventId: string;
  /** Minor units of `currency`; null if the donor hides the amount. */
  amount: number | null;
  /** Present if the donor hides the amount. */
  isAmountHidden?: true;
  /** ISO 4217, lower case. */
  currency: string;
  /** `Anonymous` if the name is hidden or missing. */
  donorName: string;
  /** How a speaker says the name; absent without one, or if the name is hidden. */
  donorPronunciation?: string;
  /** Absent if the donor wrote no message, or if the message waits for approval or is hidden. */
  message?: string;
  /** Absent without a tribute, or if the tribute waits for approval or is hidden. */
  tribute?: PublicTribute;
  /** Sum that match pools added, in minor units of `currency`; absent if they added nothing, or if the donor hides the amount. */
  matched?: number;
  /** ISO 8601. */
  createdAt: string;
  /** Position in the event's feed: 1, 2, 3 … */
  sequence: number;
}

/** Removes a refunded or cancelled donation from walls. */
export interface RetractedMessage {
  id: string;
  eventId: string;
  sequence: number;
  reason?: 'cancelled' | 'refunded';
}

/** The current state of a paddle raise round. The amounts are pledges and not received money. */
export interface RoundMessage {
  roundId: string;
  eventId: string;
  /** Pledge of each donor in the round, in minor units of `currency`. */
  amount: number;
  currency: string;
  /** Name of the round; absent without a name. */
  name?: string;
  /** Number and sum of the pledges. */
  count: number;
  sum: number;
  status: 'open' | 'closed';
  /** Position in the event's feed; absent in a snapshot. */
  sequence?: number;
}

/**
 * The current state of the subject of another module, such as a match pool. Without other fields, walls may no longer show the
 * subject.
 */
export interface SubjectMessage {
  eventId: string;
  /** Position in the event's feed. */
  sequence: number;
}

/** A milestone as guests see it. */
export interface ShownMilestone {
  id: string;
  title: string;
  /** Shorter title for narrow places. */
  short?: string;
  text?: string;
  /** Minor units of the event's currency. */
  amount: number;
  basis: string;
  /** `step`: a mark on the thermometer; `moment`: no mark. */
  kind: 'step' | 'moment';
  /** Path of the picture. */
  image?: string;
  /** False until the announcement if the team announces the milestone. */
  isReached: boolean;
  /** True if the milestone is at the goal of the event. */
  isGoal: boolean;
}

/** A milestone was reached, or announced by the team. Only the position if walls may no longer show it. */
export interface MilestoneMessage extends SubjectMessage, Partial<ShownMilestone> {}

/** All milestones that walls show, lowest first. */
export interface MilestonesMessage extends SubjectMessage {
  milestones?: ShownMilestone[];
}

/** A moment that the team called by hand. Only the position after its deletion. */
export interface MomentMessage extends SubjectMessage {
  id?: string;
  title?: string;
  text?: string;
  /** Time on the walls. */
  seconds?: number;
}

export interface CurrencyTotalMessage {
  currency: string;
  totalRaised: number;
  donorCount: number;
}

/** The booked totals. A wall shows these totals and never adds up donations itself. */
export interface TotalsMessage {
  eventId: string;
  /** Sequence of the last published message. The totals include every donation up to this sequence. */
  sequence: number;
  currency: string;
  goalAmount: number;
  totalRaised: number;
  donorCount: number;
  /** All currencies with donations; the event's currency comes first. */
  totals: CurrencyTotalMessage[];
}

/** Instructions of the staff for the walls. They are not part of the feed; the latest instructions replace earlier ones. */
export interface WallControl {
  /** `wall` is the default. `qr` shows the QR code on the whole screen, `board` the board of teams in the place of the feed. */
  scene: 'wall' | 'qr' | 'board';
  /** A line of text that the walls show; empty for no text. */
  notice: string;
  /** While true, walls do not show new donations. They still show totals, corrections and retractions. */
  paused: boolean;
  /** Goal after the event's goal, in minor units; absent for none. Walls ignore it if it is not higher. */
  nextGoal?: number;
  /** Present if walls play a sound when a goal is reached. */
  sound?: true;
}

export interface WallControlMessage extends WallControl {
  eventId: string;
}

/** Initial state for a wall that has no data or missed too many messages. */
export interface Snapshot extends TotalsMessage {
  /** The newest donations, newest first. */
  donations: Omit<DonationMessage, 'sequence'>[];
  /** The open pledge round. */
  pledgeRound?: RoundMessage;
  /** The milestones that walls show, lowest first. */
  milestones?: ShownMilestone[];
  wall: WallControl;
  /** While paused: ids of the `donations` that arrived during the pause. Walls show them after the pause. */
  held?: string[];
}

export interface ErrorAck {
  error: ErrorBody;
}

export interface JoinAck {
  joined: true;
  eventId: string;
  /** The socket received every message up to this sequence before this answer, or the snapshot contains it. */
  sequence: number;
  /** Present if the server cannot replay the missed messages. The client must then start again from the snapshot. */
  resync?: true;
  snapshot?: Snapshot;
}

export interface LeaveAck {
  left: true;
  eventId: string;
}

/** A team on the public board, as `GET /events/:slug/board` shows it. */
export interface BoardTeam {
  slug: string;
  name: string;
  kind: 'table' | 'team' | 'person';
  number: number | null;
  rank: number | null;
  raised: number | null;
  gifts: number | null;
  share: number | null;
  goalAmount: number | null;
  hasBegun: boolean;
}

/** The public board of teams, in the order of the settings: the first 20 teams. It is not part of the feed; the latest one holds. */
export interface BoardMessage {
  eventId: string;
  currency: string;
  by: 'raised' | 'share' | 'gifts';
  minGifts: number;
  data: BoardTeam[];
}

/** Only to signed-in tills: the till should read its inbox again. */
export interface FloorChangedMessage {
  eventId: string;
}

export interface ServerToClient {
  'donation.created': (message: DonationMessage) => void;
  'donation.updated': (message: DonationMessage) => void;
  'donation.retracted': (message: RetractedMessage) => void;
  'pledge.round': (message: RoundMessage) => void;
  'milestone.reached': (message: MilestoneMessage) => void;
  'milestones.changed': (message: MilestonesMessage) => void;
  'wall.moment': (message: MomentMessage) => void;
  'event.totals': (message: TotalsMessage) => void;
  'wall.control': (message: WallControlMessage) => void;
  'board.changed': (message: BoardMessage) => void;
  'floor.changed': (message: FloorChangedMessage) => void;
  /** Answer to the join of a socket that asked for an event in its handshake. */
  'join.answer': (answer: JoinAck | ErrorAck) => void;
}

export interface ClientToServer {
  joinEvent: (request: unknown, ack?: (answer: JoinAck | ErrorAck) => void) => void;
  leaveEvent: (request: unknown, ack?: (answer: LeaveAck | ErrorAck) => void) => void;
}

/** A feed message with its event name. */
export type FeedMessage =
  | readonly ['donation.created' | 'donation.updated', DonationMessage]
  | readonly ['donation.retracted', RetractedMessage]
  | readonly ['pledge.round', RoundMessage]
  | readonly [SubjectTopic, SubjectMessage];

/** A message for a room: name and body, in the form that Socket.IO sends. */
export type Sendable =
  | FeedMessage
  | readonly ['event.totals', TotalsMessage]
  | readonly ['wall.control', WallControlMessage]
  | readonly ['board.changed', BoardMessage];

/** Messages between instances, through Redis. */
export interface BetweenServers {
  'room.messages': (eventId: string, messages: readonly Sendable[]) => void;
  'floor.changed': (eventId: string) => void;
}

export interface SocketState {
  /** Owner of the token in the handshake; absent for a public wall. */
  principal?: Principal;
  requests: TokenBucket;
}

export type LiveServer = Server<ClientToServer, ServerToClient, BetweenServers, SocketState>;
export type LiveSocket = Socket<ClientToServer, ServerToClient, BetweenServers, SocketState>;
