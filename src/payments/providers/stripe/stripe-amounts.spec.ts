import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidInputError } from '../../../common/errors/domain-errors.js';
import { fromStripeAmount, toStripeAmount } from './stripe-facts.js';

describe('the conversion of Stripe amounts', () => {
  it.each([
    ['eur', 1250n, 1250],
    // No decimals in ISO 4217 and at Stripe, so the amount is not multiplied by 100.
    ['jpy', 5000n, 5000],
    ['krw', 5000n, 5000],
    // No decimals in ISO 4217, two at Stripe.
    ['isk', 50n, 5000],
    ['ugx', 50n, 5000],
    // Two decimals in ISO 4217, none at Stripe.
    ['mga', 5000n, 50],
    // Three decimals; the last digit must be 0.
    ['kwd', 1230n, 1230],
  ])('in %s converts %d minor units to %d at Stripe and back', (currency, ours, theirs) => {
    expect(toStripeAmount(ours, currency)).toBe(theirs);
    expect(fromStripeAmount(theirs, currency)).toBe(ours);
    expect(fromStripeAmount(theirs, currency.toUpperCase())).toBe(ours);
  });

  it('refuses amounts that Stripe cannot represent exactly', () => {
    expect(() => toStripeAmount(1231n, 'kwd')).toThrow(InvalidInputError);
    expect(() => toStripeAmount(5001n, 'mga')).toThrow(InvalidInputError);
    expect(() => toStripeAmount(100_000_000n, 'eur')).toThrow(InvalidInputError);
    expect(toStripeAmount(99_999_999n, 'eur')).toBe(99_999_999);
    expect(() => toStripeAmount(1_000_000n, 'isk')).toThrow(InvalidInputError);
  });

  it.each([
    [1231n, 'kwd', 'kwd amounts must be a multiple of 10'],
    [5001n, 'mga', 'mga amounts must be a multiple of 100'],
    [100_000_000n, 'eur', 'amount is above the maximum of a card payment'],
  ])('gives a reason when it refuses %s %s', (amount, currency, message) => {
    expect(() => toStripeAmount(amount, currency)).toThrow(
      expect.objectContaining({ code: 'AMOUNT_NOT_PAYABLE', message }),
    );
  });

  it('does not change amounts of a currency outside ISO 4217', () => {
    expect(fromStripeAmount(1234, 'zzz')).toBe(1234n);
  });

  it('returns the same amount after conversion to Stripe and back', () => {
    const currency = fc.constantFrom('eur', 'usd', 'jpy', 'isk', 'ugx', 'mga', 'kwd', 'huf', 'twd', 'clp');
    fc.assert(
      fc.property(currency, fc.bigInt({ min: 1n, max: 9_999n }), (code, units) => {
        const amount = units * 100n;
        expect(fromStripeAmount(toStripeAmount(amount, code), code)).toBe(amount);
      }),
    );
  });
});
