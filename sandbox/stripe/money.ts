/** Currencies without decimals at Stripe. Stripe's amounts are integers in the smallest unit of a currency. */
const STRIPE_ZERO_DECIMAL = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '));
/** Currencies with three decimals at Stripe. The last decimal must be 0. */
const STRIPE_THREE_DECIMAL = new Set('bhd jod kwd omr tnd'.split(' '));
/** Currencies with two decimals at Stripe, in which both decimals must be 0. */
const STRIPE_WHOLE_IN_CENTS = new Set('isk ugx'.split(' '));

const STRIPE_CURRENCIES = new Set(
  (
    'usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd bwp byn bzd cad cdf ' +
    'chf clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf ' +
    'idr ils inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop ' +
    'mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd ' +
    'scr sek sgd shp sle sos srd std szl thb tjs tnd top try ttd twd tzs uah ugx uyu uzs vnd vuv wst xaf xcd xof ' +
    'xpf yer zar zmw'
  ).split(' '),
);

/** Stripe's minimum charge by currency, in minor units; 1 for all others. */
const STRIPE_MINIMUM: Record<string, number> = {
  usd: 50,
  aed: 200,
  aud: 50,
  bgn: 100,
  brl: 50,
  cad: 50,
  chf: 50,
  czk: 1500,
  dkk: 250,
  eur: 50,
  gbp: 30,
  hkd: 400,
  huf: 17500,
  inr: 50,
  jpy: 50,
  mxn: 1000,
  myr: 200,
  nok: 300,
  nzd: 50,
  pln: 200,
  ron: 200,
  sek: 300,
  sgd: 50,
  thb: 1000,
};

export const STRIPE_MAXIMUM = 99_999_999;

export function isStripeCurrency(code: string): boolean {
  return STRIPE_CURRENCIES.has(code);
}

export function stripeCurrencies(): string {
  return [...STRIPE_CURRENCIES].join(', ');
}

export function stripeMinimum(currency: string): number {
  return STRIPE_MINIMUM[currency] ?? 1;
}

/**
 * Returns the step of a currency. Amounts must be multiples of this step: 10 for KWD and similar currencies, 100 for
 * ISK and UGX.
 */
export function stripeStep(currency: string): number {
  if (STRIPE_THREE_DECIMAL.has(currency)) return 10;
  return STRIPE_WHOLE_IN_CENTS.has(currency) ? 100 : 1;
}

export function stripeExponent(currency: string): number {
  if (STRIPE_ZERO_DECIMAL.has(currency)) return 0;
  return STRIPE_THREE_DECIMAL.has(currency) ? 3 : 2;
}

/** Stripe's fees, in the currency of the payment. */
export interface Fees {
  /** Percentage fee of a payment, as a fraction: 0.015 is 1.5 %. */
  rate: number;
  /** Fixed fee of each payment, in hundredths of the currency's unit. */
  fixed: number;
  /** Fee for a dispute that moves money, in hundredths of the currency's unit. An inquiry has no fee. */
  dispute: number;
}

export const FEES: Fees = { rate: 0.015, fixed: 25, dispute: 2000 };

export function paymentFee(fees: Fees, amount: number, currency: string): number {
  return Math.min(amount, Math.round(amount * fees.rate) + ofUnit(fees.fixed, currency));
}

export function disputeFee(fees: Fees, currency: string): number {
  return ofUnit(fees.dispute, currency);
}

function ofUnit(hundredths: number, currency: string): number {
  return Math.round(hundredths * 10 ** (stripeExponent(currency) - 2));
}
