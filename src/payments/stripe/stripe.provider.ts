import type { IncomingHttpHeaders } from 'node:http';
import Stripe from 'stripe';
import { newId } from '../../common/ids.js';
import { InvalidInputError } from '../../common/errors/domain-errors.js';
import type { StripeConfig } from '../../config/app-config.js';
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
import { disputeFact, failedFact, idOf, intentFacts, refundFact, USED_EVENTS } from './stripe-facts.js';

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Seconds a signature stays good; Stripe's own default. */
const TOLERANCE = 300;

/** Cards by Stripe. Its library and its types stop in this folder. */
export class StripeProvider implements PaymentProvider {
  readonly name = 'stripe';
  readonly type = 'card';
  private readonly stripe: Stripe;

  /** @param timeoutMs for one answer, its body included */
  constructor(
    private readonly config: StripeConfig,
    timeoutMs: number,
  ) {
    const { apiUrl } = config;
    this.stripe = new Stripe(config.secretKey, {
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
  }

  assertTakes(amount: bigint, currency: string): void {
    toStripeAmount(amount, currency);
  }

  async createPayment(request: PaymentRequest): Promise<CreatedPayment> {
    const intent = await asked(
      this.stripe.paymentIntents.create(
        {
          amount: toStripeAmount(request.amount, request.currency),
          currency: request.currency,
          automatic_payment_methods: { enabled: true },
          // Nothing that may change between two tries: the same key must ask the same.
          description: 'Donation',
          metadata: { donationId: request.donationId, eventId: request.eventId },
        },
        { idempotencyKey: `intent:${request.donationId}` },
      ),
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
    const signature = headers['cardprocessor-signature'] ?? headers['stripe-signature'];
    if (typeof signature !== 'string')
      throw new InvalidInputError('WEBHOOK_SIGNATURE_MISSING', 'The signature header is missing');
    const event = this.verified(body, signature);
    if (!isEvent(event))
      throw new InvalidInputError('WEBHOOK_BODY_INVALID', 'The signed body is not an event');
    return await Promise.resolve({ id: event.id, kind: event.type, content: event });
  }

  async factsOf({ content }: WebhookEvent): Promise<PaymentFact[]> {
    const event = content as Stripe.Event;
    // An event of a connected account is not about our money.
    if (event.account) return [];
    switch (event.type) {
      case 'payment_intent.succeeded':
      case 'payment_intent.processing':
      case 'payment_intent.canceled':
        return intentFacts(event.data.object, new Date(event.created * 1000));
      case 'payment_intent.payment_failed':
        return [failedFact(event.data.object)];
      case 'charge.refunded':
        return await this.refundsOf(event.data.object);
      case 'refund.created':
      case 'refund.updated':
      case 'refund.failed':
        return refundFact(event.data.object);
      case 'charge.dispute.created':
      case 'charge.dispute.closed':
      case 'charge.dispute.funds_withdrawn':
      case 'charge.dispute.funds_reinstated':
        return disputeFact(event.data.object);
      default:
        return [];
    }
  }

  async *undelivered(since: Date): AsyncIterable<WebhookEvent> {
    const events = this.stripe.events.list({
      delivery_success: false,
      created: { gte: Math.floor(since.getTime() / 1000) },
      types: [...USED_EVENTS],
      limit: 100,
    });
    try {
      for await (const event of events) yield { id: event.id, kind: event.type, content: event };
    } catch (error) {
      throw translated(error);
    }
  }

  /** A charge tells only the sum of its refunds: ask for each. */
  private async refundsOf(charge: Stripe.Charge): Promise<PaymentFact[]> {
    const paymentId = idOf(charge.payment_intent);
    if (!paymentId) return [];
    const refunds = await asked(this.stripe.refunds.list({ payment_intent: paymentId, limit: 100 }));
    return refunds.data.flatMap(refundFact);
  }

  private oneRefund(refund: Stripe.Refund): RefundFact {
    const [fact] = refundFact(refund);
    if (!fact) throw new ProviderUnavailableError(this.name);
    return fact;
  }

  /** The event, when one of the secrets signed these bytes within the last five minutes. */
  private verified(body: Buffer, signature: string): unknown {
    for (const secret of this.config.webhookSecrets) {
      try {
        return this.stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE);
      } catch (error) {
        if (error instanceof SyntaxError)
          throw new InvalidInputError('WEBHOOK_BODY_INVALID', 'The signed body is not JSON');
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      }
    }
    throw new InvalidInputError(
      'WEBHOOK_SIGNATURE_INVALID',
      'The signature does not match the body, or is too old',
    );
  }
}

/** Whether signed JSON is an event at all; its object is of the kind that its type names. */
function isEvent(content: unknown): content is Stripe.Event {
  if (typeof content !== 'object' || content === null) return false;
  const { id, type } = content as { id?: unknown; type?: unknown };
  return typeof id === 'string' && typeof type === 'string';
}

async function asked<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    throw translated(error);
  }
}

/** A definite "no" of Stripe, or "no usable answer". */
function translated(error: unknown): Error {
  const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
  const refused = error instanceof StripeCardError || error instanceof StripeInvalidRequestError;
  // 409: a request with the same key is under way.
  if (refused && error.statusCode !== 409) return new ProviderRefusedError(error.code ?? error.type);
  return new ProviderUnavailableError('stripe', { cause: error });
}
