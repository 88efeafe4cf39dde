import pg from 'pg';
import { toJsonAmount } from '../../common/money/json-amount.js';
import {
  columnsWhere,
  DONATION_COLUMNS,
  type DonationColumn,
  type DonationRow,
  type ShownType,
} from '../store/donation-columns.js';
import { type AnswerField, columnsOf, READ_INSTEAD, toDonation } from './donation.dto.js';

/** A row as PostgreSQL sends it: the text of each column, null where it is empty. */
export type Texts = readonly (string | null)[];

/** Writes donations for answers as `toDonation` maps them, without making anything of a row but its JSON. */
export interface DonationWriter {
  /** What it reads, in this order; the first of what `read` gives of a row. */
  readonly columns: readonly DonationColumn[];
  /** @param refundPending as `refundsPending` reads it */
  readonly json: (row: Texts, refundPending?: bigint) => string;
  /** A column of a row; null also where it was not asked for. */
  readonly read: (row: Texts, column: DonationColumn) => string | null;
}

/** Where a field's text is found, and what becomes of it. */
interface Part {
  readonly name: string;
  readonly at: number;
  /** Where else, should it be empty there. */
  readonly instead: number;
  readonly json: (text: string) => string;
  /** Undefined where an empty field is left out. */
  readonly empty: string | undefined;
}

/** What PostgreSQL writes of a type, as JSON. */
const JSON_OF: Readonly<Record<ShownType, (text: string) => string>> = {
  // Nothing in them needs an escape.
  uuid: (text) => `"${text}"`,
  donation_type: (text) => `"${text}"`,
  donation_status: (text) => `"${text}"`,
  text: (text) => JSON.stringify(text),
  boolean: (text) => (text === 't' ? 'true' : 'false'),
  // So many digits are a safe integer; of more it is asked.
  bigint: (text) => (text.length < 16 ? text : String(toJsonAmount(BigInt(text)))),
  timestamptz: (text) => `"${isoText(text)}"`,
};

/** The mapping of a donation of which every column that can be empty is: what it shows of it, in its order. */
const EMPTY: Readonly<Partial<Record<string, unknown>>> = { ...toDonation(emptyRow(), 1n) };

/** Fields as an answer has them when all are asked for. */
const IN_ORDER = Object.keys(EMPTY) as AnswerField[];

/** Writes all fields of a donation. */
export const WHOLE_DONATION = donationWriter(IN_ORDER);

/** Writes these fields, in this order. */
export function donationWriter(fields: readonly AnswerField[]): DonationWriter {
  const columns = columnsOf(fields);
  const parts = fields.map((field): Part | null =>
    field === 'refundPending' ? null : partOf(field, columns),
  );
  return {
    columns,
    json: (row, refundPending) => written(parts, row, refundPending),
    read: (row, column) => row[columns.indexOf(column)] ?? null,
  };
}

function partOf(field: AnswerField, columns: readonly DonationColumn[]): Part {
  const [column] = columnsWhere((definition) => definition.field === field);
  if (!column) throw new Error(`no column has the field ${field}`);
  const instead = READ_INSTEAD[field];
  return {
    name: `${JSON.stringify(field)}:`,
    at: columns.indexOf(column),
    instead: columns.indexOf(instead ?? column),
    json: JSON_OF[DONATION_COLUMNS[column].type as ShownType],
    empty: EMPTY[field] === undefined ? undefined : 'null',
  };
}

function written(parts: readonly (Part | null)[], row: Texts, refundPending = 0n): string {
  let json = '';
  for (const part of parts) {
    let value: string | undefined;
    if (part === null) {
      if (refundPending > 0n) value = `"refundPending":${toJsonAmount(refundPending)}`;
    } else {
      const text = row[part.at] ?? row[part.instead];
      const found = text === null || text === undefined ? part.empty : part.json(text);
      if (found !== undefined) value = part.name + found;
    }
    if (value !== undefined) json += json === '' ? `{${value}` : `,${value}`;
  }
  return json === '' ? '{}' : `${json}}`;
}

const UTC = '+00';

/** `2026-11-21 19:30:00.123456+00` as `toISOString` has it: milliseconds, the rest cut off. */
function isoText(text: string): string {
  const isPlain = text[4] === '-' && text[10] === ' ' && text.endsWith(UTC);
  if (!isPlain) return careful(text);
  const fraction = text.slice(20, -UTC.length);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

/** Another zone or style of the server, or a time far from ours. */
const careful = (text: string): string =>
  (pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date)(text).toISOString();

function emptyRow(): DonationRow {
  const stands = { timestamptz: new Date(0), bigint: 0n } as Record<string, unknown>;
  return Object.fromEntries(
    columnsWhere(() => true).map((column) => {
      const { type, nullable } = DONATION_COLUMNS[column];
      return [column, nullable ? null : (stands[type] ?? '')];
    }),
  ) as unknown as DonationRow;
}
