/** A postal address. `country` is an ISO 3166-1 alpha-2 code in upper case. */
export interface PostalAddress {
  readonly line1: string;
  readonly line2: string | null;
  readonly postcode: string | null;
  readonly city: string;
  readonly country: string;
}

// The list is written here and not taken from a package, because the pages use it too; a test compares it with one.
/** All ISO 3166-1 alpha-2 codes. */
export const COUNTRIES: readonly string[] = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD ' +
  'CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF ' +
  'GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN ' +
  'KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA ' +
  'NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI ' +
  'SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI ' +
  'VN VU WF WS YE YT ZA ZM ZW'
).split(' ');

// The places of the postcode follow the address formats of Google's libaddressinput. Packages with the same list print more than
// these fields can fill: `CH-` before Swiss postcodes, and no city in Japan.

/** Countries that print the postcode on a line of its own below the city. */
const BELOW_CITY = new Set(
  'AF AI BR CR CU EG FK GB GG GI GS HN HU ID IE IM IO IQ IR JE KE KR LK MN NA PH PN RU SD SH SZ TC TH UA VG VN ZA'.split(
    ' ',
  ),
);
/** Countries that print the postcode after the city on the same line. Elsewhere it stands before the city. */
const AFTER_CITY = new Set(
  (
    'AS AU BB BD BH BM BN BT CA CC CO CX FM GU HM IL IN JO KH LB LS LV MH MM MP MT MV NF NG NP NZ PE PG PK PR PW SA SG SO UM US VC VE ' +
    'VI'
  ).split(' '),
);

/** @param locale language of the name, as a BCP 47 tag */
export const countryName = (country: string, locale: string): string =>
  new Intl.DisplayNames([locale, 'en'], { type: 'region' }).of(country) ?? country;

/** The countries with their names, sorted in the language of the reader. */
export function namedCountries(locale: string): { readonly code: string; readonly name: string }[] {
  const names = new Intl.DisplayNames([locale, 'en'], { type: 'region' });
  const { compare } = new Intl.Collator([locale, 'en']);
  return COUNTRIES.map((code) => ({ code, name: names.of(code) ?? code })).sort((one, other) =>
    compare(one.name, other.name),
  );
}

/**
 * The lines of an address, in the usual order of its country.
 * @param locale language of the country's name
 */
export function addressLines(address: PostalAddress, locale: string): string[] {
  const { line1, line2, postcode, city, country } = address;
  return [line1, line2, ...placeLines(country, postcode, city), countryName(country, locale)].filter(
    (line) => line !== null,
  );
}

function placeLines(country: string, postcode: string | null, city: string): string[] {
  if (postcode === null) return [city];
  if (BELOW_CITY.has(country)) return [city, postcode];
  return [AFTER_CITY.has(country) ? `${city} ${postcode}` : `${postcode} ${city}`];
}
