import type { PayPalAccount } from '../account.js';
import { notFound } from '../errors.js';
import { captureOrder, createOrder } from '../orders.js';
import { createRefund } from '../refunds.js';
import { type Add, optionalText, readMoney, type WebhookSide } from './call.js';
import { addDisputeRoutes } from './dispute-routes.js';
import { addEventRoutes } from './event-routes.js';
import { readOrderRequest } from './order-request.js';
import { addBalanceRoutes } from './balance-routes.js';
import { addTransactionRoutes } from './transaction-routes.js';

export function addPayPalRoutes(account: PayPalAccount, webhooks: WebhookSide, add: Add): void {
  add('POST', '/v2/checkout/orders', 'orders.create', ({ body, full }) => {
    const order = createOrder(account, readOrderRequest(body));
    const show = full || order.withPaymentSource ? 'order' : 'order-minimal';
    // PayPal answers with 200 for an order with a payment source, and with 201 for other orders.
    return { status: order.withPaymentSource ? 200 : 201, again: 200, show, id: order.id };
  });

  add('GET', '/v2/checkout/orders/:id', 'orders.get', ({ params }) => {
    account.refuseHidden(params.id ?? '');
    const order = account.order(params.id ?? '');
    return { status: 200, show: 'order', id: order.id };
  });

  add('POST', '/v2/checkout/orders/:id/capture', 'orders.capture', ({ params, fault }) => {
    account.refuseHidden(params.id ?? '');
    const order = account.order(params.id ?? '');
    const outcome =
      fault?.kind === 'decline' ? 'decline' : fault?.kind === 'pending' ? 'pending' : order.onCapture;
    captureOrder(account, order, { outcome });
    return { status: 201, again: 200, show: 'order', id: order.id };
  });

  add('GET', '/v2/payments/captures/:id', 'captures.get', ({ params }) => {
    account.refuseHidden(params.id ?? '');
    const capture = account.captures.get(params.id ?? '');
    if (!capture) throw notFound();
    return { status: 200, show: 'capture', id: capture.id };
  });

  add('POST', '/v2/payments/captures/:id/refund', 'captures.refund', ({ params, body, fault, full }) => {
    account.refuseHidden(params.id ?? '');
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
    account.refuseHidden(params.id ?? '');
    const refund = account.refund(params.id ?? '');
    return { status: 200, show: 'refund', id: refund.id };
  });

  addEventRoutes(account, webhooks, add);
  addDisputeRoutes(account, add);
  addTransactionRoutes(account, add);
  addBalanceRoutes(account, add);
}
