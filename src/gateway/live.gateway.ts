import { Logger } from '@nestjs/common';
import {
  Ack,
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  type OnGatewayInit,
  SubscribeMessage,
  WebSocketGateway,
} from '@nestjs/websockets';
import { withCode } from '../common/errors/code-of-status.js';
import { describeError } from '../common/errors/error.filter.js';
import { ConflictError, TooManyRequestsError } from '../common/errors/domain-errors.js';
import { Semaphore } from '../common/concurrency.js';
import { encodeOnce } from './answer-encoder.js';
import { AddressBudgets, addressOf } from './address-budgets.js';
import { EventRefs } from './event-refs.js';
import { readJoinRequest } from './join-request.js';
import { LiveFeed } from './live-feed.service.js';
import type { ErrorAck, JoinAck, LeaveAck, Sendable, TotalsMessage } from './live-messages.js';
import { eventOfRoom, type LiveServer, type LiveSocket, roomOf } from './live-server.js';
import { LiveWiring } from './live-wiring.js';
import { bundle, inOneWrite, type MessageBundle, sendBundle } from './broadcasts.js';
import { type KeptSnapshot, toSnapshot } from './snapshots.js';
import { TokenBucket } from './token-bucket.js';
import { isUsual, WallControls, type WallState } from './wall-controls.js';

export const MAX_ROOMS = 10;
/** Joins and leaves of one socket: so many at once, then so many a second. */
const REQUESTS = { burst: 20, perSecond: 2 };
/** Whatever a socket sends; beyond this it is cut. */
const FLOOD = { burst: 200, perSecond: 20 };
/** Requests under way; more at once would be read and answered in one go, and everybody else would wait for its end. */
const AT_ONCE = 48;
/** Made once: a flood is refused without making an error for each of its requests. */
const REFUSED: ErrorAck = encodeOnce({ error: withCode(describeError(new TooManyRequestsError(1)).body) });

/** Rooms that anybody may listen to, one for each event. Clients join and leave; they never send to a room. */
@WebSocketGateway()
export class LiveGateway implements OnGatewayInit<LiveServer>, OnGatewayConnection<LiveSocket> {
  private readonly logger = new Logger(LiveGateway.name);
  /** Addresses that have asked for little go first. */
  private readonly turns = new Semaphore(AT_ONCE);
  /** The last answer with each snapshot, and what walls were to show in it. */
  private readonly shared = new WeakMap<
    KeptSnapshot,
    { readonly wall: WallState; readonly answer: JoinAck }
  >();
  private readonly packets = new WeakMap<TotalsMessage, MessageBundle>();

  constructor(
    private readonly events: EventRefs,
    private readonly feed: LiveFeed,
    private readonly wiring: LiveWiring,
    private readonly budgets: AddressBudgets,
    private readonly walls: WallControls,
  ) {}

  afterInit(server: LiveServer): void {
    this.wiring.attach(server);
  }

  handleConnection(socket: LiveSocket): void {
    socket.data.requests = new TokenBucket(REQUESTS.burst, REQUESTS.perSecond);
    const patience = new TokenBucket(FLOOD.burst, FLOOD.perSecond);
    // Sees events that nobody handles, too.
    socket.use((_event, next) => {
      if (patience.take()) next();
      else socket.disconnect(true);
    });
  }

  /** Answers only after everything that was missed has been sent to this socket; the totals follow the answer. */
  @SubscribeMessage('joinEvent')
  async join(
    @ConnectedSocket() socket: LiveSocket,
    @MessageBody() body: unknown,
    @Ack() ack?: (answer: JoinAck | ErrorAck) => void,
  ): Promise<void> {
    const refused = await this.answer(socket, () => this.enterAndCatchUp(socket, body, ack));
    if (refused) ack?.(refused);
  }

  @SubscribeMessage('leaveEvent')
  async leave(
    @ConnectedSocket() socket: LiveSocket,
    @MessageBody() body: unknown,
  ): Promise<LeaveAck | ErrorAck> {
    return await this.answer(socket, async () => {
      const eventId = await this.events.resolve(readJoinRequest(body).event);
      await socket.leave(roomOf(eventId));
      return { left: true, eventId };
    });
  }

  private async enterAndCatchUp(
    socket: LiveSocket,
    body: unknown,
    ack?: (answer: JoinAck) => void,
  ): Promise<void> {
    const request = readJoinRequest(body);
    const eventId = await this.events.resolve(request.event);
    this.enter(socket, eventId);
    // Listening comes first: what is published from here on arrives by itself, what was before is read now.
    const [caughtUp, totals] = await Promise.all([
      this.feed.catchUp(eventId, request.since),
      // A snapshot has its own. A wall does without until the next heartbeat when they alone cannot be read.
      request.snapshot ? undefined : this.feed.totalsOf(eventId).catch(() => undefined),
      this.walls.learn(eventId),
    ]);
    const { sequence } = caughtUp;
    if (caughtUp.kind === 'resync' || request.snapshot) {
      const snapshot = await this.feed.snapshot(eventId, sequence);
      const wall = this.walls.now(eventId);
      if (caughtUp.kind === 'replay') ack?.(this.withSnapshot(eventId, sequence, snapshot, wall));
      else {
        const shown = snapshot && toSnapshot(snapshot, wall);
        ack?.({ joined: true, eventId, sequence, resync: true, snapshot: shown });
      }
      return;
    }
    // First: a wall that is paused must know before it is sent what it missed. One that was steered and is no more asks
    // for a snapshot, so that clients which know nothing of this are told nothing.
    const { control } = this.walls.now(eventId);
    const steered: Sendable[] = isUsual(control) ? [] : [['wall.control', { eventId, ...control }]];
    const missed = bundle([...steered, ...caughtUp.messages]);
    inOneWrite(socket, [
      missed.packets.length > 0 && (() => sendBundle(socket, missed)),
      ack && (() => ack({ joined: true, eventId, sequence })),
      totals && (() => sendBundle(socket, this.asPacket(totals))),
    ]);
  }

  /** The totals that many were read for together become text once. */
  private asPacket(totals: TotalsMessage): MessageBundle {
    let packet = this.packets.get(totals);
    if (!packet) this.packets.set(totals, (packet = bundle([['event.totals', totals]])));
    return packet;
  }

  /** The answer of a snapshot that many share is one object, and becomes text once. */
  private withSnapshot(
    eventId: string,
    sequence: number,
    snapshot: KeptSnapshot | undefined,
    wall: WallState,
  ): JoinAck {
    if (!snapshot) return { joined: true, eventId, sequence };
    const made = this.shared.get(snapshot);
    if (made?.wall === wall) return made.answer;
    const shown = toSnapshot(snapshot, wall);
    const answer: JoinAck = encodeOnce({ joined: true, eventId, sequence, snapshot: shown });
    this.shared.set(snapshot, { wall, answer });
    return answer;
  }

  private enter(socket: LiveSocket, eventId: string): void {
    const room = roomOf(eventId);
    // A socket that left while its request was looked up must not stay behind in a room.
    if (!socket.connected || socket.rooms.has(room)) return;
    if ([...socket.rooms].filter((name) => eventOfRoom(name) !== undefined).length >= MAX_ROOMS)
      throw new ConflictError('TOO_MANY_ROOMS', `A connection listens to at most ${MAX_ROOMS} events`);
    void socket.join(room);
  }

  private async answer<Answer>(socket: LiveSocket, work: () => Promise<Answer>): Promise<Answer | ErrorAck> {
    if (!socket.data.requests.take() || !this.budgets.take('request', addressOf(socket.request)))
      return REFUSED;
    try {
      return await this.turns.run(work, this.budgets.used('request', addressOf(socket.request)));
    } catch (error) {
      const { body } = describeError(error);
      if (body.statusCode >= 500) this.logger.error({ msg: 'A request of a socket failed', err: error });
      return { error: withCode(body) };
    }
  }
}
