import type { RefundFact, RefundRequest } from '../provider-port.js';
import { ProviderRefusedError } from '../provider-errors.js';
import { fromPayPalMoney, toPayPalMoney } from './paypal-amounts.js';
import type { PayPalClient } from './paypal-client.js';
import {
  capturesOf,
  idInLink,
  isPaidCapture,
  partCustomId,
  refundCustomId,
  refundFact,
  refundsOf,
  refundState,
} from './paypal-facts.js';
import { type PayPalOrder, refundReceiptSchema } from './paypal-objects.js';
import { isPayPalId, type PayPalReader } from './paypal-reader.js';

/**
 * PayPal's codes for a refund above the remaining amount. They also occur in a repeat, if the first try succeeded and
 * PayPal has deleted its key.
 */
const NOTHING_LEFT: ReadonlySet<string> = new Set(['CAPTURE_FULLY_REFUNDED', 'REFUND_AMOUNT_EXCEEDED']);

/** The part of a refund that is taken from one capture. */
interface Part {
  readonly captureId: string;
  readonly amount: bigint;
}

/** Refunds. PayPal refunds each capture separately, and an order from another page may have several. */
export class PayPalRefunds {
  constructor(
    private readonly client: PayPalClient,
    private readonly reader: PayPalReader,
  ) {}

  async refund(request: RefundRequest): Promise<RefundFact> {
    const { paymentId, refundId, amount } = request;
    const captureId = request.captureId ?? (await this.firstCapture(paymentId));
    if (captureId === undefined || !isPayPalId(captureId)) throw new ProviderRefusedError('NOTHING_CAPTURED');
    try {
      return await this.send(request, { captureId, amount }, refundCustomId(refundId), `refund:${refundId}`);
    } catch (error) {
      if (!(error instanceof ProviderRefusedError && NOTHING_LEFT.has(error.reason))) throw error;
      const order = await this.reader.order(paymentId);
      if (!order) throw error;
      return this.earlier(request, order) ?? (await this.spread(request, order, error));
    }
  }

  /**
   * Finds an earlier refund with the refund id of this request. Its answer may be lost, and PayPal keeps
   * idempotency keys only for 45 days.
   */
  private earlier({ refundId }: RefundRequest, order: PayPalOrder): RefundFact | undefined {
    return refundsOf(order)
      .map((refund) => refundFact(refund, { paymentId: order.id }))
      .find((fact) => fact.refundId === refundId);
  }

  /**
   * Refunds the missing amount from several captures. The part with the refund's own id is sent last, because this
   * part marks the refund as complete.
   */
  private async spread(
    request: RefundRequest,
    order: PayPalOrder,
    refusal: ProviderRefusedError,
  ): Promise<RefundFact> {
    const { refundId } = request;
    const others = refundsOf(order)
      .filter((refund) => refund.custom_id === partCustomId(refundId))
      .map((refund) => refundFact(refund, { paymentId: order.id }))
      .filter(counts);
    const missing = request.amount - sum(others);
    const parts = shareOut(missing, leftOf(order, request.currency));
    const last = parts?.pop();
    if (!parts || !last) throw refusal;
    const send = (part: Part, customId: string) =>
      this.send(request, part, customId, `refund:${refundId}:${part.captureId}`);
    for (const part of parts) others.push(await send(part, partCustomId(refundId)));
    const fact = await send(last, refundCustomId(refundId));
    return others.length > 0 ? { ...fact, others } : fact;
  }

  private async send(
    { paymentId, refundId, currency }: RefundRequest,
    part: Part,
    customId: string,
    key: string,
  ): Promise<RefundFact> {
    const receipt = await this.client.post(
      `/v2/payments/captures/${part.captureId}/refund`,
      JSON.stringify({ amount: toPayPalMoney(part.amount, currency), custom_id: customId }),
      refundReceiptSchema,
      key,
    );
    return {
      kind: 'refund',
      paymentId,
      providerRefundId: receipt.id,
      ...(customId === refundCustomId(refundId) && { refundId }),
      ...(receipt.amount ? fromPayPalMoney(receipt.amount) : { amount: part.amount, currency }),
      ...refundState(receipt.status),
    };
  }

  private async firstCapture(orderId: string): Promise<string | undefined> {
    const order = await this.reader.order(orderId);
    return order && capturesOf(order).find(isPaidCapture)?.id;
  }
}

const counts = ({ status }: RefundFact): boolean => status === 'succeeded' || status === 'pending';

const sum = (parts: readonly { readonly amount: bigint }[]): bigint =>
  parts.reduce((total, { amount }) => total + amount, 0n);

/** Returns the amount left in each paid capture of a currency, oldest first. */
function leftOf(order: PayPalOrder, currency: string): Part[] {
  return capturesOf(order)
    .filter((capture) => isPaidCapture(capture) && fromPayPalMoney(capture.amount).currency === currency)
    .map((capture) => {
      const given = refundsOf(order)
        .filter(({ links }) => idInLink(links, 'up', 'captures') === capture.id)
        .map((refund) => refundFact(refund, { paymentId: order.id }))
        .filter(counts);
      return { captureId: capture.id, amount: fromPayPalMoney(capture.amount).amount - sum(given) };
    })
    .filter(({ amount }) => amount > 0n);
}

/**
 * Divides the amount of a refund among captures. Uses one capture if its rest is enough, otherwise several in order.
 * Returns undefined if all rests together are too small.
 */
function shareOut(amount: bigint, left: readonly Part[]): Part[] | undefined {
  const enough = left.find((part) => part.amount >= amount);
  if (enough) return [{ captureId: enough.captureId, amount }];
  const parts: Part[] = [];
  let missing = amount;
  for (const part of left) {
    const taken = part.amount < missing ? part.amount : missing;
    if (taken > 0n) parts.push({ captureId: part.captureId, amount: taken });
    missing -= taken;
  }
  return missing === 0n ? parts : undefined;
}
