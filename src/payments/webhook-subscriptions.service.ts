import { Injectable } from '@nestjs/common';
import { Database } from '../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../review/review-items.js';
import type { PaymentProvider } from './payment-provider.js';
import { SUBSCRIPTIONS_DUE, SUBSCRIPTIONS_READ } from './provider-health.sql.js';
import { subjectOf } from './providers.js';
import type { ProviderRun } from './reconciliation-run.js';

/** Whether the webhook endpoint at a provider sends every type of event that is used. */
@Injectable()
export class WebhookSubscriptions {
  constructor(private readonly database: Database) {}

  /** Once an hour, and whenever a person asks. */
  async check(provider: PaymentProvider, run: ProviderRun): Promise<void> {
    const due = await this.database.query(SUBSCRIPTIONS_DUE, [provider.name, run.options.byHand]);
    if (due.length === 0) return;
    await run.guarded({ what: 'webhooks', id: provider.name }, () => this.read(provider));
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
