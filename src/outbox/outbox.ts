import { Injectable } from '@nestjs/common';
import type { Transaction } from '../data/database.js';
import { APPEND } from './outbox.sql.js';
import { OutboxRelay } from './outbox-relay.js';

/** What is broadcast about one donation. */
export type DonationTopic = 'donation.created' | 'donation.updated' | 'donation.retracted';

export type OutboxMessage = { readonly eventId: string } & (
  | { readonly topic: DonationTopic; readonly donationId: string }
  /** What was promised in a round of a paddle raise, or its state, changed. */
  | { readonly topic: 'pledge.round'; readonly roundId: string }
);

/** The table of what is to be broadcast, written in the transaction of the fact itself. */
@Injectable()
export class Outbox {
  constructor(private readonly relay: OutboxRelay) {}

  /** Appends a message that the relay sends once `tx` has committed. Ids only, no personal data. */
  append(tx: Transaction, message: OutboxMessage): void {
    const [donationId, roundId] =
      message.topic === 'pledge.round' ? [null, message.roundId] : [message.donationId, null];
    tx.write(APPEND, [message.eventId, message.topic, donationId, roundId]);
    this.raiseAfter(tx, message.eventId);
  }

  /** Has the relay look after the commit, for messages that were written with the fact. */
  raiseAfter(tx: Transaction, eventId: string): void {
    tx.afterCommit(() => {
      this.relay.raise(eventId);
    });
  }
}
