import { isId } from '../../../common/crypto/ids.js';
import {
  type DisputeFact,
  type PaidFact,
  type PaymentFact,
  type PaymentRef,
  type RefundFact,
  type RefundStatus,
  foreignEmail,
  foreignText,
} from '../provider-port.js';
import { fromPayPalMoney } from './paypal-amounts.js';
import { holdOf } from './paypal-holds.js';
import type { PayPalCapture, PayPalLink, PayPalOrder, PayPalRefund } from './paypal-objects.js';

/** Statuses of a capture that took the money, even if it was refunded later. */
const PAID: ReadonlySet<string> = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED']);
const DECLINED: ReadonlySet<string> = new Set(['DECLINED', 'FAILED']);
/** A capture that is declined at once does not change later than this. */
const AT_ONCE_MS = 60_000;
/** Statuses of an order that say nothing about money. For COMPLETED, the captures decide. */
const WITHOUT_MONEY: ReadonlySet<string> = new Set([
  'CREATED',
  'SAVED',
  'PAYER_ACTION_REQUIRED',
  'COMPLETED',
]);

const REFUND_STATUS: Readonly<Record<string, RefundStatus>> = {
  PENDING: 'pending',
  COMPLETED: 'succeeded',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
};

/** Reference to an event in an order, by id or slug; `namedEvent` reads it. */
export const eventReference = (ref: string): string => `event:${ref}`;

/**
 * Returns the facts of an order: one about the payment, and one per refund. An order without the donor's approval
 * gives no facts.
 */
export function orderFacts(order: PayPalOrder): PaymentFact[] {
  const ref = orderRef(order);
  const refunds = refundsOf(order).map((refund) => refundFact(refund, ref));
  const payment = paymentFact(order, ref);
  return payment ? [payment, ...refunds] : refunds;
}

/**
 * Returns the donation and event of an order. Its `custom_id` is our donation's id, or, from a checkout page,
 * `event:<id or slug>` or an event id. An id alone may be either, so both are returned. Our own orders also name the
 * event in `reference_id`.
 */
export function orderRef(order: PayPalOrder): PaymentRef {
  const [unit] = order.purchase_units;
  const customId = unit?.custom_id ?? capturesOf(order)[0]?.custom_id ?? '';
  return { paymentId: order.id, ...referenceOf(customId), ...namedEvent(unit?.reference_id ?? '') };
}

/**
 * Returns the payee of an order that pays another account: a merchant id, or null if PayPal names the payee in
 * another way. Undefined if it pays our account or names no payee.
 */
export function otherPayee(order: PayPalOrder, merchantId: string | undefined): string | null | undefined {
  if (merchantId === undefined) return undefined;
  const other = order.purchase_units.find(({ payee }) => payee && payee.merchant_id !== merchantId);
  return other && (other.payee?.merchant_id ?? null);
}

export function referenceOf(customId: string): Pick<PaymentRef, 'donationId' | 'eventRef'> {
  const text = customId.trim();
  if (isId(text)) return { donationId: text.toLowerCase(), eventRef: text.toLowerCase() };
  return namedEvent(text);
}

/** True if the text names a donation or event in our form. It does not check that they exist. */
export const namesOurs = (customId: string | null | undefined): boolean =>
  referenceOf(customId ?? '').eventRef !== undefined;

function namedEvent(text: string): Pick<PaymentRef, 'eventRef'> {
  const eventRef = /^event:\s*(\S{1,120})$/.exec(text)?.[1];
  return eventRef === undefined ? {} : { eventRef };
}

export function refundFact(refund: PayPalRefund, ref: PaymentRef): RefundFact {
  const refundId = refundIdOf(refund.custom_id);
  return {
    kind: 'refund',
    ...ref,
    providerRefundId: refund.id,
    ...(refundId !== undefined && { refundId }),
    ...fromPayPalMoney(refund.amount),
    ...refundState(refund.status),
  };
}

/** Returns the state of a refund. An unknown status is kept in PayPal's words. */
export function refundState(said: string): Pick<RefundFact, 'status' | 'unknownStatus'> {
  const status = REFUND_STATUS[said];
  return status === undefined ? { status: 'pending', unknownStatus: shownStatus(said) } : { status };
}

const shownStatus = (status: string): string => foreignText(status, { max: 100 }) ?? 'without a status';

/**
 * The `custom_id` of our refund. It has a prefix because refunds made in PayPal's dashboard inherit the capture's
 * `custom_id`. A colon is not allowed in it.
 */
export const refundCustomId = (refundId: string): string => `refund-${refundId}`;

/**
 * The `custom_id` of further parts of the same refund, from other captures. One refund row equals one refund at
 * PayPal.
 */
export const partCustomId = (refundId: string): string => `refund-${refundId}-part`;

export const isPaidCapture = ({ status }: PayPalCapture): boolean => PAID.has(status);

function refundIdOf(customId: string | undefined): string | undefined {
  const id = /^refund-(.+)$/.exec(customId ?? '')?.[1];
  return id !== undefined && isId(id) ? id.toLowerCase() : undefined;
}

export function capturesOf(order: PayPalOrder): PayPalCapture[] {
  return order.purchase_units.flatMap((unit) => unit.payments?.captures ?? []);
}

export function refundsOf(order: PayPalOrder): PayPalRefund[] {
  return order.purchase_units.flatMap((unit) => unit.payments?.refunds ?? []);
}

/** Facts of a capture that PayPal reversed without showing a refund: the rest of it is lost, as in a dispute. */
export function reversalFacts(capture: PayPalCapture, order: PayPalOrder): DisputeFact[] {
  const { amount, currency } = fromPayPalMoney(capture.amount);
  const returned = refundsOf(order)
    .map((refund) => refundFact(refund, { paymentId: order.id }))
    .filter(
      (refund) =>
        refund.currency === currency && (refund.status === 'succeeded' || refund.status === 'pending'),
    )
    .reduce((sum, refund) => sum + refund.amount, 0n);
  const left = amount - returned;
  if (left <= 0n) return [];
  const disputeId = `reversal:${capture.id}`;
  return [{ kind: 'dispute', ...orderRef(order), disputeId, amount: left, currency, status: 'lost' }];
}

/** Returns the order of a capture; undefined for captures of PayPal's older APIs. */
export function orderIdOf(capture: PayPalCapture): string | undefined {
  return capture.supplementary_data?.related_ids?.order_id ?? idInLink(capture.links, 'up', 'orders');
}

/** Returns the id at the end of a link such as `…/v2/payments/captures/2GG279541U471931P`. */
export function idInLink(
  links: readonly PayPalLink[] | undefined,
  rel: string,
  resource: 'orders' | 'captures' | 'refunds',
): string | undefined {
  const pattern = new RegExp(`/v2/(?:checkout|payments)/${resource}/([A-Za-z0-9]+)$`);
  for (const link of links ?? []) {
    const id = link.rel === rel ? pattern.exec(link.href)?.[1] : undefined;
    if (id !== undefined) return id;
  }
  return undefined;
}

function paymentFact(order: PayPalOrder, ref: PaymentRef): PaymentFact | undefined {
  const captures = capturesOf(order);
  const paid = captures.filter(isPaidCapture);
  const hold = holdOf(captures);
  const held = hold ? { hold } : {};
  if (paid.length > 0) return paidFact(order, paid, { ...ref, ...held });
  if (captures.some(({ status }) => status === 'PENDING')) return { kind: 'processing', ...ref, ...held };
  const declined = captures.find(({ status }) => DECLINED.has(status));
  if (declined)
    return {
      kind: 'failed',
      ...ref,
      reason: declined.status_details?.reason ?? declined.status,
      ...(wasPending(declined) && { wasUnderWay: true }),
    };
  const [unknown] = captures;
  if (unknown) return { kind: 'unknown', ...ref, status: shownStatus(unknown.status) };
  if (order.status === 'APPROVED') return { kind: 'approved', ...ref };
  if (order.status === 'VOIDED') return { kind: 'cancelled', ...ref };
  return WITHOUT_MONEY.has(order.status)
    ? undefined
    : { kind: 'unknown', ...ref, status: shownStatus(order.status) };
}

/** PayPal declines at once. A capture that was denied later was pending before, mostly for days. */
function wasPending({ create_time: made, update_time: changed }: PayPalCapture): boolean {
  return Date.parse(changed ?? '') - Date.parse(made ?? '') > AT_ONCE_MS;
}

/**
 * Usually there is one capture. An order from another page may have several purchase units, so their captures are
 * added.
 */
function paidFact(
  order: PayPalOrder,
  paid: readonly PayPalCapture[],
  ref: PaymentRef & Pick<PaidFact, 'hold'>,
): PaidFact | undefined {
  const [first] = paid;
  if (!first) return undefined;
  const { amount, currency } = fromPayPalMoney(first.amount);
  const others = paid.slice(1).map((capture) => fromPayPalMoney(capture.amount));
  const total = others
    .filter((other) => other.currency === currency)
    .reduce((sum, other) => sum + other.amount, amount);
  const donor = donorOf(order);
  const fee = feeOf(paid);
  return {
    kind: 'paid',
    ...ref,
    captureId: first.id,
    amount: total,
    currency,
    ...(others.length > 0 && { isGrowing: true }),
    paidAt: timeOf(first.create_time),
    ...(donor && { donor }),
    ...(fee && { fee }),
  };
}

/** PayPal's fee for all captures; undefined while one fee is missing. */
function feeOf(paid: readonly PayPalCapture[]): PaidFact['fee'] {
  const fees = paid.map(({ seller_receivable_breakdown: breakdown }) => breakdown?.paypal_fee);
  const [first] = fees.flatMap((fee) => (fee ? [fromPayPalMoney(fee)] : []));
  if (!first) return undefined;
  let amount = 0n;
  for (const sent of fees) {
    const fee = sent && fromPayPalMoney(sent);
    if (fee?.currency !== first.currency) return undefined;
    amount += fee.amount;
  }
  return { amount, currency: first.currency };
}

function donorOf({ payer }: PayPalOrder): PaidFact['donor'] {
  const name = foreignText([payer?.name?.given_name, payer?.name?.surname].filter(Boolean).join(' '), {
    max: 200,
  });
  const email = foreignEmail(payer?.email_address);
  if (name === undefined && email === undefined) return undefined;
  return { ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
}

function timeOf(text: string | undefined): Date {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? new Date() : new Date(time);
}
