import { describe, expect, it } from '@jest/globals';
import { assertPayPalTakes, fromPayPalMoney, isPayPalMoney, toPayPalMoney } from './paypal-amounts.js';

describe('the conversion of PayPal amounts', () => {
  it.each([
    [1250n, 'eur', '12.50'],
    [5n, 'usd', '0.05'],
    [99_999_999n, 'gbp', '999999.99'],
    [500n, 'jpy', '500'],
    // These currencies have two decimals in ISO 4217, but none at PayPal.
    [50_000n, 'huf', '500'],
    [12_300n, 'twd', '123'],
  ])('converts %s minor units of %s to %s and back', (amount, currency, value) => {
    expect(toPayPalMoney(amount, currency)).toEqual({ currency_code: currency.toUpperCase(), value });
    expect(fromPayPalMoney({ currency_code: currency.toUpperCase(), value })).toEqual({ amount, currency });
  });

  it('reads amounts with unnecessary or missing decimals', () => {
    expect(fromPayPalMoney({ currency_code: 'JPY', value: '500.00' }).amount).toBe(500n);
    expect(fromPayPalMoney({ currency_code: 'EUR', value: '7' }).amount).toBe(700n);
  });

  it.each([
    { currency_code: 'EUR', value: '1.005' },
    { currency_code: 'JPY', value: '500.50' },
    { currency_code: 'EUR', value: '1,00' },
    { currency_code: 'EUR', value: '1e3' },
    { currency_code: 'EUR', value: '' },
    { currency_code: 'XXX', value: '1.00' },
    { currency_code: '', value: '1.00' },
  ])('does not read the amount $value $currency_code', (money) => {
    expect(isPayPalMoney(money)).toBe(false);
  });

  it.each([
    [1n, 'eur'],
    [999_999_999n, 'eur'],
    [9_999_999n, 'jpy'],
    [100n, 'huf'],
  ])('accepts %s minor units of %s', (amount, currency) => {
    expect(() => {
      assertPayPalTakes(amount, currency);
    }).not.toThrow();
  });

  it.each([
    [0n, 'eur', 'AMOUNT_NOT_PAYABLE'],
    [-1n, 'eur', 'AMOUNT_NOT_PAYABLE'],
    [1_000_000_000n, 'eur', 'AMOUNT_NOT_PAYABLE'],
    [10_000_000n, 'jpy', 'AMOUNT_NOT_PAYABLE'],
    [150n, 'huf', 'AMOUNT_NOT_PAYABLE'],
    [100n, 'inr', 'CURRENCY_NOT_SUPPORTED'],
    [100n, 'EUR', 'CURRENCY_NOT_SUPPORTED'],
    [1000n, 'kwd', 'CURRENCY_NOT_SUPPORTED'],
  ])('refuses %s minor units of %s with %s', (amount, currency, code) => {
    expect(() => {
      assertPayPalTakes(amount, currency);
    }).toThrow(expect.objectContaining({ code, status: 400 }));
  });

  it.each([
    [100n, 'inr', 'PayPal does not accept the currency inr'],
    [150n, 'huf', 'PayPal accepts only whole amounts in huf'],
    [0n, 'eur', 'PayPal does not accept this amount'],
  ])('gives a reason when it refuses %s minor units of %s', (amount, currency, message) => {
    expect(() => {
      assertPayPalTakes(amount, currency);
    }).toThrow(message);
  });
});
