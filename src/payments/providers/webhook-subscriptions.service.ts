import { Injectable } from '@nestjs/common';
import { Database } from '../../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../../review/review-items.js';
import type { PaymentProvider } from './provider-port.js';
import { SUBSCRIPTIONS_DUE, SUBSCRIPTIONS_READ } from './provider-health.sql.js';
import { subjectOf } from './provider-health.js';

/** Whether the webhook endpoint at a provider sends every type of event that is used. */
@Injectable()
export class WebhookSubscriptions {
  constructor(private readonly database: Database) {}

  /** Whether the last answer of a provider is an hour old, or a person asks. */
  async isDue(provider: PaymentProvider, byHand: boolean): Promise<boolean> {
    return (await this.database.query(SUBSCRIPTIONS_DUE, [provider.name, byHand])).length > 0;
  }

  /** Asks the provider, and says on the list which types are missing. */
  async read(provider: PaymentProvider): Promise<void> {
    if (!provider.unsubscribed) return;
    const types = (await provider.unsubscribed())?.join(', ');
    await this.database.query(SUBSCRIPTIONS_READ, [provider.name, types ?? null]);
    if (types)
      await raiseReviewItem(this.database, {
        kind: 'webhooks_incomplete',
        subject: subjectOf(provider.name),
        donationId: null,
        detail: { types },
      });
    // Where the answer is not known any more, a person has to say that all is well.
    else if (types === '')
      await settleReviewItem(this.database, 'webhooks_incomplete', subjectOf(provider.name));
  }
}
