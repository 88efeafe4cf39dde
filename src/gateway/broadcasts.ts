import { Injectable, Logger } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { AppConfig } from '../config/app-config.js';
import type { NumberedRow } from '../outbox/outbox.sql.js';
import { OutboxRelay, type Term } from '../outbox/outbox-relay.js';
import { LiveFeed } from './live-feed.service.js';
import type { FeedMessage, LiveServer, Sendable, TotalsMessage } from './live-messages.js';

/** A message as arguments of `emit`, whose types do not follow a union. */
export const toEmit = (message: Sendable) => message as unknown as ['event.totals', TotalsMessage];

const PREFIX = 'event:';

export const roomOf = (eventId: string): string => `${PREFIX}${eventId}`;

/** The event whose room this is; undefined for a socket's own room. */
export const eventOfRoom = (room: string): string | undefined =>
  room.startsWith(PREFIX) ? room.slice(PREFIX.length) : undefined;

/** Sockets that get a batch in one turn of the event loop: thousands take their time, and requests must not wait for all. */
const SOCKETS_AT_ONCE = 250;

/** Broadcasts several messages at once to a room on all processes: in order, each batch to every socket. */
@Injectable()
export class RoomBroadcaster {
  private readonly logger = new Logger(RoomBroadcaster.name);
  private server: LiveServer | undefined;
  private underWay: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: AppConfig,
    private readonly changes: CommittedChanges,
  ) {}

  attach(server: LiveServer): void {
    this.server = server;
    server.on('room.messages', (eventId, messages) => {
      this.changes.announceTotals(eventId);
      this.broadcastHere(eventId, messages).catch((error: unknown) => {
        this.logger.error({ msg: 'Messages of another instance could not be passed on', err: error });
      });
    });
  }

  /** Resolves when every socket of the room on this instance has been sent the messages. */
  async broadcast(eventId: string, messages: readonly Sendable[]): Promise<void> {
    // A wall that joins from now on may have missed this, and is not given what was read before.
    this.changes.announceTotals(eventId);
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

  private async sendToRoom(eventId: string, messages: readonly Sendable[]): Promise<void> {
    let next: string[] = [];
    for (const id of this.server?.sockets.adapter.rooms.get(roomOf(eventId)) ?? []) {
      next.push(id);
      if (next.length < SOCKETS_AT_ONCE) continue;
      this.sendTo(next, messages);
      next = [];
      await new Promise(setImmediate);
    }
    // Without a room, `to` would mean every socket.
    if (next.length > 0) this.sendTo(next, messages);
  }

  /** Each socket is in a room of its own id; Socket.IO encodes a message once for all rooms of one `to`. */
  private sendTo(ids: string[], messages: readonly Sendable[]): void {
    for (const message of messages) this.server?.local.to(ids).emit(...toEmit(message));
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
    const byEvent = new Map<string, FeedMessage[]>([...last.keys()].map((eventId) => [eventId, []]));
    for (const message of messages) byEvent.get(message[1].eventId)?.push(message);
    term.assertLeads();
    // By themselves: a donation reaches the last socket before any socket takes its totals.
    const sent = [...byEvent].map(([eventId, own]) => this.rooms.broadcast(eventId, own));
    for (const total of totals)
      if (total) {
        const sequence = last.get(total.eventId) ?? total.sequence;
        sent.push(this.rooms.broadcast(total.eventId, [['event.totals', { ...total, sequence }]]));
      }
    await Promise.all(sent);
  }
}
