import { Injectable } from '@nestjs/common';
import type { NumberedRow } from '../outbox/outbox.sql.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import { LiveFeed } from './live-feed.service.js';
import type { FeedMessage } from './live-messages.js';
import { type LiveServer, roomOf } from './live-server.js';

/** How long telling may keep the process from everything else. */
const SLICE_MS = 25;

/** Tells the rooms, on every instance, what the relay hands over. */
@Injectable()
export class LivePublisher {
  constructor(
    private readonly relay: OutboxRelay,
    private readonly feed: LiveFeed,
  ) {}

  attach(server: LiveServer): void {
    this.relay.deliverTo((rows) => this.publish(server, rows));
  }

  /** Each gift as a message of its own, in order, then the totals of each event once. */
  private async publish(server: LiveServer, rows: readonly NumberedRow[]): Promise<void> {
    const last = new Map(rows.map((row) => [row.event_id, Number(row.sequence)]));
    const [messages, totals] = await Promise.all([
      this.feed.messagesOf(rows),
      this.feed.readTotals([...last.keys()]),
    ]);
    let sliceEnds = Date.now() + SLICE_MS;
    for (const message of messages) {
      emit(server, message);
      if (Date.now() < sliceEnds) continue;
      // Thousands of sockets take their time; requests must not wait for all of it.
      await new Promise(setImmediate);
      sliceEnds = Date.now() + SLICE_MS;
    }
    for (const total of totals)
      if (total)
        server
          .to(roomOf(total.eventId))
          .emit('event.totals', { ...total, sequence: last.get(total.eventId) ?? 0 });
  }
}

function emit(server: LiveServer, message: FeedMessage): void {
  const room = server.to(roomOf(message.body.eventId));
  // One call for each topic, so that the type of the body is checked against the name it is sent under.
  if (message.topic === 'donation.retracted') room.emit(message.topic, message.body);
  else room.emit(message.topic, message.body);
}
