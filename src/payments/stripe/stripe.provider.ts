import type { IncomingHttpHeaders } from 'node:http';
import Stripe from 'stripe';
import { newId } from '../../common/ids.js';
import type { StripeConfig } from './stripe-environment.js';
import type {
  CreatedPayment,
  WebhookEvent,
  PaymentFact,
  PaymentProvider,
  PaymentRequest,
  RefundFact,
  RefundRequest,
} from '../payment-provider.js';
import { ProviderRefusedError, ProviderUnavailableError } from '../provider-errors.js';
import { boundedFetch } from './bounded-fetch.js';
import { toStripeAmount } from './stripe-amounts.js';
import { asked } from './stripe-errors.js';
import { disputeFact, intentFacts, refundFact } from './stripe-facts.js';
import { StripeWebhooks } from './stripe-webhooks.js';

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Cards by Stripe. Its library and its types stop in this folder. */
export class StripeProvider implements PaymentProvider {
  readonly name = 'stripe';
  readonly type = 'card';
  private readonly stripe: Stripe;
  private readonly webhooks: StripeWebhooks;

  /** @param timeoutMs for one answer, its body included */
  constructor({ apiUrl, secretKey, webhookSecrets }: StripeConfig, timeoutMs: number) {
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
    this.webhooks = new StripeWebhooks(this.stripe, webhookSecrets);
  }

  assertTakes(amount: bigint, currency: string): void {
    toStripeAmount(amount, currency);
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
    const intent = await asked(
      this.stripe.paymentIntents.create(params, { idempotencyKey: `intent:${request.donationId}` }),
    );
    if (!intent.client_secret) throw new ProviderUnavailableError(this.name);
    return { paymentId: intent.id, checkout: { clientSecret: intent.client_secret } };
  }

  async readPayment(paymentId: string): Promise<PaymentFact[]> {
    const intent = await asked(this.stripe.paymentIntents.retrieve(paymentId, { expand: ['latest_charge'] }));
    const charge = typeof intent.latest_charge === 'string' ? null : intent.latest_charge;
    const facts = intentFacts(intent, new Date((charge?.created ?? intent.created) * 1000));
    if (intent.status !== 'succeeded') return facts;
    const [refunds, disputes] = await Promise.all([
      asked(this.stripe.refunds.list({ payment_intent: paymentId, limit: 100 })),
      asked(this.stripe.disputes.list({ payment_intent: paymentId, limit: 100 })),
    ]);
    return [...facts, ...refunds.data.flatMap(refundFact), ...disputes.data.flatMap(disputeFact)];
  }

  async cancelPayment(paymentId: string): Promise<PaymentFact[]> {
    try {
      const intent = await asked(
        this.stripe.paymentIntents.cancel(paymentId, {}, { idempotencyKey: `cancel:${newId()}` }),
      );
      return intentFacts(intent, new Date());
    } catch (error) {
      // Paid, processing or cancelled already: what is true now decides.
      if (error instanceof ProviderRefusedError) return await this.readPayment(paymentId);
      throw error;
    }
  }

  async refundPayment({ refundId, paymentId, amount, currency }: RefundRequest): Promise<RefundFact> {
    const refund = await asked(
      this.stripe.refunds.create(
        { payment_intent: paymentId, amount: toStripeAmount(amount, currency), metadata: { refundId } },
        { idempotencyKey: `refund:${refundId}` },
      ),
    );
    return this.oneRefund(refund);
  }

  async readRefund(providerRefundId: string): Promise<RefundFact> {
    return this.oneRefund(await asked(this.stripe.refunds.retrieve(providerRefundId)));
  }

  async readWebhook(body: Buffer, headers: IncomingHttpHeaders): Promise<WebhookEvent> {
    return await Promise.resolve(this.webhooks.read(body, headers));
  }

  async factsOf(webhookEvent: WebhookEvent): Promise<PaymentFact[]> {
    return await this.webhooks.factsOf(webhookEvent);
  }

  undelivered(since: Date): AsyncIterable<WebhookEvent> {
    return this.webhooks.undelivered(since);
  }

  private oneRefund(refund: Stripe.Refund): RefundFact {
    const [fact] = refundFact(refund);
    if (!fact) throw new ProviderUnavailableError(this.name);
    return fact;
  }
}
