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
import { Semaphore } from '../common/concurrency/concurrency.js';
import { isOnlyLastKnown } from '../common/caching/fresh-reads.js';
import { AddressBudgets, addressOf } from './address-limits.js';
import { CatchUps, type KeptSnapshot, toSnapshot } from './catch-up.service.js';
import { EventRefs, type JoinRequest, readJoinRequest } from './join-request.js';
import type {
  ErrorAck,
  FeedMessage,
  JoinAck,
  LeaveAck,
  LiveServer,
  LiveSocket,
  TotalsMessage,
} from './live-messages.js';
import { LiveWiring } from './live-wiring.js';
import { roomOf, toEmit } from './broadcasts.js';
import { eventNotFound } from '../events/event-record.js';
import { type Standing, Standings } from './standings.js';
import { TokenBucket } from '../common/concurrency/token-bucket.js';
import { StaffRooms } from './staff-rooms.js';
import { isUsual, WallControls } from './wall-controls.js';

export const MAX_ROOMS = 10;
/** Budget of join and leave requests for one socket: number at once, then per second. */
const REQUESTS = { burst: 20, perSecond: 2 };
/** Budget for all events of a socket. A socket that exceeds this budget is disconnected. */
const FLOOD = { burst: 200, perSecond: 20 };
/** Maximum number of requests in progress. With more, other requests would wait until all of these are read and answered. */
const AT_ONCE = 48;
/** Created only once, so that a flood of requests does not create an error for each request. */
const REFUSED: ErrorAck = { error: withCode(describeError(new TooManyRequestsError(1)).body) };

type Reply = (answer: JoinAck | ErrorAck) => void;

/** The messages that a joining socket gets. */
interface Joined {
  readonly answer: JoinAck;
  /** If there is a snapshot, it replaces the other messages. */
  readonly snapshot?: KeptSnapshot | undefined;
  readonly totals?: TotalsMessage | undefined;
  readonly missed?: readonly FeedMessage[];
}

/** Public rooms, one for each event. Clients join and leave rooms but never send messages to a room. */
@WebSocketGateway()
export class LiveGateway implements OnGatewayInit<LiveServer>, OnGatewayConnection<LiveSocket> {
  private readonly logger = new Logger(LiveGateway.name);
  /** Addresses with fewer recent requests get their turn first. */
  private readonly turns = new Semaphore(AT_ONCE);

  constructor(
    private readonly events: EventRefs,
    private readonly standings: Standings,
    private readonly catchUps: CatchUps,
    private readonly wiring: LiveWiring,
    private readonly budgets: AddressBudgets,
    private readonly walls: WallControls,
    private readonly staff: StaffRooms,
  ) {}

  afterInit(server: LiveServer): void {
    this.wiring.attach(server);
  }

  handleConnection(socket: LiveSocket): void {
    socket.data.requests = new TokenBucket(REQUESTS.burst, REQUESTS.perSecond);
    const patience = new TokenBucket(FLOOD.burst, FLOOD.perSecond);
    // This middleware also counts events without a handler.
    socket.use((_event, next) => {
      if (patience.take()) next();
      else socket.disconnect(true);
    });
    this.staff.enter(socket);
    const { joinEvent } = socket.handshake.auth as { joinEvent?: unknown };
    if (joinEvent !== undefined)
      void this.joinAndReply(socket, joinEvent, (answer) => {
        socket.emit('join.answer', answer);
      });
  }

  /** Answers after all missed messages were sent to this socket. The totals are sent after the answer. */
  @SubscribeMessage('joinEvent')
  async join(
    @ConnectedSocket() socket: LiveSocket,
    @MessageBody() body: unknown,
    @Ack() ack?: Reply,
  ): Promise<void> {
    await this.joinAndReply(socket, body, ack);
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

  private async joinAndReply(socket: LiveSocket, body: unknown, reply: Reply | undefined): Promise<void> {
    const refused = await this.answer(socket, async () => {
      await this.enterAndCatchUp(socket, readJoinRequest(body), reply);
      // A join without a query also waits for the next turn of the event loop, so that other requests run first.
      await new Promise(setImmediate);
    });
    if (refused) reply?.(refused);
  }

  private async enterAndCatchUp(
    socket: LiveSocket,
    request: JoinRequest,
    reply: Reply | undefined,
  ): Promise<void> {
    const eventId = await this.events.resolve(request.event);
    this.enter(socket, eventId);
    // The socket enters the room before the read. So it gets later messages directly, and the read contains earlier ones.
    const [reading] = await Promise.all([this.standings.lastKnown(eventId), this.walls.learn(eventId)]);
    if (!reading) throw eventNotFound();
    const { value: standing } = reading;
    const since = request.since ?? standing.sequence;
    if (since === standing.sequence) this.send(socket, eventId, reply, joinedAt(standing, request));
    // The database does not answer, so missed messages cannot be read.
    else if (since < standing.sequence && isOnlyLastKnown(reading, performance.now()))
      this.resync(eventId, reply, standing);
    else await this.catchUp(socket, eventId, { ...request, since }, reply);
  }

  /** Joins a socket that missed messages, or whose sequence is higher than the sequence known to this process. */
  private async catchUp(
    socket: LiveSocket,
    eventId: string,
    { since, snapshot: isSnapshotAsked }: { readonly since: number; readonly snapshot: boolean },
    reply: Reply | undefined,
  ): Promise<void> {
    const [caughtUp, totals] = await Promise.all([
      this.catchUps.catchUp(eventId, since),
      // A snapshot already contains totals. If the totals cannot be read, the wall gets them with the next heartbeat.
      isSnapshotAsked ? undefined : this.catchUps.totalsOf(eventId).catch(() => undefined),
    ]);
    const { sequence } = caughtUp;
    const isResync = caughtUp.kind === 'resync';
    const snapshot =
      isResync || isSnapshotAsked ? await this.catchUps.snapshot(eventId, sequence) : undefined;
    if (isResync) this.resync(eventId, reply, { sequence, snapshot });
    else {
      const answer: JoinAck = { joined: true, eventId, sequence };
      const missed = isSnapshotAsked ? [] : caughtUp.messages;
      this.send(socket, eventId, reply, { answer, snapshot, totals, missed });
    }
  }

  private resync(
    eventId: string,
    reply: Reply | undefined,
    { sequence, snapshot }: Pick<Standing, 'sequence' | 'snapshot'>,
  ): void {
    const shown = snapshot && toSnapshot(snapshot, this.walls.now(eventId));
    reply?.({ joined: true, eventId, sequence, resync: true, snapshot: shown });
  }

  private send(
    socket: LiveSocket,
    eventId: string,
    reply: Reply | undefined,
    { answer, snapshot, totals, missed = [] }: Joined,
  ): void {
    const wall = this.walls.now(eventId);
    if (snapshot) {
      reply?.({ ...answer, snapshot: toSnapshot(snapshot, wall) });
      return;
    }
    // The wall state is sent first, because a paused wall must know this state before the missed messages. The default state is
    // not sent, so that old clients do not get an unknown message. Walls that were paused before ask for a snapshot.
    if (!isUsual(wall.control)) socket.emit('wall.control', { eventId, ...wall.control });
    for (const message of missed) socket.emit(...toEmit(message));
    reply?.(answer);
    if (totals) socket.emit('event.totals', totals);
  }

  private enter(socket: LiveSocket, eventId: string): void {
    const room = roomOf(eventId);
    // If a socket disconnected during the lookup, it must not enter a room.
    if (!socket.connected || socket.rooms.has(room)) return;
    // The limit is one higher, because every socket is also in a room of its own.
    if (socket.rooms.size > MAX_ROOMS)
      throw new ConflictError('TOO_MANY_ROOMS', `A connection listens to at most ${MAX_ROOMS} events`);
    void socket.join(room);
  }

  private async answer<Answer>(socket: LiveSocket, work: () => Promise<Answer>): Promise<Answer | ErrorAck> {
    if (!socket.data.requests.take()) return REFUSED;
    const budget = this.budgets.of('request', addressOf(socket.request));
    if (!budget.take()) return REFUSED;
    try {
      return await this.turns.run(work, budget.used);
    } catch (error) {
      const { body } = describeError(error);
      if (body.statusCode >= 500) this.logger.error({ msg: 'Socket request failed', err: error });
      return { error: withCode(body) };
    }
  }
}

/** Returns the messages for a socket that missed no messages or starts from a snapshot. */
const joinedAt = ({ answer, snapshot }: Standing, { snapshot: isAsked }: JoinRequest): Joined =>
  isAsked && snapshot ? { answer, snapshot } : { answer, totals: isAsked ? undefined : snapshot?.totals };
