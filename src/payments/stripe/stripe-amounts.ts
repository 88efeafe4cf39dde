import { InvalidInputError } from '../../common/errors/domain-errors.js';
import { currencyExponent, isCurrency } from '../../common/money/currency.js';

/**
 * Stripe's own minor units, where they differ from ISO 4217.
 * Source: https://docs.stripe.com/currencies (zero-decimal, special cases, three-decimal).
 */
const STRIPE_EXPONENT: Readonly<Record<string, number>> = {
  // no decimals at Stripe, two in ISO 4217
  mga: 0,
  // no decimals in ISO 4217, two (always 00) at Stripe
  isk: 2,
  ugx: 2,
};

const MAX_STRIPE_AMOUNT = 99_999_999n;

/** ISO minor units of which Stripe takes multiples only. */
export function stripeStep(currency: string): number {
  const exponent = currencyExponent(currency);
  // The last digit of a three-decimal currency must be 0.
  return exponent === 3 ? 10 : 10 ** Math.max(0, exponent - (STRIPE_EXPONENT[currency] ?? exponent));
}

/**
 * ISO minor units as Stripe wants them.
 * @throws InvalidInputError when Stripe cannot take exactly that amount.
 */
export function toStripeAmount(amount: bigint, currency: string): number {
  const exponent = currencyExponent(currency);
  const shift = (STRIPE_EXPONENT[currency] ?? exponent) - exponent;
  const factor = 10n ** BigInt(Math.abs(shift));
  const step = stripeStep(currency);
  if (amount % BigInt(step) !== 0n) throw unusable(`${currency} amounts must be a multiple of ${step}`);
  const converted = shift < 0 ? amount / factor : amount * factor;
  if (converted > MAX_STRIPE_AMOUNT) throw unusable('amount is more than a card payment may be');
  return Number(converted);
}

/** Stripe's amount in ISO minor units. */
export function fromStripeAmount(amount: number, currency: string): bigint {
  const iso = currency.toLowerCase();
  if (!isCurrency(iso)) return BigInt(amount);
  const exponent = currencyExponent(iso);
  const shift = (STRIPE_EXPONENT[iso] ?? exponent) - exponent;
  if (shift === 0) return BigInt(amount);
  const factor = 10n ** BigInt(Math.abs(shift));
  return shift < 0 ? BigInt(amount) * factor : BigInt(amount) / factor;
}

const unusable = (message: string) => new InvalidInputError('AMOUNT_NOT_PAYABLE', message);
