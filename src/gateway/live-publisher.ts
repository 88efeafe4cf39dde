import { Injectable } from '@nestjs/common';
import type { NumberedRow } from '../outbox/outbox.sql.js';
import { OutboxRelay, type Term } from '../outbox/outbox-relay.js';
import { LiveFeed } from './live-feed.service.js';
import type { Sendable } from './live-messages.js';
import { RoomBroadcaster } from './room-broadcaster.js';

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
