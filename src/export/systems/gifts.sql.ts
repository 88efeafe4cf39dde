import pg from 'pg';
import { COUNTRIES, countryName } from '../../common/text/postal-address.js';
import type { DonationCondition } from '../../donations/list/donation-condition.js';
import { ALL_COLUMNS } from '../../donations/store/donation-columns.js';
import { DEBIT_METHODS } from '../../donations/store/method-names.js';
import type { Settings } from '../../settings/settings.js';
import { literalCondition, localTime, words } from '../exported-donations.sql.js';

export interface GiftDefaults {
  /** Settings in effect for all events. An event may replace them. */
  readonly accounting: Settings['accounting'];
  /** IANA time zone name. */
  readonly timezone: string;
}

type Code = 'campaign' | 'appeal' | 'fund' | 'financialType';

/** The code of the event, otherwise the code of the organization; NULL if there is none. */
const code = (name: Code, { accounting }: GiftDefaults): string =>
  `nullif(coalesce(event.overrides #>> '{accounting,${name}}', ${pg.escapeLiteral(accounting[name])}), '')`;

/** Last name of the donors without a name and without an e-mail address. All of them are one contact. */
const ANONYMOUS = 'Anonymous';
/** Last name of a donor who left only an e-mail address. */
const UNKNOWN = 'Unknown';

const SPACES = String.raw`[:space:]\u00A0\u3000`;
/** The name after its last space. */
const LAST_TOKEN = `substring(donation.donor_name from '[^${SPACES}]+$')`;

const IS_KNOWN =
  '(donation.donor_name IS NOT NULL OR donation.donor_email IS NOT NULL OR declared.id IS NOT NULL)';

const LAST_NAME = `CASE WHEN NOT ${IS_KNOWN} THEN '${ANONYMOUS}'
  ELSE coalesce(declared.last_name, listed.last_name, named.last_token, '${UNKNOWN}') END`;

/** The name before the last name; the first name in the Gift Aid declaration if there is one. */
const FIRST_NAME = `CASE WHEN declared.id IS NOT NULL THEN declared.first_name
  ELSE nullif(regexp_replace(left(donation.donor_name, -length(coalesce(listed.last_name, named.last_token))), '[${SPACES}]+$', ''), '') END`;

/**
 * Stable id of the donor: digits of the keyed digest of the e-mail address, which do not reveal the address. A donor
 * without an address gets the last digits of the donation's id. 20 characters, because Raiser's Edge allows no more.
 */
const CONTACT_ID = `'fds-' || CASE WHEN NOT ${IS_KNOWN} THEN 'anonymous'
  WHEN donation.donor_key IS NOT NULL THEN left(encode(donation.donor_key, 'hex'), 16)
  ELSE right(replace(donation.id::text, '-', ''), 16) END`;

const METHOD = `CASE
  WHEN donation.method IN (${DEBIT_METHODS.map((word) => pg.escapeLiteral(word)).join(', ')}) THEN 'debit'
  WHEN donation.method = 'customer_balance' THEN 'transfer'
  WHEN donation.type IN ('card', 'wallet', 'card_terminal') THEN 'card'
  WHEN donation.type IN ('cash', 'check') THEN donation.type::text
  WHEN donation.type = 'bank_transfer' THEN 'transfer' ELSE 'other' END`;

const COUNTRY_NAMES = Object.fromEntries(COUNTRIES.map((country) => [country, countryName(country, 'en')]));

/** The name of the country in English. */
export const COUNTRY_IN_WORDS = words('country', COUNTRY_NAMES);

/**
 * Returns the rows of the files: one for each matching donation that counts, with columns of simple names. Refunds are
 * subtracted from `net`. Use it in parentheses after FROM.
 */
export function giftsOf(condition: DonationCondition, defaults: GiftDefaults): string {
  return `SELECT donation.id, donation.amount - donation.refunded_amount AS net, donation.currency, donation.is_anonymous,
      CASE WHEN donation.fee_currency = donation.currency THEN donation.fee END AS fee,
      to_char(${localTime(defaults.timezone)}, 'YYYY-MM-DD') AS given_on,
      ${CONTACT_ID} AS contact_id, ${LAST_NAME} AS last_name, ${FIRST_NAME} AS first_name,
      donation.donor_name AS whole_name, donation.donor_email AS email, donation.message, donation.reference,
      ${METHOD} AS method_kind, event.name AS event_name,
      CASE WHEN donation.address IS NULL THEN donation.donor_address
        ELSE concat_ws(E'\\n', donation.address ->> 'line1', donation.address ->> 'line2') END AS street,
      donation.address ->> 'city' AS city, donation.address ->> 'postcode' AS postcode,
      donation.address ->> 'country' AS country,
      ${code('campaign', defaults)} AS campaign, ${code('appeal', defaults)} AS appeal,
      ${code('fund', defaults)} AS fund, ${code('financialType', defaults)} AS financial_type
    FROM (
      SELECT ${ALL_COLUMNS} FROM donation
      WHERE ${literalCondition(condition)} AND status = 'COMPLETED' AND amount > refunded_amount
    ) AS donation
    JOIN event ON event.id = donation.event_id
    LEFT JOIN gift_aid_declaration AS declared ON declared.donation_id = donation.id AND declared.sealed_at IS NULL
    LEFT JOIN LATERAL (
      SELECT guest.last_name FROM guest
      WHERE guest.event_id = donation.event_id AND guest.name = donation.donor_name
        AND (guest.id = donation.guest_id OR guest.donor_key = donation.donor_key)
        AND right(guest.name, length(guest.last_name) + 1) = ' ' || guest.last_name
      ORDER BY guest.id LIMIT 1
    ) AS listed ON true
    CROSS JOIN LATERAL (SELECT ${LAST_TOKEN} AS last_token) AS named`;
}

/** Returns one row of `giftsOf` for each contact: the latest with a name and an address, if there is one. */
export const contactsOf = (gifts: string): string =>
  `SELECT DISTINCT ON (contact_id) * FROM (${gifts}) AS gift
    ORDER BY contact_id, (whole_name IS NULL), (street IS NULL), id DESC`;
