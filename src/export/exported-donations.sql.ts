import pg from 'pg';
import { CURRENCIES, currencyExponent } from '../common/money/money.js';
import type { DonationCondition } from '../donations/list/donation-condition.js';
import { GIVEN_AT } from '../donations/list/donation-filters.sql.js';
import { COVERING } from '../gift-aid/covering.sql.js';
import { KNOWN_METHODS, methodInWords } from '../donations/store/method-names.js';
import type { ReceiptWording } from '../receipts/receipt-wording.js';
import type { PeopleWording } from './people-wording.js';

/** Converts minor units to an exact decimal number, in the currency of the row or of the given column. */
export const decimal = (column: string, currency = 'currency'): string =>
  `CASE ${unusualCurrencies(column, currency)} ELSE round(${column} / 100.0, 2) END`;

function unusualCurrencies(column: string, ofColumn: string): string {
  const byExponent = new Map<number, string[]>();
  for (const currency of CURRENCIES) {
    const exponent = currencyExponent(currency);
    if (exponent !== 2)
      byExponent.set(exponent, [...(byExponent.get(exponent) ?? []), pg.escapeLiteral(currency)]);
  }
  return [...byExponent]
    .map(
      ([exponent, codes]) =>
        `WHEN ${ofColumn} IN (${codes.join(', ')}) THEN round(${column} / 1e${exponent}, ${exponent})`,
    )
    .join(' ');
}

/** Amount of the donation in the totals. The sum of this column equals the event's total. */
export const COUNTED = "(CASE status WHEN 'COMPLETED' THEN amount - refunded_amount ELSE 0 END)";

/** Language and time zone of a file for people. */
export interface PeopleWords {
  readonly wording: PeopleWording;
  readonly types: ReceiptWording['types'];
  readonly language: string;
  /** IANA time zone name. */
  readonly timezone: string;
}

/** Expression that replaces stored words by words for people. */
export const words = (column: string, of: Readonly<Record<string, string>>): string => {
  const cases = Object.entries(of).map(([word, shown]) => `WHEN '${word}' THEN ${pg.escapeLiteral(shown)}`);
  return `CASE ${column} ${cases.join(' ')} END`;
};

/**
 * Expression for the payment method and its wallet in a language, such as `Card (Apple Pay)`. An unknown word
 * stays unchanged.
 */
export function methodWords(language: string): string {
  const known = Object.fromEntries(KNOWN_METHODS.map((word) => [word, methodInWords(word, null, language)]));
  const named = (column: string) => `coalesce(${words(column, known)}, ${column})`;
  return `(${named('method')} || coalesce(' (' || ${named('wallet')} || ')', ''))`;
}

/** Expression for the local time of the donation in a time zone. */
export const localTime = (timezone: string): string =>
  `(coalesce(${GIVEN_AT}, donation.recorded_at, donation.created_at) AT TIME ZONE ${pg.escapeLiteral(timezone)})`;

/** Returns a condition with its values as literals that are quoted for PostgreSQL, because COPY accepts no parameters. */
export const literalCondition = ({ where, values }: DonationCondition): string =>
  where.replace(/\$(\d+)/g, (_, number: string) => pg.escapeLiteral(String(values[Number(number) - 1])));

/** Returns the statement from `FROM` to its end. It reads the matching donations, newest first. */
export function donationsOf(condition: DonationCondition): string {
  return `FROM donation
    JOIN (SELECT id AS named_event_id, name AS event_name FROM event) AS named ON named_event_id = event_id
    LEFT JOIN (SELECT id AS named_team_id, name AS team_name FROM team) AS named_team ON named_team_id = team_id
    LEFT JOIN (
      SELECT donation_id AS pending_donation_id, currency AS pending_currency, sum(amount)::bigint AS refund_pending
      FROM refund WHERE status IN ('requested', 'pending') AND donation_id IS NOT NULL GROUP BY donation_id, currency
    ) AS pending ON pending_donation_id = donation.id AND pending_currency = donation.currency
    LEFT JOIN ${COVERING} ON true
    WHERE ${literalCondition(condition)}
    ORDER BY donation.id DESC`;
}
