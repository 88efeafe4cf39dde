import { paypalEventId } from '../ids.js';
import { notFound } from './errors.js';
import type { Capture, Order, PayPalEvent, Refund } from './objects.js';

/** Everything one PayPal merchant account knows. */
export class PayPalAccount {
  readonly orders = new Map<string, Order>();
  readonly captures = new Map<string, Capture>();
  readonly refunds = new Map<string, Refund>();
  readonly events = new Map<string, PayPalEvent>();
  /** The sandbox's own address, for links; known once it listens. */
  baseUrl = '';

  constructor(private readonly publish: (event: PayPalEvent) => void) {}

  snapshot() {
    return {
      orders: [...this.orders.values()],
      captures: [...this.captures.values()],
      refunds: [...this.refunds.values()],
      events: [...this.events.values()],
    };
  }

  restore(saved: ReturnType<PayPalAccount['snapshot']>): void {
    for (const order of saved.orders) this.orders.set(order.id, order);
    for (const capture of saved.captures) this.captures.set(capture.id, capture);
    for (const refund of saved.refunds) this.refunds.set(refund.id, refund);
    for (const event of saved.events) this.events.set(event.id, event);
  }

  order(id: string): Order {
    const order = this.orders.get(id);
    if (!order) throw notFound();
    return order;
  }

  /** By its own id, or by the id of its order. */
  capture(captureOrOrder: string): Capture {
    const id = this.orders.get(captureOrOrder)?.captureId ?? captureOrOrder;
    const capture = this.captures.get(id);
    if (!capture) throw notFound();
    return capture;
  }

  refund(id: string): Refund {
    const refund = this.refunds.get(id);
    if (!refund) throw notFound();
    return refund;
  }

  refundsOf(capture: Capture): Refund[] {
    return [...this.refunds.values()].filter((refund) => refund.captureId === capture.id);
  }

  emit(type: string, resourceType: string, summary: string, resource: object): void {
    const id = paypalEventId();
    const self = `${this.baseUrl}/v1/notifications/webhooks-events/${id}`;
    const event: PayPalEvent = {
      id,
      event_version: '1.0',
      create_time: new Date().toISOString(),
      resource_type: resourceType,
      resource_version: '2.0',
      event_type: type,
      summary,
      resource: structuredClone(resource) as Record<string, unknown>,
      links: [
        { href: self, rel: 'self', method: 'GET' },
        { href: `${self}/resend`, rel: 'resend', method: 'POST' },
      ],
    };
    this.events.set(id, event);
    this.publish(event);
  }
}

/** `2026-11-21T13:20:46Z`: PayPal writes whole seconds. */
export function timestamp(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
