import type { Call } from '../../calls/http.js';
import { invalid, unprocessable } from '../errors.js';
import { isPayPalCurrency, paypalExponent, paypalMinorUnits } from '../money.js';
import type { ViewName } from '../views.js';

export type Json = Record<string, unknown>;

/** One call as passed to the routes. */
export interface PayPalCall {
  params: Record<string, string>;
  query: URLSearchParams;
  body: Json;
  fault: Call['fault'];
  /** False for `Prefer: return=minimal`, which is PayPal's default. */
  full: boolean;
}

/**
 * The answer of a route. `again` is the status for a repeated request id. With `show`, the object is read when the
 * answer is sent, so the answer to a repeated request contains the current state.
 */
export type PayPalAnswer = { status: number; again?: number } & (
  { show: ViewName; id: string } | { body: unknown }
);

export type Add = (
  method: string,
  path: string,
  operation: string,
  run: (call: PayPalCall) => PayPalAnswer,
) => void;

/** The webhook functions that the routes call. */
export interface WebhookSide {
  /** Returns the PEM chain of one of the certificates with which this sandbox signs. */
  certificate(id: string): string | undefined;
  verify(request: Json): boolean;
  resend(eventId: string): void;
  /** Returns the address and types of the webhook; undefined for another id. */
  webhook(id: string): { url: string; types: readonly string[]; isEnabled: boolean } | undefined;
}

export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** Parses the request's JSON. Like PayPal for a capture or refund, accepts an empty body as an empty object. */
export function parseBody(body: string): Json {
  if (body.trim() === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw invalid('MALFORMED_REQUEST_JSON', 'The request JSON is not well formed.', '/');
  }
  const object = asObject(parsed);
  if (!object) throw invalid('MALFORMED_REQUEST_JSON', 'The request JSON is not well formed.', '/');
  return object;
}

export function optionalText(
  holder: Json,
  name: string,
  pointer: string,
  maximum: number,
): string | undefined {
  const value = holder[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') {
    throw invalid(
      'INVALID_PARAMETER_SYNTAX',
      'The value of a field does not conform to the expected format.',
      pointer,
    );
  }
  if (value.length < 1 || value.length > maximum) {
    throw invalid(
      'INVALID_STRING_LENGTH',
      'The value of a field is either too short or too long',
      pointer,
      value,
    );
  }
  return value;
}

/** Converts `{ currency_code, value }` to minor units. Refuses the same values as PayPal, with PayPal's issue names. */
export function readMoney(value: unknown, pointer: string): { amount: number; currency: string } {
  const money = asObject(value);
  const missing = (field: string) =>
    invalid('MISSING_REQUIRED_PARAMETER', 'A required parameter is missing.', `${pointer}/${field}`);
  if (!money) throw invalid('MISSING_REQUIRED_PARAMETER', 'A required parameter is missing.', pointer);
  const currency = optionalText(money, 'currency_code', `${pointer}/currency_code`, 3);
  const text = optionalText(money, 'value', `${pointer}/value`, 32);
  if (currency === undefined) throw missing('currency_code');
  if (text === undefined) throw missing('value');
  if (!/^[A-Z]{3}$/.test(currency) || !isPayPalCurrency(currency)) {
    throw unprocessable(
      'INVALID_CURRENCY_CODE',
      'Currency code is invalid or is not currently supported. Please refer ' +
        'https://developer.paypal.com/api/rest/reference/currency-codes/ for list of supported currency codes.',
      `${pointer}/currency_code`,
    );
  }
  if (!/^-?(\d+|\d*\.\d+)$/.test(text)) {
    const description = 'The value of a field does not conform to the expected format.';
    throw invalid('INVALID_PARAMETER_SYNTAX', description, `${pointer}/value`, text);
  }
  checkValue(text, currency, `${pointer}/value`);
  return { amount: paypalMinorUnits(text, currency), currency };
}

function checkValue(text: string, currency: string, pointer: string): void {
  const decimals = text.split('.')[1]?.length ?? 0;
  const allowed = paypalExponent(currency);
  if (decimals > allowed) {
    throw unprocessable(
      'DECIMAL_PRECISION',
      'If the currency supports decimals, only two decimal place precision is supported.',
      pointer,
    );
  }
  if (Number(text) <= 0) {
    throw unprocessable(
      'CANNOT_BE_ZERO_OR_NEGATIVE',
      'Must be greater than zero. If the currency supports decimals, only two decimal place precision is supported.',
      pointer,
    );
  }
  if (Number(text) > 9_999_999.99) {
    // The sandbox's limit is lower than the documented maximum, because an amount in cents must be an exact number.
    // Real accounts have much lower limits.
    throw unprocessable('MAX_VALUE_EXCEEDED', 'Should be less than or equal to 999999999999999.99.', pointer);
  }
}
