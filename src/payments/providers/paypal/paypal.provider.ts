import { isLoopback } from '../../../config/rules.js';
import type { IncomingHttpHeaders } from 'node:http';
import type { KeyRights } from '../key-rights.js';
import { payPalBalance } from './paypal-balance.js';
import type { PayPalConfig } from './paypal-environment.js';
import type {
  CreatedPayment,
  WebhookEvent,
  PaidMethod,
  PaymentFact,
  PaymentNames,
  PaymentProvider,
  PaymentRef,
  PaymentRequest,
  RefundFact,
  RefundRequest,
  WebhookObstacle,
  WalkedFacts,
  ProviderBalance,
} from '../provider-port.js';
import { ProviderRefusedError, ProviderUnavailableError } from '../provider-errors.js';
import { assertPayPalTakes, PAYPAL_CURRENCIES, payPalStep, toPayPalMoney } from './paypal-amounts.js';
import { PayPalClient } from './paypal-client.js';
import {
  capturesOf,
  eventReference,
  methodOf,
  orderFacts,
  orderRef,
  otherPayee,
  refundFact,
} from './paypal-facts.js';
import { PayPalDisputes } from './paypal-disputes.js';
import { createdOrderSchema, orderSchema, type PayPalOrder } from './paypal-objects.js';
import { isPayPalId, PayPalReader } from './paypal-reader.js';
import { PayPalRefunds } from './paypal-refunds.js';
import { PayPalTransactions } from './paypal-transactions.js';
import { PayPalWebhooks } from './paypal-webhooks.js';

/** PayPal's codes for an order that is already paid or cancelled. Read the order to see the result. */
const SETTLED: ReadonlySet<string> = new Set([
  'ORDER_ALREADY_CAPTURED',
  'ORDER_ALREADY_COMPLETED',
  'ORDER_COMPLETED_OR_VOIDED',
]);

/** Codes for a declined payment. The donor may try another payment method with the same order. */
const DECLINED: ReadonlySet<string> = new Set([
  'INSTRUMENT_DECLINED',
  'TRANSACTION_REFUSED',
  'PAYER_CANNOT_PAY',
  'PAYER_ACCOUNT_RESTRICTED',
  'PAYER_ACCOUNT_LOCKED_OR_CLOSED',
  'TRANSACTION_BLOCKED_BY_PAYEE',
  'TRANSACTION_LIMIT_EXCEEDED',
  'MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED',
  'REDIRECT_PAYER_FOR_ALTERNATE_FUNDING',
  'COMPLIANCE_VIOLATION',
]);

const MONEY_MAY_MOVE: ReadonlySet<PaymentFact['kind']> = new Set(['paid', 'processing', 'unknown']);

const TEST_HOST = 'api-m.sandbox.paypal.com';
const DASHBOARDS: Readonly<Record<string, string>> = {
  'api-m.paypal.com': 'www.paypal.com',
  [TEST_HOST]: 'www.sandbox.paypal.com',
};

/** Maximum length of PayPal's `description` and `brand_name`. */
const MAX_TEXT = 127;

/**
 * Donations through PayPal (Orders v2, intent CAPTURE). `paymentId` is the id of the order; `captureId` is the id of
 * the capture.
 */
export class PayPalProvider implements PaymentProvider {
  readonly name = 'paypal';
  readonly type = 'wallet';
  readonly currencies = PAYPAL_CURRENCIES;
  /** PayPal lists the webhook events of one month. */
  readonly eventsKeptDays = 30;
  readonly eventsListedWithinMs = 30 * 60 * 1000;
  readonly isTest: boolean;
  readonly rights: KeyRights;
  private readonly reader: PayPalReader;
  private readonly refunds: PayPalRefunds;
  private readonly disputes: PayPalDisputes;
  private readonly transactions: PayPalTransactions;
  private readonly webhooks: PayPalWebhooks;

  /** @param publicUrl address of this service for donors, without a trailing slash */
  constructor(
    private readonly config: PayPalConfig,
    private readonly publicUrl: string,
    private readonly client = new PayPalClient(config),
  ) {
    this.rights = client.rights;
    this.isTest = config.apiUrl.hostname === TEST_HOST || isLoopback(config.apiUrl);
    this.reader = new PayPalReader(client);
    this.refunds = new PayPalRefunds(client, this.reader);
    this.disputes = new PayPalDisputes(client, this.reader, config.merchantId);
    this.webhooks = new PayPalWebhooks(config, client, this.reader, this.disputes);
    this.transactions = new PayPalTransactions(client, this.reader, config.merchantId);
  }

  assertTakes(amount: bigint, currency: string): void {
    assertPayPalTakes(amount, currency);
  }

  stepOf(currency: string): number {
    return Number(payPalStep(currency));
  }

  bodyOf({ donationId, eventId, eventName, amount, currency, returnTo }: PaymentRequest): string {
    return JSON.stringify({
      intent: 'CAPTURE',
      purchase_units: [
        {
          custom_id: donationId,
          // Refers to the event, in case the donation is missing in our database, for example after a restored
          // backup.
          reference_id: eventReference(eventId),
          description: cut(`Donation: ${eventName}`),
          amount: toPayPalMoney(amount, currency),
        },
      ],
      payment_source: {
        paypal: {
          experience_context: {
            brand_name: cut(eventName),
            shipping_preference: 'NO_SHIPPING',
            user_action: 'PAY_NOW',
            return_url: returnTo?.approved ?? this.returnUrl,
            cancel_url: returnTo?.cancelled ?? `${this.publicUrl}/donations/wallet/cancelled`,
          },
        },
      },
    });
  }

  async createPayment(request: PaymentRequest): Promise<CreatedPayment> {
    const body = request.body ?? this.bodyOf(request);
    const order = await this.created(body, `intent:${request.donationId}`);
    const approval = order.links?.find(({ rel }) => rel === 'payer-action' || rel === 'approve')?.href;
    // An order that is already approved has no approval link. So send the donor to the page to which PayPal would
    // return the donor.
    const approveUrl = approval ?? request.returnTo?.approved ?? `${this.returnUrl}?token=${order.id}`;
    return { paymentId: order.id, checkout: { orderId: order.id, approveUrl } };
  }

  /**
   * Returns no facts for an order that pays another account, or that PayPal does not know any more. PayPal deletes
   * unpaid orders.
   */
  async readPayment(paymentId: string): Promise<PaymentFact[]> {
    const order = await this.reader.order(paymentId);
    return order ? this.factsOfOrder(order) : [];
  }

  async readMethod(paymentId: string): Promise<PaidMethod | undefined> {
    const order = await this.reader.order(paymentId);
    return order && methodOf(order);
  }

  /**
   * PayPal cannot cancel an order, but no money moves without our capture. An order with an unknown status is not
   * cancelled here, because it may be captured.
   */
  async cancelPayment(paymentId: string): Promise<PaymentFact[]> {
    const order = await this.reader.order(paymentId);
    const facts = order ? this.factsOfOrder(order) : [];
    if (facts.some(({ kind }) => MONEY_MAY_MOVE.has(kind))) return facts;
    return [{ kind: 'cancelled', ...(order ? orderRef(order) : { paymentId }) }];
  }

  /** @throws ProviderRefusedError `ORDER_NOT_APPROVED` until the donor approves the order */
  async capturePayment(paymentId: string, refusals = 0): Promise<PaymentFact[]> {
    if (!isPayPalId(paymentId)) throw new ProviderRefusedError('RESOURCE_NOT_FOUND');
    const path = `/v2/checkout/orders/${paymentId}/capture`;
    try {
      // PayPal captures an order only once, with any key. So a new key after a refusal is safe.
      const key = `capture:${paymentId}:${String(refusals)}`;
      const order = await this.client.post(path, '{}', orderSchema, key);
      return capturesOf(order).length > 0 ? this.factsOfOrder(order) : await this.readPayment(paymentId);
    } catch (error) {
      if (!(error instanceof ProviderRefusedError)) throw error;
      const { reason } = error;
      if (DECLINED.has(reason)) return [{ kind: 'failed', paymentId, reason }];
      if (reason === 'ORDER_EXPIRED') return [{ kind: 'cancelled', paymentId }];
      const facts = SETTLED.has(reason) ? await this.readPayment(paymentId) : [];
      if (facts.length === 0) throw error;
      return facts;
    }
  }

  async refundPayment(request: RefundRequest): Promise<RefundFact> {
    return await this.refunds.refund(request);
  }

  async readRefund(providerRefundId: string, payment: PaymentRef): Promise<RefundFact> {
    const refund = await this.reader.refund(providerRefundId);
    if (!refund) throw new ProviderRefusedError('RESOURCE_NOT_FOUND');
    return refundFact(refund, payment);
  }

  async readWebhook(body: Buffer, headers: IncomingHttpHeaders): Promise<WebhookEvent> {
    return await this.webhooks.read(body, headers);
  }

  async factsOf(
    webhookEvent: WebhookEvent,
    hindered?: (obstacle: WebhookObstacle) => void,
  ): Promise<PaymentFact[]> {
    return await this.webhooks.factsOf(webhookEvent, hindered);
  }

  events(from: Date, until?: Date): AsyncIterable<WebhookEvent> {
    return this.webhooks.listed(from, until);
  }

  async event(id: string): Promise<WebhookEvent | undefined> {
    return await this.webhooks.one(id);
  }

  async unsubscribed(): Promise<readonly string[] | undefined> {
    return await this.webhooks.unsubscribed();
  }

  async *walk(since: Date): AsyncIterable<WalkedFacts> {
    const payment = yield* this.transactions.walk(since);
    const disputed = yield* this.disputes.walk(since);
    // PayPal did not show some of our payments. Throw the error at the end, so that it does not stop the walk.
    const hidden = payment ?? disputed;
    if (hidden) throw hidden;
  }

  /** Returns the address of a payment in PayPal's dashboard. The address contains the capture id. */
  dashboardUrl({ captureId }: PaymentNames): string | undefined {
    const host = DASHBOARDS[this.config.apiUrl.hostname];
    return host === undefined || captureId === null
      ? undefined
      : `https://${host}/activity/payment/${captureId}`;
  }

  private get returnUrl(): string {
    return `${this.publicUrl}/donations/wallet/return`;
  }

  async balance(): Promise<ProviderBalance[] | undefined> {
    return await payPalBalance(this.client);
  }

  private async created(body: string, key: string) {
    try {
      return await this.client.post('/v2/checkout/orders', body, createdOrderSchema, key);
    } catch (error) {
      // An order with this key but another body exists. A refusal would cancel the donation although the donor may
      // pay this order, so report PayPal as unavailable.
      if (error instanceof ProviderRefusedError && error.reason === 'DUPLICATE_REQUEST_ID')
        throw new ProviderUnavailableError('PayPal', { cause: error });
      throw error;
    }
  }

  private factsOfOrder(order: PayPalOrder): PaymentFact[] {
    return otherPayee(order, this.config.merchantId) === undefined ? orderFacts(order) : [];
  }
}

/** Cuts text to the limit, which PayPal counts in UTF-16 units. It never splits a character. */
function cut(text: string): string {
  let end = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (end + segment.length > MAX_TEXT) break;
    end += segment.length;
  }
  return end > 0 ? text.slice(0, end) : text.slice(0, MAX_TEXT).toWellFormed();
}
