import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { InvalidInputError } from '../../../src/common/errors/domain-errors.js';
import type {
  CreatedPayment,
  PaymentFact,
  PaymentProvider,
  PaymentRef,
  PaymentRequest,
  RefundFact,
  RefundRequest,
  WebhookEvent,
} from '../../../src/payments/providers/provider-port.js';
import {
  ProviderRefusedError,
  ProviderUnavailableError,
} from '../../../src/payments/providers/provider-errors.js';
import type { BankPayment, BankRefund } from './bank.js';

export interface BankConfig {
  readonly url: URL;
  readonly key: string;
  readonly webhookSecret: string;
}

/** A third provider, as small as the interface allows: donors pay in euro on the page of their bank. */
export class BankProvider implements PaymentProvider {
  readonly name = 'bank';
  readonly type = 'wallet';

  constructor(
    private readonly config: BankConfig,
    private readonly timeoutMs: number,
  ) {}

  assertTakes(_amount: bigint, currency: string): void {
    if (currency !== 'eur') throw new InvalidInputError('AMOUNT_NOT_PAYABLE', 'banks take euro only');
  }

  async createPayment({ donationId, amount, currency }: PaymentRequest): Promise<CreatedPayment> {
    const asked = { reference: donationId, amount: Number(amount), currency };
    const { id } = await this.call<BankPayment>('POST', '/payments', asked);
    const approveUrl = new URL(`/pay/${id}`, this.config.url).href;
    return { paymentId: id, checkout: { orderId: id, approveUrl } };
  }

  async readPayment(paymentId: string): Promise<PaymentFact[]> {
    return factsOfPayment(await this.call<BankPayment>('GET', `/payments/${paymentId}`));
  }

  async cancelPayment(paymentId: string): Promise<PaymentFact[]> {
    return factsOfPayment(await this.call<BankPayment>('POST', `/payments/${paymentId}/cancel`, {}));
  }

  async refundPayment({ paymentId, refundId, amount }: RefundRequest): Promise<RefundFact> {
    const asked = { reference: refundId, amount: Number(amount) };
    const refund = await this.call<BankRefund>('POST', `/payments/${paymentId}/refunds`, asked);
    return refundFact(refund, { paymentId });
  }

  async readRefund(providerRefundId: string, payment: PaymentRef): Promise<RefundFact> {
    return refundFact(await this.call<BankRefund>('GET', `/refunds/${providerRefundId}`), payment);
  }

  async readWebhook(body: Buffer, headers: IncomingHttpHeaders): Promise<WebhookEvent> {
    const sent = Buffer.from(String(headers['bank-signature'] ?? ''), 'hex');
    const right = createHmac('sha256', this.config.webhookSecret).update(body).digest();
    if (sent.length !== right.length || !timingSafeEqual(sent, right))
      throw new InvalidInputError('WEBHOOK_SIGNATURE_INVALID', 'The signature does not match the body');
    return await Promise.resolve(toWebhookEvent(JSON.parse(body.toString('utf8'))));
  }

  async factsOf({ content }: WebhookEvent): Promise<PaymentFact[]> {
    return await this.readPayment(String(content));
  }

  async event(id: string): Promise<WebhookEvent | undefined> {
    for await (const event of this.events()) if (event.id === id) return event;
    return undefined;
  }

  async *events(): AsyncIterable<WebhookEvent> {
    const { events } = await this.call<{ events: unknown[] }>('GET', '/events');
    for (const event of events) yield toWebhookEvent(event);
  }

  private async call<Body>(method: 'GET' | 'POST', path: string, body?: object): Promise<Body> {
    const response = await this.fetch(method, path, body);
    const answer = (await response.json()) as Body & { reason?: string };
    if (response.status >= 400) throw new ProviderRefusedError(answer.reason ?? 'refused');
    return answer;
  }

  private async fetch(method: 'GET' | 'POST', path: string, body?: object): Promise<Response> {
    try {
      return await fetch(new URL(path, this.config.url), {
        method,
        headers: { authorization: `Bearer ${this.config.key}` },
        signal: AbortSignal.timeout(this.timeoutMs),
        ...(body && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw new ProviderUnavailableError(this.name, { cause: error });
    }
  }
}

function toWebhookEvent(event: unknown): WebhookEvent {
  const { id, kind, payment } = event as { id: string; kind: string; payment: string };
  return { id, kind, content: payment };
}

function factsOfPayment({ id, reference, amount, currency, status, refunds }: BankPayment): PaymentFact[] {
  const ref = { paymentId: id, donationId: reference };
  if (status === 'open') return [];
  if (status === 'cancelled') return [{ kind: 'cancelled', ...ref }];
  const paid = { kind: 'paid' as const, ...ref, amount: BigInt(amount), currency, paidAt: new Date() };
  return [paid, ...refunds.map((refund) => refundFact(refund, ref))];
}

const refundFact = ({ id, reference, amount }: BankRefund, ref: PaymentRef): RefundFact => ({
  kind: 'refund',
  ...ref,
  providerRefundId: id,
  refundId: reference,
  amount: BigInt(amount),
  currency: 'eur',
  status: 'succeeded',
});
