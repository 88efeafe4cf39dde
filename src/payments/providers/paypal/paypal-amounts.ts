import { InvalidInputError } from '../../../common/errors/domain-errors.js';
import { currencyExponent, fromDecimalString, toDecimalString } from '../../../common/money/money.js';

/** What PayPal takes, by https://developer.paypal.com/api/rest/reference/currency-codes/. */
export const PAYPAL_CURRENCIES: readonly string[] =
  'aud brl cad chf cny czk dkk eur gbp hkd huf ils jpy mxn myr nok nzd php pln sek sgd thb twd usd'.split(
    ' ',
  );

/** PayPal refuses decimals here. Two of these have cents in ISO 4217 and so in our minor units. */
const WITHOUT_DECIMALS: ReadonlySet<string> = new Set(['huf', 'jpy', 'twd']);

/** The most of one order, in whole units of any currency and two decimals: `9999999.99`. */
const MAX_HUNDREDTHS = 999_999_999n;

/** An amount as PayPal writes it: `{ "currency_code": "EUR", "value": "12.50" }`. */
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
    throw new InvalidInputError('CURRENCY_NOT_SUPPORTED', `PayPal does not take the currency ${currency}`);
  if (amount % payPalStep(currency) !== 0n)
    throw new InvalidInputError('AMOUNT_NOT_PAYABLE', `PayPal takes only whole amounts in ${currency}`);
  const hundredths = (amount * 100n) / 10n ** BigInt(currencyExponent(currency));
  if (amount <= 0n || hundredths > MAX_HUNDREDTHS)
    throw new InvalidInputError('AMOUNT_NOT_PAYABLE', 'PayPal does not take this amount');
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
 * @throws RangeError for what is no amount of an ISO 4217 currency
 */
export function fromPayPalMoney(money: PayPalMoney): { amount: bigint; currency: string } {
  const currency = money.currency_code.toLowerCase();
  return { amount: fromDecimalString(money.value, currencyExponent(currency)), currency };
}

/** Whether `fromPayPalMoney` can read it. */
export function isPayPalMoney(money: PayPalMoney): boolean {
  try {
    fromPayPalMoney(money);
    return true;
  } catch {
    return false;
  }
}

/** Minor units in the smallest amount that PayPal can express. */
export function payPalStep(currency: string): bigint {
  return WITHOUT_DECIMALS.has(currency) ? 10n ** BigInt(currencyExponent(currency)) : 1n;
}
