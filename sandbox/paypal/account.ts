import { Clock, DAY_MS } from '../common/clock.js';
import { paypalEventId } from '../common/ids.js';
import { notFound, PayPalError, PERMISSION_DENIED } from './errors.js';
import { FEES, type Fees } from './money.js';
import type { Capture, Dispute, Order, PayPalEvent, Refund } from './objects.js';

/** The charity's account. It is the default payee of an order. */
export const MERCHANT_ID = 'SANDBXCHARTY2';

/** All objects of one PayPal merchant account. */
export class PayPalAccount {
  readonly orders = new Map<string, Order>();
  readonly captures = new Map<string, Capture>();
  readonly refunds = new Map<string, Refund>();
  readonly events = new Map<string, PayPalEvent>();
  readonly disputes = new Map<string, Dispute>();
  /** Objects that are hidden from API calls. The value is the status of the answer. */
  readonly hidden = new Map<string, 403 | 404>();
  fees: Fees = { ...FEES };
  /** PayPal shows webhook events for 30 days. */
  eventRetentionDays = 30;
  /** Delay before a payment appears in the transaction search; up to three hours at PayPal. */
  searchLagMs = 0;
  /** The sandbox's own address, for links. Empty until the server listens. */
  baseUrl = '';

  constructor(
    private readonly publish: (event: PayPalEvent) => void,
    readonly clock: Clock = new Clock(),
  ) {}

  snapshot() {
    return {
      orders: [...this.orders.values()],
      captures: [...this.captures.values()],
      refunds: [...this.refunds.values()],
      events: [...this.events.values()],
      disputes: [...this.disputes.values()],
    };
  }

  restore(saved: ReturnType<PayPalAccount['snapshot']>): void {
    for (const order of saved.orders) this.orders.set(order.id, order);
    for (const capture of saved.captures) this.captures.set(capture.id, capture);
    for (const refund of saved.refunds) this.refunds.set(refund.id, refund);
    for (const event of saved.events) this.events.set(event.id, event);
    // Files of an earlier version do not contain this list.
    for (const dispute of (saved as Partial<typeof saved>).disputes ?? [])
      this.disputes.set(dispute.id, dispute);
  }

  order(id: string): Order {
    const order = this.orders.get(id);
    if (!order) throw notFound();
    return order;
  }

  /** Finds a capture by its own id or its order's id. */
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

  dispute(id: string): Dispute {
    const dispute = this.disputes.get(id);
    if (!dispute) throw notFound();
    return dispute;
  }

  /** Returns the captures of an order. Usually there is one; there are several if a page captures in parts. */
  capturesOf(order: Order): Capture[] {
    return [...this.captures.values()].filter((capture) => capture.orderId === order.id);
  }

  /** Throws an error if the object is hidden from API calls. */
  refuseHidden(id: string): void {
    const status = this.hidden.get(id);
    if (status === 404) throw notFound();
    if (status === 403) throw new PayPalError(403, 'NOT_AUTHORIZED', [PERMISSION_DENIED]);
  }

  /** Returns the events that can still be listed, newest first. */
  keptEvents(): PayPalEvent[] {
    const since = this.clock.now() - this.eventRetentionDays * DAY_MS;
    return [...this.events.values()]
      .reverse()
      .filter((event) => Date.parse(event.create_time) >= since)
      .sort((one, other) => Date.parse(other.create_time) - Date.parse(one.create_time));
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
      create_time: new Date(this.clock.now()).toISOString(),
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
