import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { Metrics } from '../common/metrics/metrics.js';
import { Database } from '../data/database.js';
import { donationByPayment } from '../donations/donation-store.js';
import { type BookingOutcome, PaymentFacts } from './facts.service.js';
import type { WebhookEvent, PaymentFact, PaymentProvider } from './payment-provider.js';
import { ProviderRefusedError } from './provider-errors.js';
import { PaymentProviders } from './providers.js';
import { SEEN } from './webhook-events.sql.js';

/** Webhook events: verified first, then turned into facts, then booked in one transaction, then answered 200. */
@Injectable()
export class WebhooksService {
  private readonly logger = new Logger(WebhooksService.name);

  constructor(
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly database: Database,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Books a webhook event once, however often it is delivered. Answers only after the commit; what fails on our
   * side is thrown (5xx), so that the provider delivers it again.
   * @throws InvalidInputError (400) for a signature that does not hold, UnavailableError (503) for a provider that
   *   is not configured: nothing is believed without its secret.
   */
  async receive(provider: string, body: unknown, headers: IncomingHttpHeaders): Promise<{ received: true }> {
    const sender = this.providers.named(provider);
    if (!Buffer.isBuffer(body) || body.length === 0)
      throw new InvalidInputError('WEBHOOK_BODY_EMPTY', 'The body is empty');
    const webhookEvent = await sender.readWebhook(body, headers).catch((error: unknown) => {
      this.metrics.webhookEvents.inc({ provider: sender.name, outcome: 'rejected' });
      throw error;
    });
    try {
      await this.handle(sender, webhookEvent);
    } catch (error) {
      this.metrics.webhookEvents.inc({ provider: sender.name, outcome: 'failed' });
      this.logger.warn(this.lineOf(sender, webhookEvent, 'failed'));
      throw error;
    }
    return { received: true };
  }

  /** Also for webhook events that reconciliation fetched. Says whether anything in the books changed. */
  async handle(provider: PaymentProvider, webhookEvent: WebhookEvent): Promise<boolean> {
    // Only spares the provider a question; the unique key inside the transaction is what counts.
    const seen = await this.database.query(SEEN, [provider.name, webhookEvent.id]);
    if (seen.length > 0) {
      this.count(provider, webhookEvent, 'repeated');
      return false;
    }
    const facts = await this.withCaptures(provider, await provider.factsOf(webhookEvent));
    const outcomes = await this.facts.bookWebhookEvent(provider, webhookEvent, facts);
    this.note(provider, webhookEvent, facts, outcomes);
    return outcomes?.some(({ kind }) => kind === 'booked') ?? false;
  }

  /** One line with the ids by which this is found again in the books and at the provider. */
  private note(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    facts: readonly PaymentFact[],
    outcomes: readonly BookingOutcome[] | undefined,
  ): void {
    const found = (kind: BookingOutcome['kind']) => outcomes?.some((outcome) => outcome.kind === kind);
    const outcome = !outcomes
      ? 'repeated'
      : outcomes.length === 0 || found('foreign')
        ? 'foreign'
        : found('booked')
          ? 'booked'
          : 'unchanged';
    const donationIds = outcomes?.flatMap((one) => ('donationId' in one ? [one.donationId] : [])) ?? [];
    const paymentIds = [...new Set(facts.map(({ paymentId }) => paymentId))];
    this.count(provider, webhookEvent, outcome, { paymentIds, donationIds });
  }

  private count(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    outcome: string,
    ids: object = {},
  ): void {
    this.metrics.webhookEvents.inc({ provider: provider.name, outcome });
    this.logger.log({ ...this.lineOf(provider, webhookEvent, outcome), ...ids });
  }

  private lineOf(provider: PaymentProvider, { id, kind }: WebhookEvent, outcome: string) {
    return { msg: `Webhook event ${outcome}`, provider: provider.name, webhookEventId: id, kind, outcome };
  }

  /** An approved payment is captured now, unless its donation was cancelled meanwhile. */
  private async withCaptures(
    provider: PaymentProvider,
    facts: readonly PaymentFact[],
  ): Promise<PaymentFact[]> {
    const all: PaymentFact[] = [];
    for (const fact of facts) {
      all.push(fact);
      if (fact.kind === 'approved') all.push(...(await this.capture(provider, fact)));
    }
    return all;
  }

  private async capture(
    provider: PaymentProvider,
    { paymentId, donationId, eventRef }: PaymentFact,
  ): Promise<PaymentFact[]> {
    if (!provider.capturePayment) return [];
    const donation = await donationByPayment(this.database, provider.name, paymentId);
    const isOurs = donation !== undefined || donationId !== undefined || eventRef !== undefined;
    if (!isOurs || donation?.status === 'CANCELLED') return [];
    try {
      return await provider.capturePayment(paymentId);
    } catch (error) {
      // A refusal is final for this webhook event: the donor may approve again, and reconciliation asks again.
      if (!(error instanceof ProviderRefusedError)) throw error;
      this.logger.warn(`${provider.name} ${paymentId}: capture refused (${error.reason})`);
      return [];
    }
  }
}
