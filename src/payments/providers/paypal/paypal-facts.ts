import { isId } from '../../../common/crypto/ids.js';
import {
  type DisputeFact,
  type PaidFact,
  type PaidMethod,
  type Payer,
  type PaymentFact,
  type PaymentRef,
  type RefundFact,
  type RefundStatus,
  foreignMethod,
  foreignPayer,
  foreignText,
} from '../provider-port.js';
import { fromPayPalMoney } from './paypal-amounts.js';
import { holdOf } from './paypal-holds.js';
import type { PayPalCapture, PayPalLink, PayPalOrder, PayPalRefund } from './paypal-objects.js';

/** Statuses of a paid capture, including a capture that was refunded later. */
const PAID: ReadonlySet<string> = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED']);
const DECLINED: ReadonlySet<string> = new Set(['DECLINED', 'FAILED']);
/**
 * If a capture changes later than this after its creation, it was pending before. PayPal declines other captures at
 * once.
 */
const AT_ONCE_MS = 60_000;
/** Statuses of an order that do not show if money has moved. For COMPLETED, the captures show it. */
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

/** Returns the text that refers to an event in an order. `ref` is an id or slug; `namedEvent` reads this text. */
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
 * `event:<id or slug>` or an event id. An id alone may be the id of a donation or of an event, so both are returned.
 * Our own orders also contain the event in `reference_id`.
 */
export function orderRef(order: PayPalOrder): PaymentRef {
  const [unit] = order.purchase_units;
  const customId = unit?.custom_id ?? capturesOf(order)[0]?.custom_id ?? '';
  return { paymentId: order.id, ...referenceOf(customId), ...namedEvent(unit?.reference_id ?? '') };
}

/**
 * Returns the payee of an order that pays another account: a merchant id, or null if the order has a payee without a
 * merchant id. Returns undefined if the order pays our account or has no payee.
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

/**
 * True if the text refers to a donation or event in our form. The function does not check if the donation or event
 * exists.
 */
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

/** Returns the state of a refund. For an unknown status, `unknownStatus` is PayPal's own text. */
export function refundState(said: string): Pick<RefundFact, 'status' | 'unknownStatus'> {
  const status = REFUND_STATUS[said];
  return status === undefined ? { status: 'pending', unknownStatus: shownStatus(said) } : { status };
}

const shownStatus = (status: string): string => foreignText(status, { max: 100 }) ?? 'without a status';

/**
 * The `custom_id` of our refund. The prefix is needed because refunds made in PayPal's dashboard inherit the
 * capture's `custom_id`. PayPal allows no colon here.
 */
export const refundCustomId = (refundId: string): string => `refund-${refundId}`;

/**
 * The `custom_id` of the other parts of a refund that is spread over several captures. Only one part has
 * `refundCustomId`, because one refund row belongs to one refund at PayPal.
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

/**
 * Returns the facts of a capture that PayPal reversed without showing a refund. The part that was not refunded is
 * lost, as in a lost dispute.
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
  if (captures.some(({ status }) => status === 'PENDING'))
    return { kind: 'processing', ...ref, ...held, ...(isCleared(captures) && { waitsFor: 'bank' }) };
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

/** True if the donor's bank clears a payment from the donor's account. */
const isCleared = (captures: readonly PayPalCapture[]): boolean =>
  captures.some(
    ({ status, status_details: details }) => status === 'PENDING' && details?.reason === 'ECHECK',
  );

/** True if the capture was pending before PayPal denied it. PayPal declines other captures at once. */
function wasPending({ create_time: made, update_time: changed }: PayPalCapture): boolean {
  return Date.parse(changed ?? '') - Date.parse(made ?? '') > AT_ONCE_MS;
}

/** Adds the captures of all purchase units. Our orders have one unit, but an order from another page may have several. */
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
  const method = methodOf(order);
  const payer = payerOf(order);
  const fee = feeOf(paid);
  return {
    kind: 'paid',
    ...ref,
    captureId: first.id,
    amount: total,
    currency,
    ...(others.length > 0 && { isGrowing: true }),
    paidAt: timeOf(first.create_time),
    ...(method && { method }),
    ...(payer && { payer }),
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

/** Payment sources that hold a card of the donor. */
const CARD_WALLETS: ReadonlySet<string> = new Set(['apple_pay', 'google_pay']);

/** Returns the source of the money; undefined for an order without a source, such as an old one. */
export function methodOf({ payment_source: sources }: PayPalOrder): PaidMethod | undefined {
  const [source] = Object.keys(sources ?? {});
  return source !== undefined && CARD_WALLETS.has(source)
    ? foreignMethod('card', source)
    : foreignMethod(source);
}

function payerOf({ payer }: PayPalOrder): Payer | undefined {
  const name = [payer?.name?.given_name, payer?.name?.surname].filter(Boolean).join(' ');
  return foreignPayer(name, payer?.email_address);
}

function timeOf(text: string | undefined): Date {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? new Date() : new Date(time);
}
