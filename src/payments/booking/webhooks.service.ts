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

/** Webhook events: verified first, then turned into facts, then booked in one transaction, then answered 200. */
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
   * Books a webhook event once, however often it is delivered. Answers only after the commit; what fails on our
   * side is thrown (5xx), so that the provider delivers it again.
   * @throws InvalidInputError (400) for a signature that does not hold, UnavailableError (503) for a provider that
   *   is not configured (nothing is believed without its secret) or for money that cannot be read yet.
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
      // 503 to the provider, which sends it again: by then the key may have the right.
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
   * Books a webhook event that reconciliation found at the provider, as if it had arrived; once, like any other. About
   * money of ours it also says that events do not arrive.
   * @returns whether it told anything new
   */
  async handleFound(provider: PaymentProvider, webhookEvent: WebhookEvent): Promise<boolean> {
    const outcomes = await this.handle(provider, webhookEvent, this.metrics.foundEvents);
    const isOurs = outcomes?.some(({ kind }) => kind !== 'foreign' && kind !== 'kept') ?? false;
    if (isOurs && webhookEvent.createdAt) await this.health.missed(provider.name, webhookEvent.createdAt);
    return outcomes?.some(({ kind }) => kind === 'booked') ?? false;
  }

  private async deliver(provider: PaymentProvider, webhookEvent: WebhookEvent): Promise<void> {
    // Only spares the provider a question; the unique key inside the transaction is what counts.
    const seen = provider.saysAll?.(webhookEvent) ? [] : await this.seen(provider, webhookEvent);
    if (seen.length > 0) this.count(provider, webhookEvent, 'repeated', idsOf(seen));
    else await this.handle(provider, webhookEvent);
  }

  private async seen(provider: PaymentProvider, { id }: WebhookEvent): Promise<SeenRow[]> {
    return await this.database.query<SeenRow>(SEEN, [provider.name, id]);
  }

  /** What became of its facts; undefined where it had been committed before. */
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
    // What could not be read in full stays on the list, however old it is.
    if (obstacles.length === 0 && isOld(webhookEvent))
      await settleReviewItem(this.database, 'unsettled_event', `${provider.name}:${webhookEvent.id}`);
    return outcomes;
  }

  /** One line has the ids by which it is found again in the books and at the provider. */
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

  /** A payment that was approved just now is captured. */
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
      // Another refusal is final for this webhook event: the donor may approve again.
      if (!(error instanceof ProviderRefusedError)) throw error;
      this.logger.warn(`${provider.name} ${webhookEvent.id}: capture refused (${error.reason})`);
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

  /** Not claimed, so that it is handled when it comes again; on the list once it has come in vain for a day. */
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

/** In the form of the first delivery's line. */
const idsOf = (seen: readonly SeenRow[]) => ({
  paymentIds: seen.flatMap(({ payment_id }) => payment_id ?? []),
  donationIds: seen.flatMap(({ donation_id }) => donation_id ?? []),
});

const isOld = ({ createdAt }: WebhookEvent): boolean =>
  createdAt !== undefined && createdAt.getTime() < Date.now() - DAY_MS;
