import type { PayPalAccount } from './account.js';
import type { PayPalAnswer, PayPalCall } from './api.js';
import { invalid, notFound } from './errors.js';
import type { PayPalEvent } from './objects.js';
import { readOrderRequest } from './order-request.js';
import { captureOrder, createOrder } from './orders.js';
import { asObject, optionalText, readMoney, type Json } from './params.js';
import { createRefund } from './refunds.js';

type Add = (method: string, path: string, operation: string, run: (call: PayPalCall) => PayPalAnswer) => void;

/** What the routes need of the part that sends and signs webhooks. */
export interface WebhookSide {
  /** The PEM chain of a certificate that this sandbox signs with. */
  certificate(id: string): string | undefined;
  verify(request: Json): boolean;
  resend(eventId: string): void;
}

export function addPayPalRoutes(account: PayPalAccount, webhooks: WebhookSide, add: Add): void {
  add('POST', '/v2/checkout/orders', 'orders.create', ({ body, full }) => {
    const order = createOrder(account, readOrderRequest(body));
    const show = full || order.withPaymentSource ? 'order' : 'order-minimal';
    // With a payment source PayPal answers 200: the payer still has to act.
    return { status: order.withPaymentSource ? 200 : 201, again: 200, show, id: order.id };
  });

  add('GET', '/v2/checkout/orders/:id', 'orders.get', ({ params }) => {
    const order = account.order(params.id ?? '');
    return { status: 200, show: 'order', id: order.id };
  });

  add('POST', '/v2/checkout/orders/:id/capture', 'orders.capture', ({ params, fault }) => {
    const order = account.order(params.id ?? '');
    const outcome =
      fault?.kind === 'decline' ? 'decline' : fault?.kind === 'pending' ? 'pending' : order.onCapture;
    captureOrder(account, order, { outcome });
    return { status: 201, again: 200, show: 'order', id: order.id };
  });

  add('GET', '/v2/payments/captures/:id', 'captures.get', ({ params }) => {
    const capture = account.captures.get(params.id ?? '');
    if (!capture) throw notFound();
    return { status: 200, show: 'capture', id: capture.id };
  });

  add('POST', '/v2/payments/captures/:id/refund', 'captures.refund', ({ params, body, fault, full }) => {
    const capture = account.captures.get(params.id ?? '');
    if (!capture) throw notFound();
    const wanted = body.amount === undefined ? {} : readMoney(body.amount, '/amount');
    const refund = createRefund(account, capture, {
      ...wanted,
      customId: optionalText(body, 'custom_id', '/custom_id', 127),
      invoiceId: optionalText(body, 'invoice_id', '/invoice_id', 127),
      noteToPayer: optionalText(body, 'note_to_payer', '/note_to_payer', 255),
      status: fault?.kind === 'pending' ? 'PENDING' : fault?.kind === 'decline' ? 'FAILED' : 'COMPLETED',
    });
    return { status: 201, show: full ? 'refund' : 'refund-minimal', id: refund.id };
  });

  add('GET', '/v2/payments/refunds/:id', 'refunds.get', ({ params }) => {
    const refund = account.refund(params.id ?? '');
    return { status: 200, show: 'refund', id: refund.id };
  });

  addWebhookRoutes(account, webhooks, add);
}

function addWebhookRoutes(account: PayPalAccount, webhooks: WebhookSide, add: Add): void {
  add('POST', '/v1/notifications/verify-webhook-signature', 'webhooks.verify', ({ body }) => {
    for (const name of [
      'auth_algo',
      'cert_url',
      'transmission_id',
      'transmission_sig',
      'transmission_time',
      'webhook_id',
    ]) {
      if (optionalText(body, name, `/${name}`, 500) === undefined) {
        throw invalid('MISSING_REQUIRED_PARAMETER', 'A required parameter is missing.', `/${name}`);
      }
    }
    if (!asObject(body.webhook_event)) {
      throw invalid('MISSING_REQUIRED_PARAMETER', 'A required parameter is missing.', '/webhook_event');
    }
    const verified = webhooks.verify(body);
    return { status: 200, body: { verification_status: verified ? 'SUCCESS' : 'FAILURE' } };
  });

  add('GET', '/v1/notifications/webhooks-events', 'events.list', ({ query }) => {
    return { status: 200, body: eventPage(account, query) };
  });

  add('GET', '/v1/notifications/webhooks-events/:id', 'events.get', ({ params }) => {
    const event = found(account, params.id ?? '');
    return { status: 200, body: event };
  });

  add('POST', '/v1/notifications/webhooks-events/:id/resend', 'events.resend', ({ params }) => {
    const event = found(account, params.id ?? '');
    webhooks.resend(event.id);
    return { status: 202, body: event };
  });
}

function found(account: PayPalAccount, id: string): PayPalEvent {
  const event = account.events.get(id);
  if (!event) throw notFound();
  return event;
}

/** Newest first; pages are linked by `next`, whose address ends the period at the last event shown. */
function eventPage(account: PayPalAccount, query: URLSearchParams) {
  const size = Number(query.get('page_size') ?? '10');
  if (!Number.isInteger(size) || size < 1 || size > 300) {
    throw invalid('INVALID_PARAMETER_VALUE', 'A parameter value is not valid.', 'page_size');
  }
  const [start, end] = [bound(query, 'start_time', -Infinity), bound(query, 'end_time', Infinity)];
  const [type, transaction] = [query.get('event_type'), query.get('transaction_id')];
  const before = query.get('next_token');
  const all = [...account.events.values()].reverse();
  const from = before === null ? 0 : all.findIndex((event) => event.id === before) + 1;
  const matching = all.slice(from).filter((event) => {
    const time = Date.parse(event.create_time);
    return (
      time >= start &&
      time <= end &&
      (type === null || event.event_type === type) &&
      (transaction === null || event.resource.id === transaction)
    );
  });
  const events = matching.slice(0, size);
  const self = `${account.baseUrl}/v1/notifications/webhooks-events?`;
  const links = [{ href: self + query.toString(), rel: 'self', method: 'GET' }];
  const last = events.at(-1);
  if (last && matching.length > events.length) {
    const next = new URLSearchParams(query);
    next.set('next_token', last.id);
    links.push({ href: self + next.toString(), rel: 'next', method: 'GET' });
  }
  return { events, count: events.length, links };
}

function bound(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw invalid(
      'INVALID_PARAMETER_SYNTAX',
      'The value of a field does not conform to the expected format.',
      name,
    );
  return time;
}
