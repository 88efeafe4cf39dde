import { Injectable, Logger } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { AppConfig } from '../config/app-config.js';
import type { NumberedRow } from '../outbox/outbox.sql.js';
import { OutboxRelay, type Term } from '../outbox/outbox-relay.js';
import { LiveFeed } from './live-feed.service.js';
import type { FeedMessage, LiveServer, Sendable, TotalsMessage } from './live-messages.js';

/** Converts a message to arguments of `emit`, because the types of `emit` do not accept a union. */
export const toEmit = (message: Sendable) => message as unknown as ['event.totals', TotalsMessage];

const PREFIX = 'event:';

export const roomOf = (eventId: string): string => `${PREFIX}${eventId}`;

/** Returns the event of a room; undefined if the room belongs to a single socket. */
const eventOfRoom = (room: string): string | undefined =>
  room.startsWith(PREFIX) ? room.slice(PREFIX.length) : undefined;

/**
 * Number of sockets that get a message in one turn of the event loop. With thousands in one turn, other requests would wait too
 * long.
 */
const SOCKETS_AT_ONCE = 250;

/** Broadcasts messages to a room on all processes. Each socket receives all batches in order. */
@Injectable()
export class RoomBroadcaster {
  private readonly logger = new Logger(RoomBroadcaster.name);
  private server: LiveServer | undefined;
  private underWay: Promise<void> = Promise.resolve();
  private readonly listeners = new Set<(messages: readonly Sendable[]) => void>();

  constructor(
    private readonly config: AppConfig,
    private readonly changes: CommittedChanges,
  ) {}

  attach(server: LiveServer): void {
    this.server = server;
    server.on('room.messages', (eventId, messages) => {
      this.changes.announceTotals(eventId);
      this.broadcastHere(eventId, messages).catch((error: unknown) => {
        this.logger.error({ msg: 'Messages from another instance could not be sent to sockets', err: error });
      });
    });
  }

  /** The events with sockets on this process. */
  eventsHere(): ReadonlySet<string> {
    const rooms = [...(this.server?.sockets.adapter.rooms.keys() ?? [])];
    return new Set(rooms.map(eventOfRoom).filter((id) => id !== undefined));
  }

  /** Resolves when the messages were sent to every socket of the room on this process. */
  async broadcast(eventId: string, messages: readonly Sendable[]): Promise<void> {
    // Marks the cached state as old, because a wall that joins now needs a state with these messages.
    this.changes.announceTotals(eventId);
    if (this.config.redisUrl) this.server?.serverSideEmit('room.messages', eventId, messages);
    await this.broadcastHere(eventId, messages);
  }

  /** Like `broadcast`, but only to the sockets of this process. */
  async broadcastHere(eventId: string, messages: readonly Sendable[]): Promise<void> {
    // Batches are sent one after the other. An error in one batch rejects only the call for this batch.
    const sent = this.underWay.then(() => this.sendToRoom(eventId, messages));
    this.underWay = sent.catch(() => undefined);
    await sent;
    for (const listener of this.listeners) listener(messages);
  }

  /** Calls the listener after messages were sent to the sockets of this process. */
  onSent(listener: (messages: readonly Sendable[]) => void): void {
    this.listeners.add(listener);
  }

  /** True if a wall or a page of the event is connected to this process. */
  hasSockets(eventId: string): boolean {
    return this.server?.sockets.adapter.rooms.has(roomOf(eventId)) ?? false;
  }

  private async sendToRoom(eventId: string, messages: readonly Sendable[]): Promise<void> {
    let next: string[] = [];
    for (const id of this.server?.sockets.adapter.rooms.get(roomOf(eventId)) ?? []) {
      next.push(id);
      if (next.length < SOCKETS_AT_ONCE) continue;
      this.sendTo(next, messages);
      next = [];
      await new Promise(setImmediate);
    }
    // An empty list of rooms would send the message to every socket.
    if (next.length > 0) this.sendTo(next, messages);
  }

  /**
   * Sends messages to sockets with these ids. Each socket has a room with its own id. Socket.IO encodes a message only once for
   * all rooms of one `to`.
   */
  private sendTo(ids: string[], messages: readonly Sendable[]): void {
    for (const message of messages) this.server?.local.to(ids).emit(...toEmit(message));
  }
}

/** Broadcasts the outbox rows that the relay publishes. */
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

  /** Sends each donation as a separate message, in order. Then sends the totals of each event once. */
  private async publish(rows: readonly NumberedRow[], term: Term): Promise<void> {
    const last = new Map(rows.map((row) => [row.event_id, Number(row.sequence)]));
    const [messages, totals] = await Promise.all([
      this.feed.messagesOf(rows),
      this.feed.readTotals([...last.keys()]),
    ]);
    const byEvent = new Map<string, FeedMessage[]>([...last.keys()].map((eventId) => [eventId, []]));
    for (const message of messages) byEvent.get(message[1].eventId)?.push(message);
    term.assertLeads();
    // Donations are sent before the totals, so that every socket has a donation before any socket gets the new totals.
    const sent = [...byEvent].map(([eventId, own]) => this.rooms.broadcast(eventId, own));
    for (const total of totals)
      if (total) {
        const sequence = last.get(total.eventId) ?? total.sequence;
        sent.push(this.rooms.broadcast(total.eventId, [['event.totals', { ...total, sequence }]]));
      }
    await Promise.all(sent);
  }
}
