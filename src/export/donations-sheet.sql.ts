import pg from 'pg';
import type { ColumnKind } from '../documents/spreadsheet/cells.js';
import type { SheetColumn } from '../documents/spreadsheet/workbook.js';
import type { DonationCondition } from '../donations/list/donation-condition.js';
import {
  COUNTED,
  decimal,
  donationsOf,
  localTime,
  methodWords,
  type PeopleWords,
  words,
} from './exported-donations.sql.js';
import type { PeopleColumn, SheetOnlyColumn } from './people-columns.js';

type SheetCell = readonly [
  column: PeopleColumn | SheetOnlyColumn,
  kind: ColumnKind,
  width: number,
  expression: string,
];

/** Returns the columns of the spreadsheet, in order. Every expression is a text or null. */
function cells({ wording, types, language, timezone }: PeopleWords): readonly SheetCell[] {
  const local = localTime(timezone);
  const yesOrNo = (column: string) =>
    `CASE ${column} WHEN true THEN ${pg.escapeLiteral(wording.yes)} WHEN false THEN ${pg.escapeLiteral(wording.no)} END`;
  return [
    ['date', 'day', 12, `(${local}::date - DATE '1899-12-30')::text`],
    ['time', 'time', 8, `round(extract(epoch FROM ${local}::time) / 86400, 10)::text`],
    ['donor', 'text', 26, 'donor_name'],
    ['email', 'text', 28, 'donor_email'],
    ['address', 'text', 28, 'donor_address'],
    ['giftAid', 'text', 9, yesOrNo('gift_aid')],
    ['amount', 'number', 13, `(${decimal('amount')})::text`],
    ['currency', 'text', 9, 'upper(currency)'],
    ['returned', 'number', 13, `(${decimal('refunded_amount')})::text`],
    ['left', 'number', 13, `(${decimal(COUNTED)})::text`],
    ['kind', 'text', 18, words('type::text', types)],
    ['status', 'text', 16, words('status::text', wording.statuses)],
    ['event', 'text', 24, 'event_name'],
    ['recordedBy', 'text', 20, 'staff_name'],
    ['receipt', 'text', 14, 'receipt_number'],
    ['message', 'text', 36, 'message'],
    ['anonymous', 'text', 11, yesOrNo('is_anonymous')],
    ['paddle', 'text', 10, 'paddle'],
    ['reference', 'text', 16, 'reference'],
    ['note', 'text', 28, 'note'],
    ['source', 'text', 14, 'source'],
    ['coveredFee', 'number', 13, `(${decimal('covered_fee')})::text`],
    ['fee', 'number', 11, `(${decimal('fee', 'fee_currency')})::text`],
    ['feeCurrency', 'text', 12, 'upper(fee_currency)'],
    ['provider', 'text', 12, 'provider'],
    ['method', 'text', 18, methodWords(language)],
    ['id', 'text', 38, 'id::text'],
    [
      'giftAidDay',
      'day',
      12,
      `((declaration_at AT TIME ZONE ${pg.escapeLiteral(timezone)})::date - DATE '1899-12-30')::text`,
    ],
    ['giftAidDeclaration', 'text', 38, 'declaration_id::text'],
    ['tribute', 'text', 28, words("tribute ->> 'kind'", wording.tributes)],
    ['tributeName', 'text', 24, "tribute ->> 'name'"],
    ['tributeMessage', 'text', 36, "tribute ->> 'message'"],
    ['tributeNotifyEmail', 'text', 28, "tribute ->> 'notifyEmail'"],
    ['benefitValue', 'number', 13, `(${decimal('benefit_value')})::text`],
    ['benefitText', 'text', 28, 'benefit_text'],
  ];
}

export const sheetColumns = (people: PeopleWords): SheetColumn[] =>
  cells(people).map(([column, kind, width]) => ({ heading: people.wording.columns[column], kind, width }));

/**
 * Returns the COPY statement for the rows of the spreadsheet, newest first. Each line is a JSON array with
 * the texts of one donation. COPY does not change these lines, because JSON contains neither line breaks nor
 * the quote and delimiter characters of this statement.
 */
export const sheetCopy = (condition: DonationCondition, people: PeopleWords): string => `COPY (
    SELECT json_build_array(${cells(people)
      .map(([, , , expression]) => expression)
      .join(', ')})
    ${donationsOf(condition)}
  ) TO STDOUT WITH (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01', ESCAPE E'\\x01', ENCODING 'UTF8')`;
