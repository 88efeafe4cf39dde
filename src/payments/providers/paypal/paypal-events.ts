import * as z from 'zod';
import { InvalidInputError } from '../../../common/errors/domain-errors.js';
import type { WebhookEvent } from '../provider-port.js';
import { idInLink } from './paypal-facts.js';
import { eventSchema, type PayPalEvent } from './paypal-objects.js';

/**
 * Ids of the objects of a webhook event. Because the signature covers only a CRC32 of the body, this service uses
 * only these ids and the creation time.
 */
const pointerSchema = z.object({
  orderId: z.string().optional(),
  captureId: z.string().optional(),
  refundId: z.string().optional(),
  /** True if PayPal took the money back: after a chargeback, or after a complaint decided in favour of the donor. */
  reversal: z.boolean().optional(),
  disputeId: z.string().optional(),
});

export type PayPalPointer = z.infer<typeof pointerSchema>;

/** The used types of webhook events, and the kind of their `resource`. */
const KINDS: Readonly<Record<string, 'order' | 'capture' | 'refund' | 'dispute'>> = {
  'CHECKOUT.ORDER.APPROVED': 'order',
  'CHECKOUT.ORDER.COMPLETED': 'order',
  'CHECKOUT.PAYMENT-APPROVAL.REVERSED': 'order',
  'PAYMENT.CAPTURE.COMPLETED': 'capture',
  'PAYMENT.CAPTURE.PENDING': 'capture',
  'PAYMENT.CAPTURE.DENIED': 'capture',
  'PAYMENT.CAPTURE.DECLINED': 'capture',
  'PAYMENT.CAPTURE.REFUNDED': 'refund',
  'PAYMENT.CAPTURE.REVERSED': 'refund',
  'PAYMENT.REFUND.COMPLETED': 'refund',
  'PAYMENT.REFUND.PENDING': 'refund',
  'PAYMENT.REFUND.FAILED': 'refund',
  'CUSTOMER.DISPUTE.CREATED': 'dispute',
  'CUSTOMER.DISPUTE.UPDATED': 'dispute',
  'CUSTOMER.DISPUTE.RESOLVED': 'dispute',
};

/**
 * Types that the webhook may omit. Reconciliation finds the facts without these events, and not every account can
 * subscribe to them.
 */
const OPTIONAL: ReadonlySet<string> = new Set([
  'CHECKOUT.PAYMENT-APPROVAL.REVERSED',
  'PAYMENT.CAPTURE.DECLINED',
  'PAYMENT.REFUND.COMPLETED',
  'PAYMENT.REFUND.PENDING',
  'PAYMENT.REFUND.FAILED',
]);

/** Types for which a webhook must be registered. */
export const REGISTERED_KINDS: readonly string[] = Object.keys(KINDS).filter((kind) => !OPTIONAL.has(kind));

export const isUsedKind = (kind: string): boolean => Object.hasOwn(KINDS, kind);

/**
 * Reads a webhook event with a valid signature.
 * @throws InvalidInputError WEBHOOK_BODY_INVALID if the body is not an event in JSON
 */
export function readEvent(body: Buffer): WebhookEvent {
  const event = eventSchema.safeParse(parseJson(body));
  if (!event.success) throw new InvalidInputError('WEBHOOK_BODY_INVALID', 'The body is not a webhook event');
  return toWebhookEvent(event.data);
}

export function toWebhookEvent(event: PayPalEvent): WebhookEvent {
  const createdAt = Date.parse(event.create_time ?? '');
  const isReversal = event.event_type === 'PAYMENT.CAPTURE.REVERSED';
  return {
    id: event.id,
    kind: event.event_type,
    content: pointerOf(event),
    ...(!Number.isNaN(createdAt) && { createdAt: new Date(createdAt) }),
    ...(isReversal && { isReversal }),
  };
}

/** Returns the pointer of a webhook event; undefined for unused types. */
export function readPointer(webhookEvent: WebhookEvent): PayPalPointer | undefined {
  return pointerSchema.safeParse(webhookEvent.content).data;
}

export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

function pointerOf({
  event_type: kind,
  resource_type: type,
  resource,
}: PayPalEvent): PayPalPointer | undefined {
  const subject = isUsedKind(kind) ? KINDS[kind] : undefined;
  if (!subject || !resource) return undefined;
  const { id, links } = resource;
  const reversal = kind === 'PAYMENT.CAPTURE.REVERSED' ? { reversal: true } : {};
  switch (subject) {
    case 'order':
      return { orderId: id ?? resource.order_id };
    case 'capture':
      return { captureId: id };
    case 'dispute':
      return { disputeId: resource.dispute_id ?? id };
    case 'refund':
      // The resource is usually the refund, but in some events it is the refunded capture.
      return type === 'capture' || idInLink(links, 'self', 'captures') !== undefined
        ? { captureId: id, ...reversal }
        : { refundId: id, captureId: idInLink(links, 'up', 'captures'), ...reversal };
  }
}
