import { Injectable, Logger } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { AppConfig } from '../config/app-config.js';
import type { NumberedRow } from '../outbox/outbox.sql.js';
import { OutboxRelay, type Term } from '../outbox/outbox-relay.js';
import { LiveFeed } from './live-feed.service.js';
import type { Sendable } from './live-messages.js';
import type { LiveServer } from './live-socket.js';
import { bundle, sendBundle } from './socket-writes.js';

const PREFIX = 'event:';

export const roomOf = (eventId: string): string => `${PREFIX}${eventId}`;

/** The event whose room this is; undefined for a socket's own room. */
export const eventOfRoom = (room: string): string | undefined =>
  room.startsWith(PREFIX) ? room.slice(PREFIX.length) : undefined;

/** How long one broadcast may keep the process from everything else. */
const SLICE_MS = 8;

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
      this.changes.announce(eventId);
      this.broadcastHere(eventId, messages).catch((error: unknown) => {
        this.logger.error({ msg: 'Messages of another instance could not be passed on', err: error });
      });
    });
  }

  /** Resolves when every socket of the room on this instance has been sent the messages. */
  async broadcast(eventId: string, messages: readonly Sendable[]): Promise<void> {
    // A wall that joins from now on may have missed this, and is not given what was read before.
    this.changes.announce(eventId);
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
