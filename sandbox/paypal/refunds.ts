import { paypalId } from '../common/ids.js';
import type { PayPalAccount } from './account.js';
import { unprocessable } from './errors.js';
import { paypalValue } from './money.js';
import type { Capture, Refund, RefundStatus } from './objects.js';
import { refundView } from './views.js';

export interface NewRefund {
  /** In minor units. By default, the amount of the capture that was not refunded. */
  amount?: number | undefined;
  currency?: string | undefined;
  status?: RefundStatus;
  reversal?: boolean;
  customId?: string | undefined;
  invoiceId?: string | undefined;
  noteToPayer?: string | undefined;
}

export function refundable(account: PayPalAccount, capture: Capture): number {
  const given = account
    .refundsOf(capture)
    .filter((refund) => refund.status !== 'FAILED')
    .reduce((sum, refund) => sum + refund.amount, 0);
  return capture.amount - given;
}

export function createRefund(account: PayPalAccount, capture: Capture, wanted: NewRefund): Refund {
  if (capture.status === 'PENDING') {
    throw unprocessable('PENDING_CAPTURE', 'Cannot initiate a refund as the capture is pending.');
  }
  if (capture.status === 'DECLINED') {
    throw unprocessable('REFUND_NOT_ALLOWED', 'Capture cannot be refunded.');
  }
  const left = refundable(account, capture);
  if (left <= 0) {
    throw unprocessable('CAPTURE_FULLY_REFUNDED', 'The capture has already been fully refunded');
  }
  if (wanted.currency !== undefined && wanted.currency !== capture.currency) {
    const description = 'Refund must be in the same currency as the capture';
    throw unprocessable('REFUND_CAPTURE_CURRENCY_MISMATCH', description, '/amount/currency_code');
  }
  const amount = wanted.amount ?? left;
  if (amount > left) {
    const description =
      'The refund amount must be less than or equal to the capture amount that has not yet been refunded.';
    throw unprocessable('REFUND_AMOUNT_EXCEEDED', description, '/amount/value');
  }
  const now = account.clock.timestamp();
  const refund: Refund = {
    id: paypalId(),
    captureId: capture.id,
    status: wanted.status ?? 'COMPLETED',
    currency: capture.currency,
    amount,
    reversal: wanted.reversal === true,
    customId: wanted.customId,
    invoiceId: wanted.invoiceId,
    noteToPayer: wanted.noteToPayer,
    created: now,
    updated: now,
  };
  account.refunds.set(refund.id, refund);
  updateCapture(account, capture);
  if (refund.status === 'COMPLETED') announce(account, refund);
  return refund;
}

/** Completes a pending refund. */
export function settleRefund(account: PayPalAccount, refund: Refund): Refund {
  if (refund.status !== 'PENDING') throw notPending(refund);
  refund.status = 'COMPLETED';
  refund.updated = account.clock.timestamp();
  announce(account, refund);
  return refund;
}

/** Fails a refund. PayPal sends no webhook for this change, so a client must read the refund. */
export function failRefund(account: PayPalAccount, refund: Refund): Refund {
  if (refund.status === 'FAILED') throw notPending(refund);
  refund.status = 'FAILED';
  refund.updated = account.clock.timestamp();
  updateCapture(account, account.capture(refund.captureId));
  return refund;
}

function updateCapture(account: PayPalAccount, capture: Capture): void {
  const left = refundable(account, capture);
  capture.status = left === 0 ? 'REFUNDED' : left === capture.amount ? 'COMPLETED' : 'PARTIALLY_REFUNDED';
  capture.updated = account.clock.timestamp();
}

function announce(account: PayPalAccount, refund: Refund): void {
  const sum = `$ ${paypalValue(refund.amount, refund.currency)} ${refund.currency}`;
  const [type, done] = refund.reversal
    ? ['PAYMENT.CAPTURE.REVERSED', 'reversed']
    : ['PAYMENT.CAPTURE.REFUNDED', 'refunded'];
  account.emit(type, 'refund', `A ${sum} capture payment was ${done}`, refundView(account, refund));
}

function notPending(refund: Refund) {
  return unprocessable('REFUND_NOT_PENDING', `The refund is ${refund.status}.`);
}
