import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { InvalidInputError } from '../../common/errors/domain-errors.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { Database } from '../../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../../review/review-items.js';
import { ApprovedPayments } from './approved-payments.service.js';
import type { BookingOutcome } from './payment-homes.service.js';
import { PaymentFacts } from './facts.service.js';
import type {
  PaymentFact,
  PaymentProvider,
  WebhookEvent,
  WebhookObstacle,
} from '../providers/provider-port.js';
import {
  MissingRightError,
  PaymentUnreadableError,
  ProviderRefusedError,
  WebhookSignatureError,
  WebhookUnsettledError,
} from '../providers/provider-errors.js';
import { PaymentProviders } from '../providers/payment-providers.js';
import { ProviderHealth } from '../providers/provider-health.js';
import { SEEN } from './booking.sql.js';

type EventCounter = Metrics['webhookEvents'];

const DAY_MS = 24 * 3_600_000;

/**
 * Handles webhook events. The service verifies an event, reads the facts, books the facts in one transaction, then
 * answers with 200.
 */
@Injectable()
export class WebhooksService {
  private readonly logger = new Logger(WebhooksService.name);

  constructor(
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly approved: ApprovedPayments,
    private readonly database: Database,
    private readonly metrics: Metrics,
    private readonly health: ProviderHealth,
  ) {}

  /**
   * Books a webhook event once, even if it is delivered many times. The route answers after the commit. After an
   * error of this service, the route answers with 5xx, so that the provider delivers the event again.
   * @throws InvalidInputError (400) for an invalid signature, UnavailableError (503) if the provider is not
   *   configured (its events cannot be verified) or the payment cannot be read yet
   */
  async receive(provider: string, body: unknown, headers: IncomingHttpHeaders): Promise<{ received: true }> {
    const sender = this.providers.named(provider);
    if (!Buffer.isBuffer(body) || body.length === 0)
      throw new InvalidInputError('WEBHOOK_BODY_EMPTY', 'The body is empty');
    const webhookEvent = await sender.readWebhook(body, headers).catch((error: unknown) => {
      this.reject(sender, error);
      throw error;
    });
    this.health.heard(sender.name);
    try {
      await this.deliver(sender, webhookEvent);
    } catch (error) {
      this.metrics.webhookEvents.inc({ provider: sender.name, outcome: 'failed' });
      this.logger.warn(this.lineOf(sender, webhookEvent, 'failed'));
      // The provider receives 503 and sends the event again. Before the next delivery, an admin may add the right to
      // the key.
      throw error instanceof MissingRightError
        ? new WebhookUnsettledError(webhookEvent.id, error.reason)
        : error;
    }
    return { received: true };
  }

  private reject({ name }: PaymentProvider, error: unknown): void {
    this.metrics.webhookEvents.inc({ provider: name, outcome: 'rejected' });
    if (!(error instanceof WebhookSignatureError)) return;
    this.logger.warn({ msg: 'Webhook event refused', provider: name, reason: error.reason });
    if (error.problem) this.health.refused(name, error.problem);
  }

  /**
   * Books a webhook event that reconciliation found at the provider. Like a delivered event, it is booked only once.
   * For an event about our money, also records its time, so that missing deliveries are noticed.
   * @returns true if the event changed the books
   */
  async handleFound(provider: PaymentProvider, webhookEvent: WebhookEvent): Promise<boolean> {
    const outcomes = await this.handle(provider, webhookEvent, this.metrics.foundEvents);
    const isOurs = outcomes?.some(({ kind }) => kind !== 'foreign' && kind !== 'kept') ?? false;
    if (isOurs && webhookEvent.createdAt) await this.health.missed(provider.name, webhookEvent.createdAt);
    return outcomes?.some(({ kind }) => kind === 'booked') ?? false;
  }

  private async deliver(provider: PaymentProvider, webhookEvent: WebhookEvent): Promise<void> {
    // This check only saves a provider request. The unique key inside the transaction prevents double booking.
    const seen = provider.saysAll?.(webhookEvent) ? [] : await this.seen(provider, webhookEvent);
    if (seen.length > 0) this.count(provider, webhookEvent, 'repeated', idsOf(seen));
    else await this.handle(provider, webhookEvent);
  }

  private async seen(provider: PaymentProvider, { id }: WebhookEvent): Promise<SeenRow[]> {
    return await this.database.query<SeenRow>(SEEN, [provider.name, id]);
  }

  /** Books the facts of an event. Returns undefined if the event was already committed. */
  private async handle(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    counter: EventCounter = this.metrics.webhookEvents,
  ): Promise<BookingOutcome[] | undefined> {
    const obstacles: WebhookObstacle[] = [];
    const facts = await provider.factsOf(webhookEvent, (obstacle) => obstacles.push(obstacle));
    for (const obstacle of obstacles) await this.meet(provider, webhookEvent, obstacle);
    facts.push(...(await this.captures(provider, webhookEvent, facts)));
    const outcomes = await this.facts.bookWebhookEvent(provider, webhookEvent, facts);
    if (outcomes) this.note(provider, webhookEvent, facts, outcomes, counter);
    else
      this.count(provider, webhookEvent, 'repeated', idsOf(await this.seen(provider, webhookEvent)), counter);
    // An old event may have a review item. The event is now read completely, so close the item.
    if (obstacles.length === 0 && isOld(webhookEvent))
      await settleReviewItem(this.database, 'unsettled_event', `${provider.name}:${webhookEvent.id}`);
    return outcomes;
  }

  /** Writes one log line with the ids of the donation and the payment. */
  private note(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    facts: readonly PaymentFact[],
    outcomes: readonly BookingOutcome[],
    counter: EventCounter,
  ): void {
    const found = (kind: BookingOutcome['kind']) => outcomes.some((outcome) => outcome.kind === kind);
    const outcome =
      outcomes.length === 0 || found('foreign') ? 'foreign' : found('booked') ? 'booked' : 'unchanged';
    const donationIds = outcomes.flatMap((one) => ('donationId' in one ? [one.donationId] : []));
    const paymentIds = [...new Set(facts.map(({ paymentId }) => paymentId))];
    this.count(provider, webhookEvent, outcome, { paymentIds, donationIds }, counter);
  }

  private count(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    outcome: string,
    ids: object = {},
    counter: EventCounter = this.metrics.webhookEvents,
  ): void {
    counter.inc({ provider: provider.name, outcome });
    this.logger.log({ ...this.lineOf(provider, webhookEvent, outcome), ...ids });
  }

  private lineOf(provider: PaymentProvider, { id, kind }: WebhookEvent, outcome: string) {
    return { msg: `Webhook event ${outcome}`, provider: provider.name, webhookEventId: id, kind, outcome };
  }

  /** Captures the payments that the donor has just approved. */
  private async captures(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    facts: readonly PaymentFact[],
  ): Promise<PaymentFact[]> {
    try {
      return await this.approved.follow(provider, facts, webhookEvent.createdAt);
    } catch (error) {
      if (error instanceof MissingRightError) throw error;
      if (error instanceof PaymentUnreadableError) await this.unsettled(provider, webhookEvent, error.reason);
      // After any other refusal, this webhook event is finished. The donor may approve again, which causes a new
      // event.
      if (!(error instanceof ProviderRefusedError)) throw error;
      this.logger.warn(`Capture refused for ${provider.name} event ${webhookEvent.id}: ${error.reason}`);
      return [];
    }
  }

  private async meet(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    obstacle: WebhookObstacle,
  ): Promise<void> {
    if (obstacle.kind === 'unreadable') await this.unsettled(provider, webhookEvent, obstacle.reason);
    else if (obstacle.kind === 'malformed')
      await this.reportUnsettled(provider, webhookEvent, obstacle.reason);
    else if (await this.approved.isOurs(provider.name, obstacle))
      await raiseReviewItem(this.database, {
        kind: 'other_payee',
        subject: `${provider.name}:${obstacle.paymentId}`,
        donationId: null,
        detail: { payee: obstacle.payee, event: obstacle.eventRef ?? null },
      });
  }

  /** Does not mark the event as handled, so that the next delivery is handled. After one day, raises a review item. */
  private async unsettled(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    reason: string,
  ): Promise<never> {
    if (isOld(webhookEvent)) await this.reportUnsettled(provider, webhookEvent, reason);
    throw new WebhookUnsettledError(webhookEvent.id, reason);
  }

  private async reportUnsettled(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    reason: string,
  ): Promise<void> {
    await raiseReviewItem(this.database, {
      kind: 'unsettled_event',
      subject: `${provider.name}:${webhookEvent.id}`,
      donationId: null,
      detail: { event: webhookEvent.kind, reason },
    });
  }
}

interface SeenRow {
  readonly donation_id: string | null;
  readonly payment_id: string | null;
}

/** Ids in the same form as in the log line of the first delivery. */
const idsOf = (seen: readonly SeenRow[]) => ({
  paymentIds: seen.flatMap(({ payment_id }) => payment_id ?? []),
  donationIds: seen.flatMap(({ donation_id }) => donation_id ?? []),
});

const isOld = ({ createdAt }: WebhookEvent): boolean =>
  createdAt !== undefined && createdAt.getTime() < Date.now() - DAY_MS;
