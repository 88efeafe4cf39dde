import { Injectable } from '@nestjs/common';
import { Database } from '../../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../../review/review-items.js';
import type { PaymentProvider } from './provider-port.js';
import { SUBSCRIPTIONS_DUE, SUBSCRIPTIONS_READ } from './provider-health.sql.js';
import { subjectOf } from './provider-health.js';

/** Checks if the webhook endpoint at a provider sends every used type of event. */
@Injectable()
export class WebhookSubscriptions {
  constructor(private readonly database: Database) {}

  /** True if the last check is more than an hour old, or if the run is manual. */
  async isDue(provider: PaymentProvider, byHand: boolean): Promise<boolean> {
    return (await this.database.query(SUBSCRIPTIONS_DUE, [provider.name, byHand])).length > 0;
  }

  /** Asks the provider, and raises a review item for missing types. */
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
    // If the provider does not show the subscriptions, the item stays open until staff close it.
    else if (types === '')
      await settleReviewItem(this.database, 'webhooks_incomplete', subjectOf(provider.name));
  }
}
