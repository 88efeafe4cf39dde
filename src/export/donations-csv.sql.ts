import pg from 'pg';
import type { DonationColumn } from '../donations/store/donation-columns.js';
import { FIELDS_OF_DONORS } from '../donations/donors/fields-of-donors.js';
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
import { PEOPLE_COLUMNS, type PeopleColumn } from './people-columns.js';
import type { PeopleWording } from './people-wording.js';

/**
 * Characters at the start of a text that make a spreadsheet run the text as a formula. Some spreadsheets also convert the
 * full-width forms.
 */
const FORMULA_STARTS = String.raw`'=', '+', '-', '@', E'\t', E'\r', E'\n', U&'\FF1D', U&'\FF0B', U&'\FF0D', U&'\FF20'`;

/**
 * Expression for a text cell. An apostrophe before a formula stops spreadsheets from running the formula. Line breaks become
 * CRLF, so that an LF without a CR always ends a record.
 */
export const text = (column: string): string => {
  const lines = String.raw`regexp_replace(${column}, E'\r\n?|\n', E'\r\n', 'g')`;
  const whole = String.raw`CASE WHEN strpos(${column}, E'\n') + strpos(${column}, E'\r') > 0 THEN ${lines} ELSE ${column} END`;
  return `CASE WHEN left(${column}, 1) IN (${FORMULA_STARTS}) THEN '''' || (${whole}) ELSE ${whole} END`;
};

const time = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

type Cell = readonly [name: string, expression: string];

/** The CSV column for each column of the donation: its API name and its value. Null omits the column from this list. */
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
  name_state: null,
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
  recorded_at: ['recordedAt', time('coalesce(recorded_at, created_at)')],
  terminal_id: ['terminalId', 'terminal_id'],
  shift_id: null,
  paddle: ['paddle', text('paddle')],
  round_id: ['roundId', 'round_id'],
  paid_by: ['paidBy', 'paid_by'],
  locale: null,
  // These fields come at the end of the file, so that the order of the older columns does not change.
  donor_address: null,
  gift_aid: null,
  covered_fee: null,
  reference: null,
  note: null,
  source: null,
  guest_id: null,
  method: null,
  wallet: null,
  address: null,
  is_amount_hidden: null,
  tribute: null,
  tribute_state: null,
  wall_state: null,
  notified_key: null,
  pledged_amount: null,
  benefit_value: null,
  benefit_text: null,
  donor_pronunciation: null,
  is_past_donation: null,
  team_id: null,
  match_pool_id: null,
} satisfies Record<DonationColumn, Cell | null>;

/** Columns of the file: first the donation record, then extra columns for people. */
const COLUMNS: readonly Cell[] = [
  ...Object.values<Cell | null>(RECORD).filter((cell) => cell !== null),
  ['amountDecimal', decimal('amount')],
  ['refundedAmountDecimal', decimal('refunded_amount')],
  ['eventName', text('event_name')],
  ['fee', 'fee'],
  ['feeCurrency', 'fee_currency'],
  ['refundPending', 'refund_pending'],
  ['donorAddress', text('donor_address')],
  ['giftAid', 'gift_aid::text'],
  ['coveredFee', 'covered_fee'],
  ['reference', text('reference')],
  ['note', text('note')],
  ['source', 'source'],
  ['method', text('method')],
  ['wallet', text('wallet')],
  ['giftAidDeclarationId', 'declaration_id'],
  ['giftAidDeclaredAt', time('declaration_at')],
  ['isAmountHidden', 'is_amount_hidden::text'],
  ['tributeKind', "tribute ->> 'kind'"],
  ['tributeName', text("(tribute ->> 'name')")],
  ['tributeMessage', text("(tribute ->> 'message')")],
  ['tributeNotifyEmail', text("(tribute ->> 'notifyEmail')")],
  ['pledgedAmount', 'pledged_amount'],
  ['benefitValue', 'benefit_value'],
  ['benefitText', text('benefit_text')],
  ['isPastDonation', 'is_past_donation::text'],
  ['team', text('team_name')],
  ['matchPoolId', 'match_pool_id'],
];

/** Columns that a file without donors does not have. */
const OF_DONORS: ReadonlySet<string> = new Set<string>([
  ...FIELDS_OF_DONORS,
  'tributeName',
  'tributeMessage',
  'tributeNotifyEmail',
]);

/** Free texts are always quoted, because many European spreadsheets use `;` as the separator. */
const TEXTS = [
  'donorName',
  'donorEmail',
  'message',
  'staffName',
  'eventName',
  'donorAddress',
  'reference',
  'note',
  'method',
  'wallet',
  'tributeName',
  'tributeMessage',
  'tributeNotifyEmail',
  'benefitText',
  'team',
];

function peopleCells({ wording, types, language, timezone }: PeopleWords): readonly Cell[] {
  const { columns, statuses, yes, no } = wording;
  const local = (format: string) => `to_char(${localTime(timezone)}, '${format}')`;
  const cells: Readonly<Record<PeopleColumn, string>> = {
    date: local('YYYY-MM-DD'),
    time: local('HH24:MI'),
    donor: text('donor_name'),
    email: text('donor_email'),
    amount: decimal('amount'),
    currency: 'upper(currency)',
    returned: decimal('refunded_amount'),
    left: decimal(COUNTED),
    kind: words('type', types),
    status: words('status', statuses),
    event: text('event_name'),
    recordedBy: text('staff_name'),
    receipt: 'receipt_number',
    message: text('message'),
    anonymous: `CASE WHEN is_anonymous THEN ${pg.escapeLiteral(yes)} ELSE ${pg.escapeLiteral(no)} END`,
    fee: decimal('fee', 'fee_currency'),
    feeCurrency: 'upper(fee_currency)',
    provider: 'provider',
    id: 'id',
    method: text(methodWords(language)),
  };
  return PEOPLE_COLUMNS.map((column) => [columns[column], cells[column]]);
}

/** Headings of the free-text columns in the file for people. */
const peopleTexts = ({ columns }: PeopleWording): string[] =>
  (['donor', 'email', 'kind', 'status', 'event', 'recordedBy', 'message', 'method'] as const).map(
    (name) => columns[name],
  );

/**
 * Returns the COPY statement for the matching donations, newest first. Because COPY accepts no parameters, the values are
 * literals that are quoted for PostgreSQL.
 * @param people wording of the file for people; without it the file is for machines
 * @param hasDonors false omits the columns about donors from the file for machines
 */
export function donationsCopy(condition: DonationCondition, people?: PeopleWords, hasDonors = true): string {
  const isShown = (name: string) => hasDonors || !OF_DONORS.has(name);
  const cells = people ? peopleCells(people) : COLUMNS.filter(([name]) => isShown(name));
  const quoted = people ? peopleTexts(people.wording) : TEXTS.filter(isShown);
  const columns = cells.map(([name, expression]) => `${expression} AS ${pg.escapeIdentifier(name)}`);
  return `COPY (
    SELECT ${columns.join(', ')}
    ${donationsOf(condition)}
  ) TO STDOUT WITH (FORMAT csv, HEADER true, FORCE_QUOTE (${quoted.map((name) => pg.escapeIdentifier(name)).join(', ')}), ENCODING 'UTF8')`;
}
