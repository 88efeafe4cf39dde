import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../data/database.js';
import { type BookingOutcome, BookingService } from './booking.service.js';
import type { WebhookEvent, PaymentFact, PaymentProvider } from './payment-provider.js';

const CLAIM_EVENT: Statement = {
  name: 'webhook_event_claim',
  text: `INSERT INTO webhook_event (provider, webhook_event_id, kind, outcome) VALUES ($1, $2, $3, 'received')
    ON CONFLICT DO NOTHING RETURNING webhook_event_id`,
};

const CLOSE_EVENT: Statement = {
  name: 'webhook_event_close',
  text: 'UPDATE webhook_event SET outcome = $3, donation_id = $4 WHERE provider = $1 AND webhook_event_id = $2',
};

/** Brings facts into the books: one transaction for all facts of one message or answer. */
@Injectable()
export class SettlementService {
  constructor(
    private readonly database: Database,
    private readonly booking: BookingService,
  ) {}

  /** Facts from an answer of the provider to a call of ours. Returns what became of each. */
  async settle(provider: PaymentProvider, facts: readonly PaymentFact[]): Promise<BookingOutcome[]> {
    return await this.book(provider, facts, undefined);
  }

  /** Facts of a message; a message that was committed before changes nothing and gives undefined. */
  async settleWebhookEvent(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    facts: readonly PaymentFact[],
  ): Promise<BookingOutcome[] | undefined> {
    const outcomes = await this.book(provider, facts, webhookEvent);
    return outcomes.length === 0 && facts.length > 0 ? undefined : outcomes;
  }

  private async book(
    provider: PaymentProvider,
    facts: readonly PaymentFact[],
    webhookEvent: WebhookEvent | undefined,
  ): Promise<BookingOutcome[]> {
    if (facts.length === 0 && !webhookEvent) return [];
    // Read before the transaction: inside it only the books are touched.
    const homes = await Promise.all(facts.map((fact) => this.booking.homeOf(fact)));
    const source = { provider: provider.name, type: provider.type, webhookEventId: webhookEvent?.id ?? null };
    return await this.database.transaction(async (tx) => {
      if (webhookEvent) {
        const claimed = await tx.query(CLAIM_EVENT, [provider.name, webhookEvent.id, webhookEvent.kind]);
        if (claimed.length === 0) return [];
      }
      const outcomes: BookingOutcome[] = [];
      for (const [index, fact] of facts.entries())
        outcomes.push(await this.booking.book(tx, source, fact, homes[index]));
      if (webhookEvent) await tx.query(CLOSE_EVENT, [provider.name, webhookEvent.id, ...summary(outcomes)]);
      return outcomes;
    });
  }
}

function summary(outcomes: readonly BookingOutcome[]): [string, string | null] {
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))];
  const donation = outcomes.find((outcome) => 'donationId' in outcome);
  return [kinds.join('+') || 'ignored', donation && 'donationId' in donation ? donation.donationId : null];
}
