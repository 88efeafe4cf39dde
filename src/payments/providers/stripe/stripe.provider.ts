import type { IncomingHttpHeaders } from 'node:http';
import Stripe from 'stripe';
import { newId, timeOfId } from '../../../common/crypto/ids.js';
import type {
  CardChargeRequest,
  CardSetup,
  CreatedPayment,
  OpenedCard,
  PaidMethod,
  PaymentFact,
  PaymentNames,
  PaymentProvider,
  PaymentRequest,
  Payout,
  PayoutItem,
  ProviderBalance,
  ProviderFee,
  RefundFact,
  RefundRequest,
  WalkedFacts,
  WebhookEvent,
  WebhookObstacle,
} from '../provider-port.js';
import {
  isMissing,
  MissingRightError,
  ProviderRefusedError,
  ProviderUnavailableError,
} from '../provider-errors.js';
import type { StripeConfig } from './stripe-environment.js';
import { RIGHTS, StripeAccess, saidAt } from './stripe-access.js';
import {
  disputeFact,
  feeOf,
  idOf,
  intentFacts,
  methodOf,
  refundFact,
  stripeStep,
  toStripeAmount,
} from './stripe-facts.js';
import { balanceOf, payoutItemsOf, payoutsOf } from './stripe-payouts.js';
import { paidAt, walkStripe } from './stripe-walk.js';
import { unsubscribedTypes } from './stripe-endpoints.js';
import { keyed } from './stripe-keys.js';
import { StripeCards } from './stripe-cards.js';
import { StripeWebhooks } from './stripe-webhooks.js';

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Stripe's clock and our clock differ, so a payment may seem to be created slightly before its donation. */
const CLOCK_SKEW_SECONDS = 300;

/** Card payments through Stripe. Only this folder uses Stripe's library and types. */
export class StripeProvider implements PaymentProvider {
  readonly name = 'stripe';
  readonly type = 'card';
  /** Maximum age of events in `events.list`. */
  readonly eventsKeptDays = 30;
  private readonly access = new StripeAccess();
  readonly rights = this.access.rights;
  private readonly stripe: Stripe;
  private readonly webhooks: StripeWebhooks;
  private readonly cards: StripeCards;
  private readonly isStandIn: boolean;
  readonly isTest: boolean;

  /**
   * @param publicUrl address of this service for donors and Stripe
   * @param timeoutMs time limit for one answer, including its body
   */
  constructor(
    { apiUrl, secretKey, webhookSecrets }: StripeConfig,
    private readonly publicUrl: string,
    timeoutMs: number,
  ) {
    this.stripe = new Stripe(secretKey, {
      httpClient: Stripe.createFetchHttpClient(boundedFetch(MAX_ANSWER_BYTES)),
      timeout: timeoutMs,
      maxNetworkRetries: 1,
      telemetry: false,
      ...(apiUrl
        ? {
            host: apiUrl.hostname,
            port: apiUrl.port || (apiUrl.protocol === 'https:' ? 443 : 80),
            protocol: apiUrl.protocol === 'https:' ? ('https' as const) : ('http' as const),
          }
        : {}),
    });
    this.isStandIn = apiUrl !== undefined;
    this.isTest = /^[sr]k_test_/.test(secretKey);
    this.webhooks = new StripeWebhooks(this.stripe, this.access, webhookSecrets, (id) =>
      this.readPayment(id),
    );
    this.cards = new StripeCards(this.stripe, this.access, (id) => this.readPayment(id));
  }

  assertTakes(amount: bigint, currency: string): void {
    toStripeAmount(amount, currency);
  }

  stepOf(currency: string): number {
    return stripeStep(currency);
  }

  bodyOf(request: PaymentRequest): string {
    const params: Stripe.PaymentIntentCreateParams = {
      amount: toStripeAmount(request.amount, request.currency),
      currency: request.currency,
      automatic_payment_methods: { enabled: true },
      description: 'Donation',
      metadata: { donationId: request.donationId, eventId: request.eventId },
    };
    return JSON.stringify(params);
  }

  async createPayment(request: PaymentRequest): Promise<CreatedPayment> {
    const params = JSON.parse(request.body ?? this.bodyOf(request)) as Stripe.PaymentIntentCreateParams;
    const intent = await this.access.asked(
      RIGHTS.takePayments,
      keyed(
        `intent:${request.donationId}`,
        (idempotencyKey) => this.stripe.paymentIntents.create(params, { idempotencyKey }),
        () => this.intentOf(request.donationId),
      ),
    );
    if (!intent.client_secret) throw new ProviderUnavailableError(this.name);
    return { paymentId: intent.id, checkout: { clientSecret: intent.client_secret } };
  }

  async openCard(cardId: string): Promise<OpenedCard> {
    return await this.cards.open(cardId);
  }

  async readCard(setupId: string): Promise<CardSetup> {
    return await this.cards.read(setupId);
  }

  async removeCard(customerId: string): Promise<void> {
    await this.cards.remove(customerId);
  }

  chargeBodyOf(request: CardChargeRequest): string {
    return this.cards.bodyOf(request);
  }

  async chargeCard(request: CardChargeRequest): Promise<PaymentFact[]> {
    return await this.cards.charge(request);
  }

  async findCharge(customerId: string, donationId: string): Promise<PaymentFact[] | undefined> {
    return await this.cards.findCharge(customerId, donationId);
  }

  async readMethod(paymentId: string): Promise<PaidMethod | undefined> {
    return methodOf((await this.intent(paymentId)).latest_charge);
  }

  async readPayment(paymentId: string): Promise<PaymentFact[]> {
    const intent = await this.intent(paymentId);
    const facts = intentFacts(intent, paidAt(intent));
    if (intent.status !== 'succeeded') return facts;
    const [refunds, disputes, fee] = await Promise.all([
      this.access.listed(
        RIGHTS.readRefunds,
        this.stripe.refunds.list({ payment_intent: paymentId, limit: 100 }),
      ),
      this.access.listed(
        RIGHTS.readDisputes,
        this.stripe.disputes.list({ payment_intent: paymentId, limit: 100 }),
      ),
      this.feeOf(intent),
    ]);
    return [
      ...facts.map((fact) => (fact.kind === 'paid' && fee ? { ...fact, fee } : fact)),
      ...refunds.flatMap(refundFact),
      ...disputes.flatMap((dispute) => disputeFact(dispute, saidAt(intent))),
    ];
  }

  async payWithTestCard(paymentId: string, isDeclined: boolean): Promise<void> {
    if (!this.isTest) throw new Error('Only a test key pays with a test card');
    try {
      await this.access.asked(
        RIGHTS.takePayments,
        this.stripe.paymentIntents.confirm(paymentId, {
          payment_method: isDeclined ? 'pm_card_chargeDeclined' : 'pm_card_visa',
          return_url: this.publicUrl,
        }),
      );
    } catch (error) {
      // Declined, or paid by an earlier try.
      if (!(error instanceof ProviderRefusedError)) throw error;
    }
  }

  async cancelPayment(paymentId: string): Promise<PaymentFact[]> {
    try {
      const intent = await this.access.asked(
        RIGHTS.takePayments,
        this.stripe.paymentIntents.cancel(paymentId, {}, { idempotencyKey: `cancel:${newId()}` }),
      );
      return intentFacts(intent, new Date());
    } catch (error) {
      if (error instanceof MissingRightError) throw error;
      // Stripe does not know this payment, perhaps because it belongs to another account. So no money can arrive with
      // this payment.
      if (error instanceof ProviderRefusedError && isMissing(error))
        return [{ kind: 'cancelled', paymentId }];
      // Already paid, processing or cancelled: the current state decides.
      if (error instanceof ProviderRefusedError) return await this.readPayment(paymentId);
      throw error;
    }
  }

  async refundPayment({ refundId, paymentId, amount, currency }: RefundRequest): Promise<RefundFact> {
    const body = {
      payment_intent: paymentId,
      amount: toStripeAmount(amount, currency),
      metadata: { refundId },
    };
    const refund = await this.access.asked(
      RIGHTS.refund,
      keyed(
        `refund:${refundId}`,
        (idempotencyKey) => this.stripe.refunds.create(body, { idempotencyKey }),
        () => this.refundOf(paymentId, refundId),
      ),
    );
    return this.oneRefund(refund);
  }

  async readRefund(providerRefundId: string): Promise<RefundFact> {
    return this.oneRefund(
      await this.access.asked(RIGHTS.readRefunds, this.stripe.refunds.retrieve(providerRefundId)),
    );
  }

  async readWebhook(body: Buffer, headers: IncomingHttpHeaders): Promise<WebhookEvent> {
    return await Promise.resolve(this.webhooks.read(body, headers));
  }

  async factsOf(
    webhookEvent: WebhookEvent,
    hindered?: (obstacle: WebhookObstacle) => void,
  ): Promise<PaymentFact[]> {
    return await this.webhooks.factsOf(webhookEvent, hindered);
  }

  saysAll({ kind }: WebhookEvent): boolean {
    return kind === 'payment_intent.succeeded';
  }

  events(from: Date, until?: Date): AsyncIterable<WebhookEvent> {
    return this.webhooks.events(from, until);
  }

  async event(id: string): Promise<WebhookEvent | undefined> {
    return await this.webhooks.event(id);
  }

  async unsubscribed(): Promise<readonly string[] | undefined> {
    return await unsubscribedTypes(this.stripe, this.access, this.publicUrl);
  }

  walk(since: Date): AsyncIterable<WalkedFacts> {
    return walkStripe(this.stripe, this.access, since);
  }

  async payouts(since: Date): Promise<readonly Payout[] | undefined> {
    return await payoutsOf(this.stripe, this.access, since);
  }

  async balance(): Promise<ProviderBalance[] | undefined> {
    return await balanceOf(this.stripe, this.access);
  }

  async payoutItems(payoutId: string): Promise<readonly PayoutItem[] | undefined> {
    return await payoutItemsOf(this.stripe, this.access, payoutId);
  }

  dashboardUrl({ paymentId }: PaymentNames): string | undefined {
    if (this.isStandIn || paymentId === null) return undefined;
    return `https://dashboard.stripe.com/${this.isTest ? 'test/' : ''}payments/${paymentId}`;
  }

  /** Returns a payment with its charge. */
  private async intent(paymentId: string): Promise<Stripe.Response<Stripe.PaymentIntent>> {
    return await this.access.asked(
      RIGHTS.readPayments,
      this.stripe.paymentIntents.retrieve(paymentId, { expand: ['latest_charge'] }),
    );
  }

  /** Finds the payment of a donation. Searches the payments since the creation of the donation. */
  private async intentOf(donationId: string): Promise<Stripe.PaymentIntent | undefined> {
    const from = Math.floor(timeOfId(donationId).getTime() / 1000) - CLOCK_SKEW_SECONDS;
    const intents = this.stripe.paymentIntents.list({ created: { gte: from }, limit: 100 });
    return await this.access.asked(
      RIGHTS.readPayments,
      found(intents, ({ metadata }) => metadata.donationId === donationId),
    );
  }

  private async refundOf(paymentId: string, refundId: string): Promise<Stripe.Refund | undefined> {
    const refunds = this.stripe.refunds.list({ payment_intent: paymentId, limit: 100 });
    return await this.access.asked(
      RIGHTS.readRefunds,
      found(refunds, ({ metadata }) => metadata?.refundId === refundId),
    );
  }

  /**
   * Returns Stripe's fee for a payment; undefined if Stripe does not know the fee yet, or if the key has no
   * permission to read it.
   */
  private async feeOf({ latest_charge: charge }: Stripe.PaymentIntent): Promise<ProviderFee | undefined> {
    const movement = typeof charge === 'string' ? undefined : idOf(charge?.balance_transaction);
    if (movement === undefined) return undefined;
    const movements = await this.access.permitted(
      RIGHTS.readBalance,
      this.stripe.balanceTransactions.retrieve(movement),
    );
    return movements && feeOf([movements]);
  }

  private oneRefund(refund: Stripe.Refund): RefundFact {
    const [fact] = refundFact(refund);
    if (!fact) throw new ProviderUnavailableError(this.name);
    return fact;
  }
}

async function found<T>(list: AsyncIterable<T>, is: (one: T) => boolean): Promise<T | undefined> {
  for await (const one of list) if (is(one)) return one;
  return undefined;
}

/**
 * Returns a `fetch` that fails for an answer larger than `limit` bytes, and does not read the whole answer into
 * memory.
 */
const boundedFetch =
  (limit: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    let received = 0;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          received += chunk.byteLength;
          if (received > limit) controller.error(new Error(`The answer is larger than ${limit} bytes`));
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(bounded, response);
  };
