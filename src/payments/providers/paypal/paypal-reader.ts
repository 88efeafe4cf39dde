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

/** The current objects at PayPal that a webhook event points to. */
export interface Found {
  readonly order: PayPalOrder;
  readonly capture?: PayPalCapture;
  readonly refund?: PayPalRefund;
}

/** Reads orders, captures and refunds; undefined if PayPal does not know the object or does not show it to us. */
export class PayPalReader {
  constructor(private readonly client: PayPalClient) {}

  async order(id: string): Promise<PayPalOrder | undefined> {
    return isPayPalId(id) ? await this.client.get(`/v2/checkout/orders/${id}`, orderSchema) : undefined;
  }

  async refund(id: string): Promise<PayPalRefund | undefined> {
    return isPayPalId(id) ? await this.client.get(`/v2/payments/refunds/${id}`, refundSchema) : undefined;
  }

  /**
   * Reads the order of a webhook event. Adds the capture and refund of the event to the order, even if the order that
   * PayPal returns is outdated, deleted or hidden from our key. Returns undefined for a capture of PayPal's older
   * APIs, because it has no order.
   * @throws PaymentUnreadableError if nothing can be read
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

/** Returns undefined for an object that is hidden from our key, as for a 404. */
async function shown<T>(asked: Promise<T | undefined>): Promise<T | undefined> {
  const found = await asked.catch(ifUnreadable);
  return found instanceof PaymentUnreadableError ? undefined : found;
}

/** Returns a `PaymentUnreadableError`, and throws every other error. A list may name objects that our key cannot read. */
export function ifUnreadable(error: unknown): PaymentUnreadableError {
  if (error instanceof PaymentUnreadableError) return error;
  throw error;
}

/**
 * True if the text has the form of an id. Check it before you use the text in a path, because ids come from links,
 * webhook events and callers.
 */
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
