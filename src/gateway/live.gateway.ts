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
import { eventNotFound } from '../events/event-lookup.service.js';
import { type Standing, Standings } from './standings.js';
import { TokenBucket } from '../common/concurrency/token-bucket.js';
import { isUsual, WallControls } from './wall-controls.js';

export const MAX_ROOMS = 10;
/** Joins and leaves of one socket: so many at once, then so many a second. */
const REQUESTS = { burst: 20, perSecond: 2 };
/** Whatever a socket sends; beyond this it is cut. */
const FLOOD = { burst: 200, perSecond: 20 };
/** Requests under way; more at once would be read and answered in one go, and everybody else would wait for its end. */
const AT_ONCE = 48;
/** Made once: a flood is refused without making an error for each of its requests. */
const REFUSED: ErrorAck = { error: withCode(describeError(new TooManyRequestsError(1)).body) };

type Reply = (answer: JoinAck | ErrorAck) => void;

/** The messages for a socket that joins. */
interface Joined {
  readonly answer: JoinAck;
  /** Instead of all the rest. */
  readonly snapshot?: KeptSnapshot | undefined;
  readonly totals?: TotalsMessage | undefined;
  readonly missed?: readonly FeedMessage[];
}

/** Rooms that anybody may listen to, one for each event. Clients join and leave; they never send to a room. */
@WebSocketGateway()
export class LiveGateway implements OnGatewayInit<LiveServer>, OnGatewayConnection<LiveSocket> {
  private readonly logger = new Logger(LiveGateway.name);
  /** Addresses that have asked for little go first. */
  private readonly turns = new Semaphore(AT_ONCE);

  constructor(
    private readonly events: EventRefs,
    private readonly standings: Standings,
    private readonly catchUps: CatchUps,
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
    const { joinEvent } = socket.handshake.auth as { joinEvent?: unknown };
    if (joinEvent !== undefined)
      void this.joinAndReply(socket, joinEvent, (answer) => {
        socket.emit('join.answer', answer);
      });
  }

  /** Answers only after everything that was missed has been sent to this socket; the totals follow the answer. */
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
      // A join that reads nothing keeps its turn until the event loop has served others, too.
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
    // Listening comes first: what is published from here on arrives by itself, what was before is read now.
    const [reading] = await Promise.all([this.standings.lastKnown(eventId), this.walls.learn(eventId)]);
    if (!reading) throw eventNotFound();
    const { value: standing } = reading;
    const since = request.since ?? standing.sequence;
    if (since === standing.sequence) this.send(socket, eventId, reply, joinedAt(standing, request));
    // The database does not answer, and what was missed cannot be read.
    else if (since < standing.sequence && isOnlyLastKnown(reading, performance.now()))
      this.resync(eventId, reply, standing);
    else await this.catchUp(socket, eventId, { ...request, since }, reply);
  }

  /** For a socket that is in the room, and missed something or knows more than this process. */
  private async catchUp(
    socket: LiveSocket,
    eventId: string,
    { since, snapshot: isSnapshotAsked }: { readonly since: number; readonly snapshot: boolean },
    reply: Reply | undefined,
  ): Promise<void> {
    const [caughtUp, totals] = await Promise.all([
      this.catchUps.catchUp(eventId, since),
      // A snapshot has its own. A wall does without until the next heartbeat when they alone cannot be read.
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
    // First: a wall that is paused must know before it is sent what it missed. One that was steered and is no more asks
    // for a snapshot, so that clients which know nothing of this are told nothing.
    if (!isUsual(wall.control)) socket.emit('wall.control', { eventId, ...wall.control });
    for (const message of missed) socket.emit(...toEmit(message));
    reply?.(answer);
    if (totals) socket.emit('event.totals', totals);
  }

  private enter(socket: LiveSocket, eventId: string): void {
    const room = roomOf(eventId);
    // A socket that left while its request was looked up must not stay behind in a room.
    if (!socket.connected || socket.rooms.has(room)) return;
    // It is in a room of its own, too.
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
      if (body.statusCode >= 500) this.logger.error({ msg: 'A request of a socket failed', err: error });
      return { error: withCode(body) };
    }
  }
}

/** For a socket that missed nothing, or starts from a snapshot. */
const joinedAt = ({ answer, snapshot }: Standing, { snapshot: isAsked }: JoinRequest): Joined =>
  isAsked && snapshot ? { answer, snapshot } : { answer, totals: isAsked ? undefined : snapshot?.totals };
