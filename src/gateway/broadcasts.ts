import type { Socket as Connection } from 'node:net';
import { Injectable, Logger } from '@nestjs/common';
import type { Server, Socket } from 'socket.io';
import { boundedCache } from '../common/bounded-cache.js';
import type { Principal } from '../common/access/principal.js';
import { AppConfig } from '../config/app-config.js';
import type { NumberedRow } from '../outbox/outbox.sql.js';
import { OutboxRelay, type Term } from '../outbox/outbox-relay.js';
import { LiveFeed } from './live-feed.service.js';
import type {
  BetweenServers,
  ClientToServer,
  ForOne,
  Sendable,
  ServerToClient,
  TotalsMessage,
} from './live-messages.js';
import type { TokenBucket } from './token-bucket.js';

export interface SocketState {
  /** Who the token of the handshake speaks for; absent on a public wall. */
  principal?: Principal;
  requests: TokenBucket;
}

export type LiveServer = Server<ClientToServer, ServerToClient, BetweenServers, SocketState>;
export type LiveSocket = Socket<ClientToServer, ServerToClient, BetweenServers, SocketState>;

const PREFIX = 'event:';

export const roomOf = (eventId: string): string => `${PREFIX}${eventId}`;

/** The event whose room this is; undefined for a socket's own room. */
export const eventOfRoom = (room: string): string | undefined =>
  room.startsWith(PREFIX) ? room.slice(PREFIX.length) : undefined;

/** How long one broadcast may keep the process from everything else. */
const SLICE_MS = 8;
/** How long those who join are told what one of them has read, while nothing is broadcast. */
const STANDING_KEPT_MS = 1_000;

/**
 * Where the feed of an event stands, from one broadcast to the next: whatever comes behind it is broadcast to those who are
 * in the room by then. What is missing here has not been read since the last broadcast.
 */
export interface Standing {
  readonly until: number;
  sequence?: number;
  totals?: TotalsMessage;
}

/** Broadcasts several messages at once to a room on all processes: in order, each batch to every socket. */
@Injectable()
export class RoomBroadcaster {
  private readonly logger = new Logger(RoomBroadcaster.name);
  private server: LiveServer | undefined;
  private underWay: Promise<void> = Promise.resolve();
  private readonly standings = boundedCache<Standing>(1_000);

  constructor(
    private readonly config: AppConfig,
    private readonly relay: OutboxRelay,
  ) {
    relay.onOtherChange(() => {
      this.standings.clear();
    });
  }

  attach(server: LiveServer): void {
    this.server = server;
    server.on('room.messages', (eventId, messages) => {
      this.broadcastHere(eventId, messages).catch((error: unknown) => {
        this.logger.error({ msg: 'Messages of another instance could not be passed on', err: error });
      });
    });
  }

  /** Resolves when every socket of the room on this instance has been sent the messages. */
  async broadcast(eventId: string, messages: readonly Sendable[]): Promise<void> {
    if (this.config.redisUrl) this.server?.serverSideEmit('room.messages', eventId, messages);
    await this.broadcastHere(eventId, messages);
  }

  /** As `broadcast`, to the sockets of this process alone. */
  async broadcastHere(eventId: string, messages: readonly Sendable[]): Promise<void> {
    // One batch after the other; what fails fails for its own caller only.
    const sent = this.underWay.then(() => this.sendToRoom(eventId, messages));
    this.underWay = sent.catch(() => undefined);
    await sent;
  }

  /**
   * The standing of the feed, to be taken before it is read and filled in afterwards: once something was broadcast, the next
   * one who asks gets another.
   */
  standingOf(eventId: string): Standing {
    const kept = this.standings.get(eventId);
    const now = performance.now();
    const { isListening } = this.relay;
    if (isListening && kept && kept.until > now) return kept;
    const standing = { until: now + STANDING_KEPT_MS };
    if (isListening) this.standings.set(eventId, standing);
    return standing;
  }

  private async sendToRoom(eventId: string, messages: readonly Sendable[]): Promise<void> {
    this.standings.delete(eventId);
    const sockets = this.server?.sockets.sockets;
    const members = this.server?.sockets.adapter.rooms.get(roomOf(eventId));
    if (!sockets || !members || messages.length === 0) return;
    const bundled = bundle(messages);
    let sliceEnds = performance.now() + SLICE_MS;
    for (const id of members) {
      const socket = sockets.get(id);
      if (socket?.connected) sendBundle(socket, bundled);
      if (performance.now() < sliceEnds) continue;
      // Thousands of sockets take their time; requests must not wait for all of it.
      await new Promise(setImmediate);
      sliceEnds = performance.now() + SLICE_MS;
    }
  }
}

/** Broadcasts to the rooms what the relay hands over. */
@Injectable()
export class LivePublisher {
  constructor(
    private readonly relay: OutboxRelay,
    private readonly feed: LiveFeed,
    private readonly rooms: RoomBroadcaster,
  ) {}

  start(): void {
    this.relay.deliverTo((rows, term) => this.publish(rows, term));
  }

  /** Each donation as a message of its own, in order, then the totals of each event once. */
  private async publish(rows: readonly NumberedRow[], term: Term): Promise<void> {
    const last = new Map(rows.map((row) => [row.event_id, Number(row.sequence)]));
    const [messages, totals] = await Promise.all([
      this.feed.messagesOf(rows),
      this.feed.readTotals([...last.keys()]),
    ]);
    const byEvent = new Map<string, Sendable[]>([...last.keys()].map((eventId) => [eventId, []]));
    for (const message of messages) byEvent.get(message[1].eventId)?.push(message);
    for (const total of totals)
      if (total)
        byEvent
          .get(total.eventId)
          ?.push(['event.totals', { ...total, sequence: last.get(total.eventId) ?? total.sequence }]);
    term.assertLeads();
    await Promise.all([...byEvent].map(([eventId, own]) => this.rooms.broadcast(eventId, own)));
  }
}

/** Several messages, encoded once for all the sockets that get them. */
export interface MessageBundle {
  /** One Socket.IO packet each. */
  readonly packets: readonly string[];
  /** All of them as the bytes of that many websocket frames. */
  readonly frames: Buffer;
}

export function bundle(messages: readonly ForOne[]): MessageBundle {
  // Socket.IO's encoding of an event in the namespace `/`: packet type 2, then the arguments.
  const packets = messages.map((message) => `2${JSON.stringify(message)}`);
  return { packets, frames: Buffer.concat(packets.map(frameOf)) };
}

/**
 * Sends a bundle to one socket, in order with everything else that is sent to it.
 *
 * A websocket gets all frames in one write. Where nothing waits for it they go straight to its connection, past the
 * queues and events of Engine.IO and `ws`: with thousands of sockets in a room that is nearly all the work there is.
 */
export function sendBundle(socket: LiveSocket, { packets, frames }: MessageBundle): void {
  const { conn } = socket;
  const [first] = packets;
  if (first === undefined) return;
  const connection = idleConnection(conn);
  if (connection) connection.write(frames);
  // While a transport is changed, and on long polling, each message goes by itself.
  else if (packets.length > 1 && conn.transport.name === 'websocket' && !conn.upgrading)
    conn.write(first, { compress: false, wsPreEncodedFrame: [frames] } as PreEncoded);
  else for (const packet of packets) conn.write(packet, { compress: false });
}

/**
 * What several calls send to one socket leaves in one write, in their order: a system call costs as much as all that
 * goes before it, and a hall that comes back joins at once.
 */
export function inOneWrite({ conn }: LiveSocket, calls: readonly (false | undefined | (() => void))[]): void {
  const sends = calls.filter((call) => call !== false && call !== undefined);
  const release = sends.length > 1 ? hold(conn) : undefined;
  try {
    for (const send of sends) send();
  } finally {
    release?.();
  }
}

/**
 * A middleware, the last one: the answer to a join that came with the connection leaves in one write with Socket.IO's
 * own answer, where it can be given at once.
 */
export function answerInOneWrite(socket: LiveSocket, next: () => void): void {
  const release = socket.handshake.auth.joinEvent === undefined ? undefined : hold(socket.conn);
  next();
  // Socket.IO connects it in the next tick, in which nothing else comes in between.
  if (release) process.nextTick(release);
}

/** Has whatever is sent wait until the returned function is called, in the same turn of the event loop. */
function hold(conn: LiveSocket['conn']): (() => void) | undefined {
  const connection = idleConnection(conn);
  if (!connection) return undefined;
  const { transport } = conn;
  connection.cork();
  // Engine.IO keeps what comes while this is so.
  transport.writable = false;
  return () => {
    transport.writable = true;
    try {
      transport.emit('ready');
    } finally {
      connection.uncork();
    }
  };
}

/** What Engine.IO and `ws` keep to themselves: what waits for a transport, and the connection under a websocket. */
interface Inner {
  readonly writeBuffer?: readonly unknown[];
  readonly transport: { readonly socket?: { readonly _socket?: Connection | null } };
}

/** The connection under a websocket, when nothing that was sent before waits anywhere above or in it. */
function idleConnection(conn: LiveSocket['conn']): Connection | undefined {
  const { readyState, upgrading, transport } = conn;
  if (readyState !== 'open' || upgrading || transport.name !== 'websocket' || !transport.writable)
    return undefined;
  const inner = conn as unknown as Inner;
  const connection = inner.transport.socket?._socket;
  return inner.writeBuffer?.length === 0 && connection?.writableLength === 0 ? connection : undefined;
}

/** What Engine.IO calls a frame that is ready to be written; Socket.IO's own broadcasts use it, too. */
interface PreEncoded {
  compress: boolean;
  wsPreEncodedFrame: readonly Buffer[];
}

/** Engine.IO's packet type "message" and the text, as an unmasked text frame of RFC 6455. */
function frameOf(packet: string): Buffer {
  const payload = Buffer.from(`4${packet}`);
  return Buffer.concat([headerOf(payload.length), payload]);
}

const FINAL_TEXT = 0x81;

function headerOf(length: number): Buffer {
  if (length < 126) return Buffer.from([FINAL_TEXT, length]);
  if (length < 65_536) return Buffer.from([FINAL_TEXT, 126, length >> 8, length & 0xff]);
  const header = Buffer.alloc(10);
  header.set([FINAL_TEXT, 127]);
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}
