/**
 * For currencies whose unit is worth much less or more than a euro: the number of units that is worth roughly 1,000
 * euros. An approximate value is enough, so it needs no updates. Other currencies use 1,000 units.
 */
const UNITS: readonly (readonly [units: number, currencies: string])[] = [
  [300, 'bhd kwd omr'],
  [5_000, 'aed brl gel ils myr pen pln qar ron sar tnd'],
  [10_000, 'bob bwp cny dkk ghs gtq hkd mad mop nok sek svc tjs ttd zmw'],
  [20_000, 'czk egp inr mdl mkd mur mxn nio php rub scr szl thb try twd uah uyu zar'],
  [150_000, 'all amd bdt cve djf dop dzd etb hnl isk jmd jpy kes kgs lkr npr pkr rsd xpf'],
  [500_000, 'aoa ars clp crc huf kzt ngn rwf xaf xof yer'],
  [1_000_000, 'iqd krw kmf mmk mnt mwk'],
  [5_000_000, 'bif cdf cop khr mga pyg tzs ugx uzs'],
  [20_000_000, 'gnf idr irr lak lbp vnd'],
];
const DEFAULT_UNITS = 1_000;

const unitsOf = (currency: string): number =>
  UNITS.find(([, currencies]) => currencies.split(' ').includes(currency))?.[0] ?? DEFAULT_UNITS;

/**
 * Amount in minor units above which the till and the dashboard ask if an offline record is correct.
 * @param chosen `donation.confirmOfflineAbove`; null uses the default of the currency, which the server does not check
 * @param exponent number of decimals of the currency
 */
export const confirmAbove = (chosen: number | null, currency: string, exponent: number): number =>
  chosen ?? unitsOf(currency) * 10 ** exponent;
