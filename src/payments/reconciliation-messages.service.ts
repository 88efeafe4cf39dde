import { Injectable } from '@nestjs/common';
import type { PaymentProvider, WebhookEvent } from './payment-provider.js';
import { WebhookUnsettledError } from './provider-errors.js';
import type { ProviderRun } from './reconciliation-run.js';
import { WebhooksService } from './webhooks.service.js';

const DAY = 24 * 60 * 60_000;
const EVENTS_KEPT_DAYS = 30;

/** Webhook events that a provider could not deliver, as far back as it lists them. */
@Injectable()
export class MessageReconciliation {
  /** Those that could not be handled: a list that is only continued does not contain them again. */
  private readonly unhandled = new Map<string, WebhookEvent>();

  constructor(private readonly webhooks: WebhooksService) {}

  async undelivered(provider: PaymentProvider, run: ProviderRun): Promise<void> {
    await run.guarded({ what: 'message', id: provider.name }, async () => {
      // One that cannot be handled must not hide those behind it in the list.
      let failure: Error | undefined;
      for await (const webhookEvent of this.messages(provider)) {
        run.checked++;
        const key = `${provider.name} ${webhookEvent.id}`;
        this.unhandled.set(key, webhookEvent);
        try {
          if (await this.webhooks.handle(provider, webhookEvent))
            run.findings.push({
              what: 'message',
              id: webhookEvent.id,
              found: `${webhookEvent.kind} was never delivered`,
              result: 'healed',
            });
          this.unhandled.delete(key);
        } catch (error) {
          // What cannot be read yet is waited for, and becomes a review item of its own once it is old.
          if (error instanceof WebhookUnsettledError) {
            run.findings.push({
              what: 'message',
              id: webhookEvent.id,
              found: error.message,
              result: 'waiting',
            });
            continue;
          }
          run.noteAnswer(error);
          failure ??= error instanceof Error ? error : new Error(String(error));
          if (run.isAway) break;
        }
      }
      if (failure) throw failure;
    });
  }

  private async *messages(provider: PaymentProvider): AsyncIterable<WebhookEvent> {
    const again = [...this.unhandled].filter(([key]) => key.startsWith(`${provider.name} `));
    for (const [, webhookEvent] of again) yield webhookEvent;
    // A little less than is kept: the provider refuses a time that it no longer knows.
    const days = provider.eventsKeptDays ?? EVENTS_KEPT_DAYS;
    yield* provider.undelivered(new Date(Date.now() - days * DAY + 60_000));
  }
}
