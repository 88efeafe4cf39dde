import { PaymentUnreadableError } from '../provider-errors.js';
import type { PayPalClient } from './paypal-client.js';
import type { PayPalPointer } from './paypal-events.js';
import { capturesOf, idInLink, orderIdOf, refundsOf } from './paypal-facts.js';
import {
  captureSchema,
  orderSchema,
  type PayPalCapture,
  type PayPalOrder,
  type PayPalRefund,
  refundSchema,
} from './paypal-objects.js';

/** What a webhook event is about, as PayPal has it now. */
export interface Found {
  readonly order: PayPalOrder;
  readonly capture?: PayPalCapture;
  readonly refund?: PayPalRefund;
}

/** Reads orders, captures and refunds; undefined for what PayPal does not know, or not as ours. */
export class PayPalReader {
  constructor(private readonly client: PayPalClient) {}

  async order(id: string): Promise<PayPalOrder | undefined> {
    return isPayPalId(id) ? await this.client.get(`/v2/checkout/orders/${id}`, orderSchema) : undefined;
  }

  async refund(id: string): Promise<PayPalRefund | undefined> {
    return isPayPalId(id) ? await this.client.get(`/v2/payments/refunds/${id}`, refundSchema) : undefined;
  }

  /**
   * The order that a webhook event is about. Capture and refund are in it even where PayPal's copy of the order lags
   * behind, is gone or is not shown to our keys: what can be read is enough to book. Undefined for a capture of
   * PayPal's older APIs, which has no order.
   * @throws PaymentUnreadableError where nothing of it can be read
   */
  async follow(pointer: PayPalPointer): Promise<Found | undefined> {
    if (pointer.orderId !== undefined) {
      const order = await this.order(pointer.orderId);
      if (!order) throw new PaymentUnreadableError('RESOURCE_NOT_FOUND');
      return { order };
    }
    const refund = pointer.refundId === undefined ? undefined : await shown(this.refund(pointer.refundId));
    const captureId = (refund && idInLink(refund.links, 'up', 'captures')) ?? pointer.captureId;
    if (captureId === undefined && pointer.refundId === undefined) return undefined;
    const capture = captureId === undefined ? undefined : await this.capture(captureId);
    if (!capture) throw new PaymentUnreadableError('RESOURCE_NOT_FOUND');
    const orderId = orderIdOf(capture);
    if (orderId === undefined) return undefined;
    return { order: completed(await shown(this.order(orderId)), orderId, capture, refund), capture, refund };
  }

  private async capture(id: string): Promise<PayPalCapture | undefined> {
    return isPayPalId(id) ? await this.client.get(`/v2/payments/captures/${id}`, captureSchema) : undefined;
  }
}

/** As a 404: what our keys may not see is not there for us. */
async function shown<T>(asked: Promise<T | undefined>): Promise<T | undefined> {
  const found = await asked.catch(ifUnreadable);
  return found instanceof PaymentUnreadableError ? undefined : found;
}

/** What PayPal does not show, as an answer: a list may name what is not ours to see. */
export function ifUnreadable(error: unknown): PaymentUnreadableError {
  if (error instanceof PaymentUnreadableError) return error;
  throw error;
}

/** Ids come from links, webhook events and callers; only what looks like one becomes part of a path. */
export const isPayPalId = (id: string): boolean => /^[A-Za-z0-9-]{1,64}$/.test(id);

function completed(
  order: PayPalOrder | undefined,
  orderId: string,
  capture: PayPalCapture,
  refund: PayPalRefund | undefined,
): PayPalOrder {
  const known = order ?? { id: orderId, status: 'COMPLETED', purchase_units: [] };
  const captures = capturesOf(known).some(({ id }) => id === capture.id) ? [] : [capture];
  const refunds = !refund || refundsOf(known).some(({ id }) => id === refund.id) ? [] : [refund];
  if (captures.length + refunds.length === 0) return known;
  const added = { custom_id: capture.custom_id, payments: { captures, refunds } };
  return { ...known, purchase_units: [...known.purchase_units, added] };
}
