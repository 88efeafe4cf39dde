import type { Call } from '../../calls/http.js';
import { invalidParameter } from '../errors.js';
import { isStripeCurrency, STRIPE_MAXIMUM, stripeCurrencies, stripeMinimum, stripeStep } from '../money.js';
import type { Cause } from '../objects.js';
import type { Form, FormValue } from './form.js';

/**
 * One call for a route. `form` contains the fields of the query and the body. `cause` is stored in the events of the
 * call.
 */
export interface StripeCall {
  params: Record<string, string>;
  form: Form;
  cause: Cause;
  fault: Call['fault'];
}

export type Add = (
  method: string,
  path: string,
  operation: string,
  run: (call: StripeCall) => object,
) => void;

/** Refuses unknown parameters, as Stripe does. So a test detects a client that was made for another API version. */
export function onlyKnown(form: Form, known: readonly string[]): void {
  for (const name of Object.keys(form)) {
    if (name === 'expand' || known.includes(name)) continue;
    throw invalidParameter(name, `Received unknown parameter: ${name}`, 'parameter_unknown');
  }
}

export function optionalText(form: Form, name: string, maximum = 5000): string | undefined {
  const value = form[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw invalidParameter(name, `Invalid string: ${JSON.stringify(value)}`);
  if (value.length > maximum) {
    throw invalidParameter(name, `Invalid string: must be at most ${String(maximum)} characters`);
  }
  return value;
}

export function optionalInteger(form: Form, name: string): number | undefined {
  const value = form[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) {
    throw invalidParameter(name, `Invalid integer: ${JSON.stringify(value)}`, 'parameter_invalid_integer');
  }
  return Number(value);
}

export function requiredAmount(form: Form): { amount: number; currency: string } {
  for (const name of ['amount', 'currency']) {
    if (form[name] === undefined || form[name] === '') {
      throw invalidParameter(name, `Missing required param: ${name}.`, 'parameter_missing');
    }
  }
  const amount = optionalInteger(form, 'amount') ?? 0;
  const currency = (optionalText(form, 'currency') ?? '').toLowerCase();
  if (!isStripeCurrency(currency)) {
    throw invalidParameter(
      'currency',
      `Invalid currency: ${currency}. Stripe currently supports these currencies: ${stripeCurrencies()}`,
    );
  }
  checkAmount(amount, currency);
  return { amount, currency };
}

function checkAmount(amount: number, currency: string): void {
  if (amount < 1) {
    const message = 'This value must be greater than or equal to 1.';
    throw invalidParameter('amount', message, 'parameter_invalid_integer');
  }
  if (amount > STRIPE_MAXIMUM) {
    throw invalidParameter(
      'amount',
      `Amount must be no more than ${String(STRIPE_MAXIMUM)} ${currency}`,
      'amount_too_large',
    );
  }
  if (amount < stripeMinimum(currency)) {
    throw invalidParameter(
      'amount',
      `Amount must be at least ${String(stripeMinimum(currency))} ${currency}`,
      'amount_too_small',
    );
  }
  if (amount % stripeStep(currency) !== 0) {
    throw invalidParameter(
      'amount',
      `Invalid amount: must be a multiple of ${String(stripeStep(currency))} in ${currency}`,
      'invalid_charge_amount',
    );
  }
}

export function metadata(form: Form): Record<string, string> {
  const value: FormValue | undefined = form.metadata;
  if (value === undefined || value === '') return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalidParameter('metadata', 'Invalid object');
  }
  const entries = Object.entries(value);
  if (entries.length > 50) throw invalidParameter('metadata', 'Metadata can have at most 50 keys');
  for (const [key, text] of entries) {
    if (key.length > 40) {
      const message = `Metadata keys can have up to 40 characters, but you passed one with ${String(key.length)}`;
      throw invalidParameter('metadata', message);
    }
    if (typeof text !== 'string') throw invalidParameter(`metadata[${key}]`, 'Invalid string');
    if (text.length > 500) {
      const message = 'Metadata values can have up to 500 characters';
      throw invalidParameter(`metadata[${key}]`, message);
    }
  }
  return Object.fromEntries(entries.filter(([, text]) => text !== '')) as Record<string, string>;
}

export function oneOf(form: Form, name: string, allowed: readonly string[]): string | undefined {
  const value = optionalText(form, name);
  if (value === undefined || allowed.includes(value)) return value;
  throw invalidParameter(name, `Invalid ${name}: must be one of ${allowed.join(', ')}`);
}

export function textList(form: Form, name: string): string[] {
  const value = form[name];
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw invalidParameter(name, 'Invalid array');
  }
  return value;
}
