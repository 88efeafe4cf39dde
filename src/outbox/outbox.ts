import { Injectable } from '@nestjs/common';
import type { Transaction } from '../data/database.js';
import { APPEND } from './outbox.sql.js';
import { OutboxRelay } from './outbox-relay.js';

/** Topics of messages about one donation. Clients get `donation.shown`, the approval of a waiting card, as `donation.created`. */
export type DonationTopic = 'donation.created' | 'donation.shown' | 'donation.updated' | 'donation.retracted';

/** Topics of messages about other subjects, such as the results of followers. */
export type SubjectTopic = 'match.changed' | 'milestone.reached' | 'milestones.changed' | 'wall.moment';

export type OutboxMessage = { readonly eventId: string } & (
  | { readonly topic: DonationTopic; readonly donationId: string }
  /** The state of a paddle raise round changed, or one of its pledges. */
  | { readonly topic: 'pledge.round'; readonly roundId: string }
  /** The state of the subject changed, e.g. of a match pool. */
  | { readonly topic: SubjectTopic; readonly subjectId: string }
);

/** The table of messages to broadcast. A message is written in the transaction of the change that it announces. */
@Injectable()
export class Outbox {
  constructor(private readonly relay: OutboxRelay) {}

  /** Adds a message that the relay sends after the commit of `tx`. A message contains only ids, no personal data. */
  append(tx: Transaction, message: OutboxMessage): void {
    tx.write(APPEND, [
      message.eventId,
      message.topic,
      'donationId' in message ? message.donationId : null,
      'roundId' in message ? message.roundId : null,
      'subjectId' in message ? message.subjectId : null,
    ]);
    this.raiseAfter(tx, message.eventId);
  }

  /** Wakes the relay after the commit, for messages that another statement has already written. */
  raiseAfter(tx: Transaction, eventId: string): void {
    tx.afterCommit(() => {
      this.relay.raise(eventId);
    });
  }
}
