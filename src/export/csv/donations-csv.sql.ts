import pg from 'pg';
import { CURRENCIES, currencyExponent } from '../../common/money/currency.js';
import type { DonationColumn } from '../../donations/donation-columns.js';
import type { DonationCondition } from '../../donations/donation-list.service.js';

/** What a spreadsheet takes for the beginning of a formula; the wide forms too, which some of them fold. */
const FORMULA_STARTS = String.raw`'=', '+', '-', '@', E'\t', E'\r', E'\n', '＝', '＋', '－', '＠'`;

/**
 * A text cell: disarmed by an apostrophe where a spreadsheet would run it, and with each of its line breaks as
 * CRLF, so that a lone LF in the stream is always the end of a record.
 */
const text = (column: string): string => {
  const lines = String.raw`regexp_replace(${column}, E'\r\n?|\n', E'\r\n', 'g')`;
  const whole = String.raw`CASE WHEN strpos(${column}, E'\n') + strpos(${column}, E'\r') > 0 THEN ${lines} ELSE ${column} END`;
  return `CASE WHEN left(${column}, 1) IN (${FORMULA_STARTS}) THEN '''' || (${whole}) ELSE ${whole} END`;
};

const time = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Minor units as an exact decimal number in the currency of the row. */
const decimal = (column: string): string =>
  `CASE ${unusualCurrencies(column)} ELSE round(${column} / 100.0, 2) END`;

function unusualCurrencies(column: string): string {
  const byExponent = new Map<number, string[]>();
  for (const currency of CURRENCIES) {
    const exponent = currencyExponent(currency);
    if (exponent !== 2)
      byExponent.set(exponent, [...(byExponent.get(exponent) ?? []), pg.escapeLiteral(currency)]);
  }
  return [...byExponent]
    .map(
      ([exponent, codes]) =>
        `WHEN currency IN (${codes.join(', ')}) THEN round(${column} / 1e${exponent}, ${exponent})`,
    )
    .join(' ');
}

type Cell = readonly [name: string, expression: string];

/** The donation record as the API names it; null: not in the file. */
const RECORD = {
  id: ['id', 'id'],
  event_id: ['eventId', 'event_id'],
  amount: ['amount', 'amount'],
  currency: ['currency', 'currency'],
  type: ['type', 'type'],
  status: ['status', 'status'],
  donor_name: ['donorName', text('donor_name')],
  donor_email: ['donorEmail', text('donor_email')],
  is_anonymous: ['isAnonymous', 'is_anonymous::text'],
  message: ['message', text('message')],
  message_state: null,
  donor_key: null,
  staff_id: ['staffId', 'staff_id'],
  staff_name: ['staffName', text('staff_name')],
  provider: null,
  payment_id: null,
  capture_id: null,
  expected_amount: null,
  expected_currency: null,
  refunded_amount: ['refundedAmount', 'refunded_amount'],
  paid_at: null,
  checked_at: null,
  next_check_at: null,
  fee: null,
  fee_currency: null,
  receipt_number: ['receiptNumber', 'receipt_number'],
  created_at: ['createdAt', time('created_at')],
  updated_at: ['updatedAt', time('updated_at')],
  completed_at: ['completedAt', time('completed_at')],
} satisfies Record<DonationColumn, Cell | null>;

/** The columns of the file: the record, then what helps a reader. */
const COLUMNS: readonly Cell[] = [
  ...Object.values<Cell | null>(RECORD).filter((cell) => cell !== null),
  ['amountDecimal', decimal('amount')],
  ['refundedAmountDecimal', decimal('refunded_amount')],
  ['eventName', text('event_name')],
];

/** What people wrote: always quoted, because half of Europe's spreadsheets take `;` for the separator. */
const TEXTS = ['donorName', 'donorEmail', 'message', 'staffName', 'eventName'];

/**
 * The COPY statement for the donations of a condition, newest first. COPY takes no parameters, so the values
 * stand in the text as literals that PostgreSQL's own rules quote.
 */
export function donationsCopy({ where, values }: DonationCondition): string {
  const condition = where.replace(/\$(\d+)/g, (_, number: string) =>
    pg.escapeLiteral(String(values[Number(number) - 1])),
  );
  const columns = COLUMNS.map(([name, expression]) => `${expression} AS ${pg.escapeIdentifier(name)}`);
  return `COPY (
    SELECT ${columns.join(', ')}
    FROM donation
    JOIN (SELECT id AS named_event_id, name AS event_name FROM event) AS named ON named_event_id = event_id
    WHERE ${condition}
    ORDER BY donation.id DESC
  ) TO STDOUT WITH (FORMAT csv, HEADER true, FORCE_QUOTE (${TEXTS.map((name) => pg.escapeIdentifier(name)).join(', ')}), ENCODING 'UTF8')`;
}
