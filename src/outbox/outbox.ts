import { Injectable } from '@nestjs/common';
import type { Statement, Transaction } from '../data/database.js';
import { OutboxSignal } from './outbox-signal.js';

/** What the room hears about one donation. */
export type DonationTopic = 'donation.created' | 'donation.updated' | 'donation.retracted';

export interface OutboxMessage {
  readonly topic: DonationTopic;
  readonly eventId: string;
  readonly donationId: string;
}

const APPEND: Statement = {
  name: 'outbox_append',
  text: 'INSERT INTO outbox (event_id, topic, donation_id) VALUES ($1, $2, $3)',
};

/** The table of what must be told, written in the transaction of the fact itself. */
@Injectable()
export class Outbox {
  constructor(private readonly signal: OutboxSignal) {}

  /** Appends a message that the relay sends once `tx` has committed. Ids only, no personal data. */
  async append(tx: Transaction, message: OutboxMessage): Promise<void> {
    await tx.query(APPEND, [message.eventId, message.topic, message.donationId]);
    tx.afterCommit(() => {
      this.signal.raise();
    });
  }
}
