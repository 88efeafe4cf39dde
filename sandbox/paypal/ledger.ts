import type { PayPalAccount } from './account.js';

/** What became of one order, in minor units. */
export interface PayPalPayment {
  id: string;
  status: string;
  captureId: string | undefined;
  captureStatus: string | undefined;
  /** Upper case. */
  currency: string;
  customId: string | undefined;
  /** What was asked for, or what was captured instead. */
  amount: number;
  paid: number;
  /** Completed refunds. */
  refunded: number;
  /** Refunds on their way. */
  refundPending: number;
  /** Taken back by PayPal. */
  reversed: number;
  /** paid − refunded − reversed. */
  held: number;
}

export function paypalPayments(account: PayPalAccount): PayPalPayment[] {
  return [...account.orders.values()].map((order) => {
    const capture = order.captureId === undefined ? undefined : account.captures.get(order.captureId);
    const refunds = capture ? account.refundsOf(capture) : [];
    const taken = capture !== undefined && capture.status !== 'PENDING' && capture.status !== 'DECLINED';
    const paid = taken ? capture.amount : 0;
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
      amount: capture?.amount ?? order.amount,
      paid,
      refunded,
      refundPending: sum(refunds.filter(({ status }) => status === 'PENDING')),
      reversed,
      held: paid - refunded - reversed,
    };
  });
}

function sum(rows: { amount: number }[]): number {
  return rows.reduce((total, row) => total + row.amount, 0);
}
