import type { IncomingHttpHeaders } from 'node:http';
import type { PayPalConfig } from './paypal-environment.js';
import type {
  CreatedPayment,
  WebhookEvent,
  PaidFact,
  PaymentFact,
  PaymentProvider,
  PaymentRef,
  PaymentRequest,
  RefundFact,
  RefundRequest,
} from '../payment-provider.js';
import { ProviderRefusedError } from '../provider-errors.js';
import { assertPayPalTakes, fromPayPalMoney, toPayPalMoney } from './paypal-amounts.js';
import { PayPalClient } from './paypal-client.js';
import {
  capturesOf,
  orderFacts,
  orderRef,
  refundCustomId,
  refundFact,
  refundStatus,
} from './paypal-facts.js';
import { createdOrderSchema, orderSchema, refundReceiptSchema } from './paypal-objects.js';
import { isPayPalId, PayPalReader } from './paypal-reader.js';
import { PayPalWebhooks } from './paypal-webhooks.js';

/** PayPal's codes for "this order is settled already"; the order itself says how. */
const SETTLED: ReadonlySet<string> = new Set([
  'ORDER_ALREADY_CAPTURED',
  'ORDER_ALREADY_COMPLETED',
  'ORDER_COMPLETED_OR_VOIDED',
]);

/** The donor's bank or PayPal said no to the payment; the donor may try another way with the same order. */
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

/** A refund that went through earlier and was forgotten under its key makes these; so does a true excess. */
const NOTHING_LEFT: ReadonlySet<string> = new Set(['CAPTURE_FULLY_REFUNDED', 'REFUND_AMOUNT_EXCEEDED']);

/** Of PayPal's `description` and `brand_name`. */
const MAX_TEXT = 127;

/**
 * Donations by PayPal (Orders v2, intent CAPTURE). A payment's id is always the order's; its `captureId` is the
 * capture's.
 */
export class PayPalProvider implements PaymentProvider {
  readonly name = 'paypal';
  readonly type = 'wallet';
  private readonly reader: PayPalReader;
  private readonly webhooks: PayPalWebhooks;

  /** @param publicUrl where donors reach this service, without a trailing slash */
  constructor(
    config: PayPalConfig,
    private readonly publicUrl: string,
    private readonly client = new PayPalClient(config),
  ) {
    this.reader = new PayPalReader(client);
    this.webhooks = new PayPalWebhooks(config, client, this.reader);
  }

  assertTakes(amount: bigint, currency: string): void {
    assertPayPalTakes(amount, currency);
  }

  async createPayment(request: PaymentRequest): Promise<CreatedPayment> {
    const returnUrl = `${this.publicUrl}/donations/wallet/return`;
    const { donationId, eventName } = request;
    const body = {
      intent: 'CAPTURE',
      purchase_units: [
        {
          custom_id: donationId,
          description: cut(`Donation: ${eventName}`),
          amount: toPayPalMoney(request.amount, request.currency),
        },
      ],
      payment_source: {
        paypal: {
          experience_context: {
            brand_name: cut(eventName),
            shipping_preference: 'NO_SHIPPING',
            user_action: 'PAY_NOW',
            return_url: request.returnTo?.approved ?? returnUrl,
            cancel_url: request.returnTo?.cancelled ?? `${this.publicUrl}/donations/wallet/cancelled`,
          },
        },
      },
    };
    const key = `intent:${donationId}`;
    const order = await this.client.post(
      '/v2/checkout/orders',
      JSON.stringify(body),
      createdOrderSchema,
      key,
    );
    const approval = order.links?.find(({ rel }) => rel === 'payer-action' || rel === 'approve')?.href;
    // An order asked for again after its approval has no such link; what remains is what PayPal's page does next.
    const approveUrl = approval ?? request.returnTo?.approved ?? `${returnUrl}?token=${order.id}`;
    return { paymentId: order.id, checkout: { orderId: order.id, approveUrl } };
  }

  /** Nothing for an order that PayPal no longer knows: it forgets those that nobody paid. */
  async readPayment(paymentId: string): Promise<PaymentFact[]> {
    const order = await this.reader.order(paymentId);
    return order ? orderFacts(order) : [];
  }

  /** An order cannot be cancelled, but without a capture of ours no money of it moves. */
  async cancelPayment(paymentId: string): Promise<PaymentFact[]> {
    const order = await this.reader.order(paymentId);
    const facts = order ? orderFacts(order) : [];
    if (facts.some(({ kind }) => kind === 'paid' || kind === 'processing')) return facts;
    return [{ kind: 'cancelled', ...(order ? orderRef(order) : { paymentId }) }];
  }

  /** @throws ProviderRefusedError `ORDER_NOT_APPROVED` while the donor has not agreed */
  async capturePayment(paymentId: string): Promise<PaymentFact[]> {
    if (!isPayPalId(paymentId)) throw new ProviderRefusedError('RESOURCE_NOT_FOUND');
    const path = `/v2/checkout/orders/${paymentId}/capture`;
    try {
      const order = await this.client.post(path, '{}', orderSchema, `capture:${paymentId}`);
      return capturesOf(order).length > 0 ? orderFacts(order) : await this.readPayment(paymentId);
    } catch (error) {
      if (!(error instanceof ProviderRefusedError)) throw error;
      if (DECLINED.has(error.reason)) return [{ kind: 'failed', paymentId, reason: error.reason }];
      if (error.reason === 'ORDER_EXPIRED') return [{ kind: 'cancelled', paymentId }];
      const facts = SETTLED.has(error.reason) ? await this.readPayment(paymentId) : [];
      if (facts.length === 0) throw error;
      return facts;
    }
  }

  async refundPayment(request: RefundRequest): Promise<RefundFact> {
    const { paymentId, refundId } = request;
    const captureId = request.captureId ?? (await this.capturedIn(paymentId));
    if (captureId === undefined || !isPayPalId(captureId)) throw new ProviderRefusedError('NOTHING_CAPTURED');
    const path = `/v2/payments/captures/${captureId}/refund`;
    const body = {
      amount: toPayPalMoney(request.amount, request.currency),
      custom_id: refundCustomId(refundId),
    };
    try {
      const receipt = await this.client.post(
        path,
        JSON.stringify(body),
        refundReceiptSchema,
        `refund:${refundId}`,
      );
      const { amount, currency } = receipt.amount ? fromPayPalMoney(receipt.amount) : request;
      const status = refundStatus(receipt.status);
      return { kind: 'refund', paymentId, providerRefundId: receipt.id, refundId, amount, currency, status };
    } catch (error) {
      if (!(error instanceof ProviderRefusedError && NOTHING_LEFT.has(error.reason))) throw error;
      // PayPal keeps keys for 45 days; a refund whose answer was lost is found by our id.
      const earlier = (await this.readPayment(paymentId)).find(
        (fact): fact is RefundFact => fact.kind === 'refund' && fact.refundId === refundId,
      );
      if (!earlier) throw error;
      return earlier;
    }
  }

  async readRefund(providerRefundId: string, payment: PaymentRef): Promise<RefundFact> {
    const refund = await this.reader.refund(providerRefundId);
    if (!refund) throw new ProviderRefusedError('RESOURCE_NOT_FOUND');
    return refundFact(refund, payment);
  }

  async readWebhook(body: Buffer, headers: IncomingHttpHeaders): Promise<WebhookEvent> {
    return await this.webhooks.read(body, headers);
  }

  async factsOf(webhookEvent: WebhookEvent): Promise<PaymentFact[]> {
    return await this.webhooks.factsOf(webhookEvent);
  }

  undelivered(since: Date): AsyncIterable<WebhookEvent> {
    return this.webhooks.listed(since);
  }

  private async capturedIn(orderId: string): Promise<string | undefined> {
    const paid = (await this.readPayment(orderId)).find((fact): fact is PaidFact => fact.kind === 'paid');
    return paid?.captureId;
  }
}

const cut = (text: string) => [...text].slice(0, MAX_TEXT).join('');
