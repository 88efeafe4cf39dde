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

/** A capture whose money was taken, whatever was given back later. */
const PAID: ReadonlySet<string> = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED']);
const DECLINED: ReadonlySet<string> = new Set(['DECLINED', 'FAILED']);
/** A capture that is declined at once is not changed after that. */
const AT_ONCE_MS = 60_000;
/** Statuses of an order that say nothing about money; of a COMPLETED one its captures do. */
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

/** How an order names an event, by its id or slug; `namedEvent` reads it. */
export const eventReference = (ref: string): string => `event:${ref}`;

/**
 * What an order says: one fact about the payment, one for each refund. An order that nobody has approved yet
 * says nothing.
 */
export function orderFacts(order: PayPalOrder): PaymentFact[] {
  const ref = orderRef(order);
  const refunds = refundsOf(order).map((refund) => refundFact(refund, ref));
  const payment = paymentFact(order, ref);
  return payment ? [payment, ...refunds] : refunds;
}

/**
 * Whose the order is, by its `custom_id`: our donation's id, or `event:<id or slug>` or a bare event id where
 * a checkout page made the order. A bare id may be either, so both readings are given. Orders of ours also name the
 * event, in their `reference_id`.
 */
export function orderRef(order: PayPalOrder): PaymentRef {
  const [unit] = order.purchase_units;
  const customId = unit?.custom_id ?? capturesOf(order)[0]?.custom_id ?? '';
  return { paymentId: order.id, ...referenceOf(customId), ...namedEvent(unit?.reference_id ?? '') };
}

/**
 * Whom an order pays instead of this account: a merchant id, or null where PayPal names the payee otherwise.
 * Undefined when it pays nobody else, as far as it says.
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

/** Whether the free text of a payment names a donation or event as ours do; whether there is one is not known here. */
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

/** Where a refund stands; a status that is not known is kept as PayPal's word. */
export function refundState(said: string): Pick<RefundFact, 'status' | 'unknownStatus'> {
  const status = REFUND_STATUS[said];
  return status === undefined ? { status: 'pending', unknownStatus: shownStatus(said) } : { status };
}

const shownStatus = (status: string): string => foreignText(status, { max: 100 }) ?? 'without a status';

/**
 * The `custom_id` of a refund of ours. PayPal shows the capture's `custom_id` on refunds made at its dashboard,
 * hence the prefix; its pattern for refunds leaves no room for a colon.
 */
export const refundCustomId = (refundId: string): string => `refund-${refundId}`;

/** The `custom_id` of what the same refund takes from further captures: one row of ours is one refund of PayPal's. */
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

/**
 * A capture that PayPal took back without showing it as a refund: what is left of it is lost, as in a dispute.
 */
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

/** The order that a capture belongs to; undefined for captures of PayPal's older APIs. */
export function orderIdOf(capture: PayPalCapture): string | undefined {
  return capture.supplementary_data?.related_ids?.order_id ?? idInLink(capture.links, 'up', 'orders');
}

/** The id at the end of a link such as `…/v2/payments/captures/2GG279541U471931P`. */
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

/** PayPal says at once what it declines; what it denies later was pending, for days mostly. */
function wasPending({ create_time: made, update_time: changed }: PayPalCapture): boolean {
  return Date.parse(changed ?? '') - Date.parse(made ?? '') > AT_ONCE_MS;
}

/** One capture is the rule; an order of several purchase units that a page made is paid by their sum. */
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

/** What PayPal kept of all captures; unknown while one of them does not say. */
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
