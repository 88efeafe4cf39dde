import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { Database } from '../data/database.js';
import { donationByPayment } from '../donations/donation-store.js';
import { PaymentFacts } from './facts.service.js';
import type { WebhookEvent, PaymentFact, PaymentProvider } from './payment-provider.js';
import { ProviderRefusedError } from './provider-errors.js';
import { PaymentProviders } from './providers.js';
import { SEEN } from './webhook-events.sql.js';

/** Messages of the providers: verified first, then the facts, then one transaction, then 200. */
@Injectable()
export class WebhooksService {
  private readonly logger = new Logger(WebhooksService.name);

  constructor(
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly database: Database,
  ) {}

  /**
   * Books a message once, however often it comes. Answers only after the commit; whatever fails on our side
   * is thrown (5xx), so that the provider sends it again.
   */
  async receive(
    type: 'card' | 'wallet',
    body: unknown,
    headers: IncomingHttpHeaders,
  ): Promise<{ received: true }> {
    const provider = this.providers.ofType(type);
    if (!Buffer.isBuffer(body) || body.length === 0)
      throw new InvalidInputError('WEBHOOK_EMPTY', 'The body is empty');
    const webhookEvent = await provider.readWebhook(body, headers);
    await this.handle(provider, webhookEvent);
    return { received: true };
  }

  /** Also for messages that reconciliation fetched. Says whether anything in the books changed. */
  async handle(provider: PaymentProvider, webhookEvent: WebhookEvent): Promise<boolean> {
    // Only spares the provider a question; the unique key inside the transaction is what counts.
    const seen = await this.database.query(SEEN, [provider.name, webhookEvent.id]);
    if (seen.length > 0) return false;
    const facts = await this.withCaptures(provider, await provider.factsOf(webhookEvent));
    const outcomes = await this.facts.bookWebhookEvent(provider, webhookEvent, facts);
    if (outcomes && (outcomes.length === 0 || outcomes.some(({ kind }) => kind === 'foreign')))
      this.logger.log(`${provider.name} ${webhookEvent.kind} ${webhookEvent.id}: nothing of ours`);
    return outcomes?.some(({ kind }) => kind === 'booked') ?? false;
  }

  /** An approved payment is captured now, unless its donation was cancelled meanwhile. */
  private async withCaptures(
    provider: PaymentProvider,
    facts: readonly PaymentFact[],
  ): Promise<PaymentFact[]> {
    const all: PaymentFact[] = [];
    for (const fact of facts) {
      all.push(fact);
      if (fact.kind !== 'approved' || !provider.capturePayment) continue;
      const donation = await donationByPayment(this.database, provider.name, fact.paymentId);
      const ours = donation !== undefined || fact.donationId !== undefined || fact.eventRef !== undefined;
      if (!ours || donation?.status === 'CANCELLED') continue;
      try {
        all.push(...(await provider.capturePayment(fact.paymentId)));
      } catch (error) {
        // A refusal is final for this message: the donor may approve again, and reconciliation looks after it.
        if (!(error instanceof ProviderRefusedError)) throw error;
        this.logger.warn(`${provider.name} ${fact.paymentId}: capture refused (${error.reason})`);
      }
    }
    return all;
  }
}
