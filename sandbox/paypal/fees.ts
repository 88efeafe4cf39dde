import { paypalExponent } from '../money.js';

/** What PayPal keeps for itself. */
export interface Fees {
  /** Share of a payment. */
  rate: number;
  /** Added to each payment, in hundredths of the currency's unit. */
  fixed: number;
  /** For a chargeback, in hundredths of the unit. */
  chargeback: number;
}

export const FEES: Fees = { rate: 0.0199, fixed: 35, chargeback: 1600 };

export function paymentFee(fees: Fees, amount: number, currency: string): number {
  return Math.min(amount, Math.round(amount * fees.rate) + ofUnit(fees.fixed, currency));
}

export function ofUnit(hundredths: number, currency: string): number {
  return Math.round(hundredths * 10 ** (paypalExponent(currency) - 2));
}
