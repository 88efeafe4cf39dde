import { InvalidInputError } from '../../../common/errors/domain-errors.js';
import { currencyExponent, fromDecimalString, toDecimalString } from '../../../common/money/money.js';

/** Currencies that PayPal accepts, from https://developer.paypal.com/api/rest/reference/currency-codes/. */
export const PAYPAL_CURRENCIES: readonly string[] =
  'aud brl cad chf cny czk dkk eur gbp hkd huf ils jpy mxn myr nok nzd php pln sek sgd thb twd usd'.split(
    ' ',
  );

/**
 * PayPal refuses decimals in these currencies. In ISO 4217, and so in our minor units, two of these currencies have
 * decimals.
 */
const WITHOUT_DECIMALS: ReadonlySet<string> = new Set(['huf', 'jpy', 'twd']);

/** Maximum amount of one order: `9999999.99` in any currency, as an integer. */
const MAX_HUNDREDTHS = 999_999_999n;

/** An amount in PayPal's form: `{ "currency_code": "EUR", "value": "12.50" }`. */
export interface PayPalMoney {
  readonly currency_code: string;
  readonly value: string;
}

/**
 * @param amount minor units
 * @param currency ISO 4217, lower case
 * @throws InvalidInputError CURRENCY_NOT_SUPPORTED, AMOUNT_NOT_PAYABLE
 */
export function assertPayPalTakes(amount: bigint, currency: string): void {
  if (!PAYPAL_CURRENCIES.includes(currency))
    throw new InvalidInputError('CURRENCY_NOT_SUPPORTED', `PayPal does not accept the currency ${currency}`);
  if (amount % payPalStep(currency) !== 0n)
    throw new InvalidInputError('AMOUNT_NOT_PAYABLE', `PayPal accepts only whole amounts in ${currency}`);
  const hundredths = (amount * 100n) / 10n ** BigInt(currencyExponent(currency));
  if (amount <= 0n || hundredths > MAX_HUNDREDTHS)
    throw new InvalidInputError('AMOUNT_NOT_PAYABLE', 'PayPal does not accept this amount');
}

/** `1250n, 'eur'` → `12.50`; `50000n, 'huf'` → `500`. */
export function toPayPalMoney(amount: bigint, currency: string): PayPalMoney {
  const value = WITHOUT_DECIMALS.has(currency)
    ? (amount / payPalStep(currency)).toString()
    : toDecimalString(amount, currencyExponent(currency));
  return { currency_code: currency.toUpperCase(), value };
}

/**
 * `12.50 EUR` → `1250n, 'eur'`; `500 HUF` → `50000n, 'huf'`.
 * @throws RangeError if the text is not an amount of an ISO 4217 currency
 */
export function fromPayPalMoney(money: PayPalMoney): { amount: bigint; currency: string } {
  const currency = money.currency_code.toLowerCase();
  return { amount: fromDecimalString(money.value, currencyExponent(currency)), currency };
}

/** True if `fromPayPalMoney` can read the amount. */
export function isPayPalMoney(money: PayPalMoney): boolean {
  try {
    fromPayPalMoney(money);
    return true;
  } catch {
    return false;
  }
}

/** Returns PayPal's smallest amount of a currency, in minor units. */
export function payPalStep(currency: string): bigint {
  return WITHOUT_DECIMALS.has(currency) ? 10n ** BigInt(currencyExponent(currency)) : 1n;
}
