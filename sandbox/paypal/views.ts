import { MERCHANT_ID, type PayPalAccount } from './account.js';
import { money } from './money.js';
import { type Capture, type Dispute, link, type Link, type Order, type Refund } from './objects.js';

const PAYER_NAME = { given_name: 'Dora', surname: 'Donor' };
/** Each payer id has its own e-mail address. */
const emailOf = (payerId: string | undefined): string =>
  `dora.donor.${(payerId ?? '').toLowerCase()}@example.com`;

const BANK = { name: 'Dora Donor', country_code: 'NL' };
/** Details of the payment sources that are not wallets. An unknown source gets no details. */
const SOURCES: Readonly<Record<string, object>> = {
  bancontact: { ...BANK, country_code: 'BE' },
  card: { name: 'Dora Donor', last_digits: '4242', brand: 'VISA', type: 'CREDIT' },
  ideal: BANK,
};

export function orderView(account: PayPalAccount, order: Order) {
  const self = `${account.baseUrl}/v2/checkout/orders/${order.id}`;
  const links = [link(self, 'self')];
  if (order.status === 'CREATED' || order.status === 'PAYER_ACTION_REQUIRED') {
    const rel = order.withPaymentSource ? 'payer-action' : 'approve';
    links.push(link(`${account.baseUrl}/checkoutnow?token=${order.id}`, rel));
  }
  if (order.status === 'CREATED' || order.status === 'APPROVED') {
    links.push(link(self, 'update', 'PATCH'), link(`${self}/capture`, 'capture', 'POST'));
  }
  const payer = {
    name: PAYER_NAME,
    email_address: emailOf(order.payerId),
    payer_id: order.payerId,
    address: { country_code: 'US' },
  };
  const wallet =
    order.payerId === undefined
      ? {}
      : {
          email_address: emailOf(order.payerId),
          account_id: order.payerId,
          account_status: 'VERIFIED',
          name: PAYER_NAME,
        };
  const source = order.source ?? 'paypal';
  const details = SOURCES[source] ?? (source === 'paypal' || source === 'venmo' ? wallet : {});
  return {
    id: order.id,
    intent: 'CAPTURE',
    status: order.status,
    ...((order.payerId !== undefined || order.withPaymentSource) && {
      payment_source: { [source]: details },
    }),
    purchase_units: [purchaseUnit(account, order)],
    ...(order.payerId !== undefined && { payer }),
    create_time: order.created,
    update_time: order.updated,
    links,
  };
}

function purchaseUnit(account: PayPalAccount, order: Order) {
  const captures = account.capturesOf(order);
  const refunds = captures.flatMap((capture) => account.refundsOf(capture));
  return {
    ...order.unit,
    amount: money(order.amount, order.currency),
    payee: payee(order.merchantId),
    ...(captures.length > 0 && {
      payments: {
        captures: captures.map((capture) => captureView(account, capture)),
        ...(refunds.length > 0 && { refunds: refunds.map((refund) => refundView(account, refund)) }),
      },
    }),
  };
}

function payee(merchantId = MERCHANT_ID) {
  const name = merchantId === MERCHANT_ID ? 'charity' : merchantId.toLowerCase();
  return { email_address: `${name}@example.com`, merchant_id: merchantId };
}

export function captureView(account: PayPalAccount, capture: Capture) {
  const self = `${account.baseUrl}/v2/payments/captures/${capture.id}`;
  const gross = money(capture.amount, capture.currency);
  const fee = capture.fee ?? 0;
  const settled = capture.status !== 'PENDING' && capture.status !== 'DECLINED';
  return {
    id: capture.id,
    status: capture.status,
    ...(capture.reason !== undefined && { status_details: { reason: capture.reason } }),
    amount: gross,
    final_capture: capture.final ?? true,
    seller_protection: {
      status: 'ELIGIBLE',
      dispute_categories: ['ITEM_NOT_RECEIVED', 'UNAUTHORIZED_TRANSACTION'],
    },
    ...(settled && {
      seller_receivable_breakdown: {
        gross_amount: gross,
        paypal_fee: money(fee, capture.currency),
        net_amount: money(capture.amount - fee, capture.currency),
      },
    }),
    ...(capture.customId !== undefined && { custom_id: capture.customId }),
    ...(capture.invoiceId !== undefined && { invoice_id: capture.invoiceId }),
    supplementary_data: { related_ids: { order_id: capture.orderId } },
    links: [
      link(self, 'self'),
      link(`${self}/refund`, 'refund', 'POST'),
      link(`${account.baseUrl}/v2/checkout/orders/${capture.orderId}`, 'up'),
    ],
    create_time: capture.created,
    update_time: capture.updated,
  };
}

export function refundView(account: PayPalAccount, refund: Refund) {
  const amount = money(refund.amount, refund.currency);
  const capture = account.capture(refund.captureId);
  const earlier = account
    .refundsOf(capture)
    .filter((other) => other.status !== 'FAILED')
    .reduce((sum, other) => sum + other.amount, 0);
  return {
    id: refund.id,
    status: refund.status,
    ...(refund.status !== 'COMPLETED' && { status_details: { reason: 'ECHECK' } }),
    amount,
    ...(refund.noteToPayer !== undefined && { note_to_payer: refund.noteToPayer }),
    ...(refund.customId !== undefined && { custom_id: refund.customId }),
    ...(refund.invoiceId !== undefined && { invoice_id: refund.invoiceId }),
    seller_payable_breakdown: {
      gross_amount: amount,
      paypal_fee: money(0, refund.currency),
      net_amount: amount,
      total_refunded_amount: money(earlier, refund.currency),
    },
    links: [
      link(`${account.baseUrl}/v2/payments/refunds/${refund.id}`, 'self'),
      link(`${account.baseUrl}/v2/payments/captures/${refund.captureId}`, 'up'),
    ],
    create_time: refund.created,
    update_time: refund.updated,
  };
}

/** A dispute as it appears in a list. */
export function disputeSummary(account: PayPalAccount, dispute: Dispute) {
  return {
    dispute_id: dispute.id,
    create_time: dispute.created,
    update_time: dispute.updated,
    reason: dispute.reason,
    status: dispute.status,
    dispute_state: stateOf(dispute),
    dispute_amount: money(dispute.amount, dispute.currency),
    dispute_life_cycle_stage: dispute.stage,
    dispute_channel: dispute.channel,
    ...(dispute.sellerResponseDue !== undefined && { seller_response_due_date: dispute.sellerResponseDue }),
    links: [link(`${account.baseUrl}/v1/customer/disputes/${dispute.id}`, 'self')],
  };
}

export function disputeView(account: PayPalAccount, dispute: Dispute) {
  const { dispute_state: _, ...summary } = disputeSummary(account, dispute);
  const capture = account.capture(dispute.captureId);
  return {
    ...summary,
    disputed_transactions: [
      {
        seller_transaction_id: capture.id,
        create_time: capture.created,
        transaction_status: capture.status,
        gross_amount: money(capture.amount, capture.currency),
        ...(capture.invoiceId !== undefined && { invoice_number: capture.invoiceId }),
        ...(capture.customId !== undefined && { custom: capture.customId }),
        buyer: { name: 'Dora Donor' },
        seller: { email: 'charity@example.com', merchant_id: MERCHANT_ID, name: 'Sandbox Charity' },
      },
    ],
    ...(dispute.outcome !== undefined && {
      dispute_outcome: {
        outcome_code: dispute.outcome,
        ...(dispute.refunded > 0 && { amount_refunded: money(dispute.refunded, dispute.currency) }),
      },
    }),
    ...(dispute.adjudications.length > 0 && {
      adjudications: dispute.adjudications.map(({ type, at, stage }) => ({
        type,
        adjudication_time: at,
        dispute_life_cycle_stage: stage,
      })),
    }),
    ...(dispute.movements.length > 0 && {
      money_movements: dispute.movements.map(({ amount, at, type, reason }) => ({
        affected_party: 'SELLER',
        amount: money(amount, dispute.currency),
        initiated_time: at,
        type,
        reason,
      })),
    }),
    extensions: { merchant_contacted: false },
  };
}

function stateOf({ status, stage }: Dispute): string {
  if (status === 'RESOLVED') return 'RESOLVED';
  if (status === 'UNDER_REVIEW') return 'UNDER_PAYPAL_REVIEW';
  if (status === 'WAITING_FOR_BUYER_RESPONSE') return 'REQUIRED_OTHER_PARTY_ACTION';
  return stage === 'INQUIRY' ? 'OPEN_INQUIRIES' : 'REQUIRED_ACTION';
}

export type ViewName = 'order' | 'order-minimal' | 'capture' | 'refund' | 'refund-minimal' | 'dispute';

export function showView(account: PayPalAccount, view: ViewName, id: string): unknown {
  switch (view) {
    case 'order':
      return orderView(account, account.order(id));
    case 'order-minimal':
      return minimal(orderView(account, account.order(id)));
    case 'capture':
      return captureView(account, account.capture(id));
    case 'refund':
      return refundView(account, account.refund(id));
    case 'dispute':
      return disputeView(account, account.dispute(id));
    case 'refund-minimal':
      return minimal(refundView(account, account.refund(id)));
  }
}

/** Returns the fields of an answer with `Prefer: return=minimal`. */
function minimal({ id, status, links }: { id: string; status: string; links: Link[] }) {
  return { id, status, links };
}
