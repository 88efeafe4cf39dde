import { invalid, unprocessable } from '../errors.js';
import type { NewOrder } from '../orders.js';
import { asObject, type Json, optionalText, readMoney } from './call.js';

/** Reads the body of `POST /v2/checkout/orders`. */
export function readOrderRequest(body: Json): NewOrder {
  if (body.intent === undefined) {
    throw invalid('MISSING_REQUIRED_PARAMETER', 'A required parameter is missing.', '/intent');
  }
  if (body.intent !== 'CAPTURE') {
    throw unprocessable(
      'UNSUPPORTED_INTENT',
      '`intent=AUTHORIZE` is not supported for multiple purchase units. Only `intent=CAPTURE` is supported.',
      '/intent',
    );
  }
  const units = body.purchase_units;
  if (!Array.isArray(units) || units.length === 0) {
    throw invalid('MISSING_REQUIRED_PARAMETER', 'A required parameter is missing.', '/purchase_units');
  }
  if (units.length > 1) {
    throw invalid(
      'INVALID_ARRAY_MAX_ITEMS',
      'The number of items in an array parameter is too large.',
      '/purchase_units',
    );
  }
  const pointer = '/purchase_units/0';
  const unit = asObject(units[0]) ?? {};
  const money = readMoney(unit.amount, `${pointer}/amount`);
  checkBreakdown(unit, money.amount);
  const context = experience(body);
  const { amount: _amount, items: _items, payee, ...kept } = unit;
  return {
    ...money,
    customId: optionalText(unit, 'custom_id', `${pointer}/custom_id`, 127),
    invoiceId: optionalText(unit, 'invoice_id', `${pointer}/invoice_id`, 127),
    unit: { reference_id: 'default', ...kept, ...described(unit) },
    returnUrl: url(context, 'return_url'),
    cancelUrl: url(context, 'cancel_url'),
    merchantId: optionalText(asObject(payee) ?? {}, 'merchant_id', `${pointer}/payee/merchant_id`, 13),
    withPaymentSource: asObject(asObject(body.payment_source)?.paypal) !== undefined,
  };
}

function described(unit: Json): Json {
  const description = optionalText(unit, 'description', '/purchase_units/0/description', 127);
  const descriptor = optionalText(unit, 'soft_descriptor', '/purchase_units/0/soft_descriptor', 22);
  return { ...(description && { description }), ...(descriptor && { soft_descriptor: descriptor }) };
}

/** Checks the breakdown of the amount. Its parts must have the sum `total`. An order with items needs a breakdown. */
function checkBreakdown(unit: Json, total: number): void {
  const breakdown = asObject(asObject(unit.amount)?.breakdown);
  if (!breakdown) {
    if (!Array.isArray(unit.items) || unit.items.length === 0) return;
    throw unprocessable(
      'ITEM_TOTAL_REQUIRED',
      'If item details are specified (items.unit_amount and items.quantity) corresponding amount.breakdown.item_total is required.',
      '/purchase_units/0/amount/breakdown/item_total',
    );
  }
  const pointer = '/purchase_units/0/amount/breakdown';
  const part = (name: string) =>
    breakdown[name] === undefined ? 0 : readMoney(breakdown[name], `${pointer}/${name}`).amount;
  const plus = ['item_total', 'tax_total', 'shipping', 'handling', 'insurance'].reduce(
    (sum, name) => sum + part(name),
    0,
  );
  if (plus - part('shipping_discount') - part('discount') !== total) {
    throw unprocessable(
      'AMOUNT_MISMATCH',
      'Should equal item_total + tax_total + shipping + handling + insurance - shipping_discount - discount.',
      '/purchase_units/0/amount/value',
    );
  }
}

/** Returns the donor's return addresses: from `payment_source.paypal`, or from the older `application_context`. */
function experience(body: Json): Json {
  const wallet = asObject(asObject(body.payment_source)?.paypal);
  return asObject(wallet?.experience_context) ?? asObject(body.application_context) ?? {};
}

function url(context: Json, name: string): string | undefined {
  const text = optionalText(context, name, `/payment_source/paypal/experience_context/${name}`, 4000);
  if (text === undefined) return undefined;
  if (!URL.canParse(text)) {
    const description = 'The value of a field does not conform to the expected format.';
    throw invalid('INVALID_PARAMETER_SYNTAX', description, name, text);
  }
  return text;
}
