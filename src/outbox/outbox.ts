import { Injectable } from '@nestjs/common';
import type { Transaction } from '../data/database.js';
import { APPEND } from './outbox.sql.js';
import { OutboxRelay } from './outbox-relay.js';

/** Topics of broadcasts about one donation. */
export type DonationTopic = 'donation.created' | 'donation.updated' | 'donation.retracted';

export type OutboxMessage = { readonly eventId: string } & (
  | { readonly topic: DonationTopic; readonly donationId: string }
  /** The state of a paddle raise round changed, or one of its pledges. */
  | { readonly topic: 'pledge.round'; readonly roundId: string }
);

/** The table of messages to broadcast. A message is written in the transaction of the change that it announces. */
@Injectable()
export class Outbox {
  constructor(private readonly relay: OutboxRelay) {}

  /** Adds a message that the relay sends after the commit of `tx`. A message contains only ids, no personal data. */
  append(tx: Transaction, message: OutboxMessage): void {
    const [donationId, roundId] =
      message.topic === 'pledge.round' ? [null, message.roundId] : [message.donationId, null];
    tx.write(APPEND, [message.eventId, message.topic, donationId, roundId]);
    this.raiseAfter(tx, message.eventId);
  }

  /** Wakes the relay after the commit, for messages that another statement has already written. */
  raiseAfter(tx: Transaction, eventId: string): void {
    tx.afterCommit(() => {
      this.relay.raise(eventId);
    });
  }
}
