import type { PayPalAccount } from './account.js';
import type { Capture } from './objects.js';

/** Sums of one order, in minor units. */
export interface PayPalPayment {
  id: string;
  status: string;
  captureId: string | undefined;
  captureStatus: string | undefined;
  /** Upper case. */
  currency: string;
  customId: string | undefined;
  /** The requested amount, or the captured amount if it differs. */
  amount: number;
  paid: number;
  /** Completed refunds. */
  refunded: number;
  /** Pending refunds. */
  refundPending: number;
  /** Reversed by PayPal. */
  reversed: number;
  /** paid − refunded − reversed. */
  held: number;
}

export function paypalPayments(account: PayPalAccount): PayPalPayment[] {
  return [...account.orders.values()].map((order) => {
    const captures = account.capturesOf(order);
    const [capture] = captures;
    const refunds = captures.flatMap((each) => account.refundsOf(each));
    const paid = sum(captures.filter(isTaken));
    const completed = refunds.filter(({ status }) => status === 'COMPLETED');
    const refunded = sum(completed.filter(({ reversal }) => !reversal));
    const reversed = sum(completed.filter(({ reversal }) => reversal));
    return {
      id: order.id,
      status: order.status,
      captureId: order.captureId,
      captureStatus: capture?.status,
      currency: capture?.currency ?? order.currency,
      customId: order.customId,
      amount: captures.length > 0 ? sum(captures) : order.amount,
      paid,
      refunded,
      refundPending: sum(refunds.filter(({ status }) => status === 'PENDING')),
      reversed,
      held: paid - refunded - reversed,
    };
  });
}

function isTaken({ status }: Capture): boolean {
  return status !== 'PENDING' && status !== 'DECLINED';
}

function sum(rows: { amount: number }[]): number {
  return rows.reduce((total, row) => total + row.amount, 0);
}
