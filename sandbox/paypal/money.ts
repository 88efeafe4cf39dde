import type { Money } from './objects.js';

const PAYPAL_CURRENCIES = new Set(
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD USD'.split(
    ' ',
  ),
);
const PAYPAL_WHOLE = new Set(['HUF', 'JPY', 'TWD']);

export function isPayPalCurrency(code: string): boolean {
  return PAYPAL_CURRENCIES.has(code);
}

export function paypalExponent(currency: string): number {
  return PAYPAL_WHOLE.has(currency) ? 0 : 2;
}

/**
 * Converts PayPal's text to minor units: `12.3` → 1230 in a currency with two decimals. The caller must validate the
 * text first.
 */
export function paypalMinorUnits(value: string, currency: string): number {
  const exponent = paypalExponent(currency);
  const [whole = '0', fraction = ''] = value.split('.');
  return Number(whole) * 10 ** exponent + Number(fraction.padEnd(exponent, '0').slice(0, exponent) || '0');
}

/** Converts minor units to PayPal's text: 1230 → `12.30`, and for yen 500 → `500`. */
export function paypalValue(minorUnits: number, currency: string): string {
  return (minorUnits / 10 ** paypalExponent(currency)).toFixed(paypalExponent(currency));
}

export function money(amount: number, currency: string): Money {
  return { currency_code: currency, value: paypalValue(amount, currency) };
}

/** PayPal's fees. */
export interface Fees {
  /** Percentage fee of a payment, as a fraction: 0.0199 is 1.99 %. */
  rate: number;
  /** Fixed fee of each payment, in hundredths of the currency's unit. */
  fixed: number;
  /** Fee for a chargeback, in hundredths of the currency's unit. */
  chargeback: number;
}

export const FEES: Fees = { rate: 0.0199, fixed: 35, chargeback: 1600 };

export function paymentFee(fees: Fees, amount: number, currency: string): number {
  return Math.min(amount, Math.round(amount * fees.rate) + ofUnit(fees.fixed, currency));
}

export function ofUnit(hundredths: number, currency: string): number {
  return Math.round(hundredths * 10 ** (paypalExponent(currency) - 2));
}
