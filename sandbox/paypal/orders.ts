import { payerId, paypalId } from '../common/ids.js';
import type { PayPalAccount } from './account.js';
import { unprocessable } from './errors.js';
import { paymentFee, paypalValue } from './money.js';
import type { Capture, Order, PendingReason } from './objects.js';
import { captureView, orderView } from './views.js';

export interface NewOrder {
  /** Minor units. */
  amount: number;
  /** Upper case. */
  currency: string;
  customId?: string | undefined;
  invoiceId?: string | undefined;
  unit?: Record<string, unknown>;
  returnUrl?: string | undefined;
  cancelUrl?: string | undefined;
  withPaymentSource?: boolean;
  merchantId?: string | undefined;
}

export function createOrder(account: PayPalAccount, wanted: NewOrder): Order {
  const now = account.clock.timestamp();
  const order: Order = {
    id: paypalId(),
    status: wanted.withPaymentSource === true ? 'PAYER_ACTION_REQUIRED' : 'CREATED',
    currency: wanted.currency,
    amount: wanted.amount,
    unit: wanted.unit ?? { reference_id: 'default', ...(wanted.customId && { custom_id: wanted.customId }) },
    customId: wanted.customId,
    invoiceId: wanted.invoiceId,
    returnUrl: wanted.returnUrl,
    cancelUrl: wanted.cancelUrl,
    withPaymentSource: wanted.withPaymentSource === true,
    captureId: undefined,
    merchantId: wanted.merchantId,
    payerId: undefined,
    onCapture: 'complete',
    created: now,
    updated: now,
  };
  account.orders.set(order.id, order);
  return order;
}

/**
 * The donor approves on PayPal's page, with PayPal or another `source` such as `ideal`. A second approval changes nothing, unless a capture was declined after the
 * first approval.
 */
export function approveOrder(account: PayPalAccount, order: Order, source?: string): Order {
  if (order.status === 'APPROVED' && order.declined !== true) return order;
  if (order.status === 'COMPLETED' || order.status === 'VOIDED') {
    throw unprocessable('ORDER_ALREADY_COMPLETED', `The order is ${order.status}.`);
  }
  order.status = 'APPROVED';
  order.source = source;
  order.declined = false;
  order.payerId = payerId();
  order.updated = account.clock.timestamp();
  account.emit(
    'CHECKOUT.ORDER.APPROVED',
    'checkout-order',
    'An order has been approved by buyer',
    orderView(account, order),
  );
  return order;
}

export interface CaptureOptions {
  outcome?: Order['onCapture'];
  /** An amount that differs from the order, to test if the service notices the difference. */
  amount?: number | undefined;
  currency?: string | undefined;
  /** False: the order stays open for more captures. */
  final?: boolean;
}

/** Captures an approved order. */
export function captureOrder(account: PayPalAccount, order: Order, options: CaptureOptions = {}): Capture {
  if (order.status === 'COMPLETED') {
    const description = "Order already captured.If 'intent=CAPTURE' only one capture per order is allowed.";
    throw unprocessable('ORDER_ALREADY_CAPTURED', description);
  }
  if (order.status !== 'APPROVED') {
    throw unprocessable(
      'ORDER_NOT_APPROVED',
      "Payer has not yet approved the Order for payment. Please redirect the payer to the 'rel':'approve' url " +
        'returned as part of the HATEOAS links within the Create Order call or provide a valid `payment_source` ' +
        'in the request.',
    );
  }
  const outcome = options.outcome ?? order.onCapture;
  if (outcome === 'decline') {
    order.declined = true;
    throw unprocessable(
      'INSTRUMENT_DECLINED',
      "The instrument presented  was either declined by the processor or bank, or it can't be used for this payment.",
    );
  }
  const capture = addCapture(account, order, { ...options, outcome });
  if (options.final === false) return capture;
  order.status = 'COMPLETED';
  order.updated = capture.created;
  account.emit(
    'CHECKOUT.ORDER.COMPLETED',
    'checkout-order',
    'Checkout Order Completed',
    orderView(account, order),
  );
  return capture;
}

/**
 * Adds a capture to an order. An order may have several captures, because some checkout pages capture a payment in
 * parts.
 */
export function addCapture(account: PayPalAccount, order: Order, options: CaptureOptions = {}): Capture {
  const now = account.clock.timestamp();
  const currency = options.currency ?? order.currency;
  const amount = options.amount ?? order.amount;
  const pending = options.outcome === 'pending';
  const capture: Capture = {
    id: paypalId(),
    orderId: order.id,
    status: pending ? 'PENDING' : 'COMPLETED',
    reason: pending ? (order.pendingReason ?? 'PENDING_REVIEW') : undefined,
    currency,
    amount,
    fee: paymentFee(account.fees, amount, currency),
    final: options.final !== false,
    customId: order.customId,
    invoiceId: order.invoiceId,
    created: now,
    updated: now,
  };
  account.captures.set(capture.id, capture);
  order.captureId ??= capture.id;
  order.updated = now;
  announceCapture(account, capture);
  return capture;
}

/** Changes the reason of a pending capture. PayPal sends no event for this change. */
export function holdCapture(account: PayPalAccount, capture: Capture, reason: PendingReason): Capture {
  if (capture.status !== 'PENDING') {
    throw unprocessable('CAPTURE_NOT_PENDING', `The capture is ${capture.status}, not PENDING.`);
  }
  capture.reason = reason;
  capture.updated = account.clock.timestamp();
  return capture;
}

export function completeCapture(account: PayPalAccount, capture: Capture): Capture {
  return settle(account, capture, 'COMPLETED');
}

export function denyCapture(account: PayPalAccount, capture: Capture): Capture {
  return settle(account, capture, 'DECLINED');
}

function settle(account: PayPalAccount, capture: Capture, status: 'COMPLETED' | 'DECLINED'): Capture {
  if (capture.status !== 'PENDING') {
    throw unprocessable('CAPTURE_NOT_PENDING', `The capture is ${capture.status}, not PENDING.`);
  }
  capture.status = status;
  capture.reason = undefined;
  capture.updated = account.clock.timestamp();
  announceCapture(account, capture);
  return capture;
}

function announceCapture(account: PayPalAccount, capture: Capture): void {
  const sum = `$ ${paypalValue(capture.amount, capture.currency)} ${capture.currency}`;
  const [type, summary] =
    capture.status === 'PENDING'
      ? ['PAYMENT.CAPTURE.PENDING', `Payment pending for ${sum}`]
      : capture.status === 'DECLINED'
        ? ['PAYMENT.CAPTURE.DENIED', `Payment denied for ${sum}`]
        : ['PAYMENT.CAPTURE.COMPLETED', `Payment completed for ${sum}`];
  account.emit(type, 'capture', summary, captureView(account, capture));
}

/** Voids an order, so that it cannot be approved or captured. If the order was approved, PayPal sends an event. */
export function voidOrder(account: PayPalAccount, order: Order): Order {
  if (order.status === 'COMPLETED') {
    throw unprocessable('ORDER_ALREADY_COMPLETED', 'The order is COMPLETED.');
  }
  const approved = order.status === 'APPROVED';
  order.status = 'VOIDED';
  order.updated = account.clock.timestamp();
  if (approved) {
    const { purchase_units, payment_source } = orderView(account, order);
    const summary = 'A payment has been reversed after approval.';
    const resource = { order_id: order.id, purchase_units, payment_source };
    account.emit('CHECKOUT.PAYMENT-APPROVAL.REVERSED', 'checkout-order', summary, resource);
  }
  return order;
}
