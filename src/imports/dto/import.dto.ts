import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BlankIsAbsent, Check, OneOf, Text, WhenSent } from '../../common/validation/field.decorators.js';
import { RULES, type Rule } from '../../common/validation/broken-rule.js';
import type { TableImport } from '../../data/generated/client.js';
import {
  type CsvForm,
  DELIMITERS,
  type Delimiter,
  ENCODINGS,
  type Encoding,
} from '../../documents/table-file/csv-form.js';
import { MOST_COLUMNS } from '../../documents/table-file/table.js';
import { GUEST_FIELDS } from '../../guests/import/guest-fields.js';
import {
  DATE_ORDERS,
  type DateOrder,
  type Decimal,
  DECIMALS,
  PAST_FIELDS,
  PLEDGE_FIELDS,
} from '../donations/donation-fields.js';
import { KIND_NAMES, type KindName } from '../kinds/kind-names.js';

const ID = { format: 'uuid', example: '01937a5e-9e2b-7c31-8f40-5a7f0d1be6c2' };
export const IMPORT_STATUSES = ['uploaded', 'running', 'done', 'undone'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** The fields of all kinds of lists. */
const FIELDS: readonly string[] = [...new Set<string>([...GUEST_FIELDS, ...PLEDGE_FIELDS, ...PAST_FIELDS])];
const isField = (value: unknown): boolean => value === null || FIELDS.includes(value as string);
/** Languages in which the dashboard has texts. */
const LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'nl'] as const;

/** Query of `POST /events/:id/imports`. */
export class UploadList {
  @ApiPropertyOptional({ example: 'guests.xlsx' })
  @BlankIsAbsent()
  @Text({ max: 200 })
  fileName?: string;

  @ApiPropertyOptional({ default: 'guests', description: 'Kind of the rows in the file' })
  @BlankIsAbsent()
  @OneOf(KIND_NAMES)
  kind?: KindName;
}

/** Query of `GET /imports/:id/wrong-rows`. */
export class WrongRowsQuery {
  @ApiPropertyOptional({ default: 'en', description: 'Language of the problems' })
  @BlankIsAbsent()
  @OneOf(LANGUAGES)
  language?: (typeof LANGUAGES)[number];
}

/** Body of `POST /imports/:id/check`. Absent fields stay as they are. */
export class CheckImport {
  @ApiPropertyOptional({ example: ['name', 'email', null, 'table'] })
  @WhenSent()
  @Check(
    (value) => {
      if (!Array.isArray(value)) return 'must be a list';
      if (value.length > MOST_COLUMNS) return `must have at most ${MOST_COLUMNS} entries`;
      const fields = value.filter((one) => one !== null);
      if (!value.every(isField)) return 'must contain only known fields and null';
      return new Set(fields).size === fields.length ? undefined : 'must not contain a field twice';
    },
    {
      type: 'array',
      items: { type: 'string', nullable: true, enum: [...FIELDS] },
      maxItems: MOST_COLUMNS,
      description: 'Field of each column; null for a column to ignore',
    },
  )
  columns?: (string | null)[];

  @ApiPropertyOptional({ description: 'Encoding of a CSV file, if it was not found correctly' })
  @WhenSent()
  @OneOf(ENCODINGS)
  encoding?: Encoding;

  @ApiPropertyOptional({ description: 'Delimiter of a CSV file, if it was not found correctly' })
  @WhenSent()
  @OneOf(DELIMITERS)
  delimiter?: Delimiter;

  @ApiPropertyOptional({ description: 'Decimal sign of the amounts, if they have two meanings' })
  @WhenSent()
  @OneOf(DECIMALS)
  decimal?: Decimal;

  @ApiPropertyOptional({
    description: 'Order of day and month in days such as 03/04/2026, if they have two meanings',
  })
  @WhenSent()
  @OneOf(DATE_ORDERS)
  dateOrder?: DateOrder;
}

/** A column of the uploaded file. */
export class ImportColumn {
  @ApiProperty({ example: 'E-Mail' })
  heading: string;

  @ApiProperty({ type: 'string', nullable: true, enum: [...FIELDS], description: 'Null: ignored' })
  field: string | null;

  @ApiProperty({
    type: [String],
    example: ['mary@example.org'],
    description: 'Texts of the first rows; empty after the import',
  })
  examples: string[];
}

/** An uploaded list. */
export class ImportDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(ID)
  eventId: string;

  @ApiProperty({ enum: KIND_NAMES, example: 'guests' })
  kind: KindName;

  @ApiProperty({ enum: IMPORT_STATUSES })
  status: ImportStatus;

  @ApiProperty({ example: 'guests.xlsx' })
  fileName: string;

  @ApiProperty({ type: 'string', nullable: true, enum: [...ENCODINGS], description: 'Null for a workbook' })
  encoding: Encoding | null;

  @ApiProperty({ type: 'string', nullable: true, enum: [...DELIMITERS], description: 'Null for a workbook' })
  delimiter: Delimiter | null;

  @ApiProperty({ type: [ImportColumn] })
  columns: ImportColumn[];

  @ApiProperty({ example: 500, description: 'Rows below the headings' })
  rows: number;

  @ApiProperty({ example: 500, description: 'Rows that the import has worked on' })
  rowsDone: number;

  @ApiProperty({ example: 480 })
  created: number;

  @ApiProperty({ example: 12 })
  changed: number;

  @ApiProperty({ example: 5, description: 'Rows that are on the list already' })
  same: number;

  @ApiProperty({ example: 3, description: 'Rows that were not imported' })
  wrong: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T18:00:00.000Z' })
  createdAt: string;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, example: '2026-11-21T18:00:05.000Z' })
  finishedAt: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, example: null })
  undoneAt: string | null;
}

/** A cell that breaks a rule. */
export class ImportProblem {
  @ApiProperty({ example: 17, description: 'Number of the row in the file' })
  row: number;

  @ApiProperty({ example: 'email', description: 'Field of the guest or donation' })
  field: string;

  @ApiProperty({ enum: RULES, example: 'email', description: 'As in `fields` of `VALIDATION_FAILED`' })
  rule: Rule;

  @ApiPropertyOptional({ example: 200 })
  limit?: number;

  @ApiProperty({ example: 'email must be an e-mail address' })
  message: string;
}

/** How a file of donations writes amounts and days. Null: the values have two meanings, so the import needs a choice. */
export class ImportFormats {
  @ApiProperty({ type: 'string', nullable: true, enum: [...DECIMALS] })
  decimal: Decimal | null;

  @ApiProperty({ type: 'string', nullable: true, enum: [...DATE_ORDERS] })
  dateOrder: DateOrder | null;
}

/** Answer of `POST /imports/:id/check`: the result that the import would have. Nothing is imported. */
export class CheckedImport {
  @ApiProperty({ type: ImportDto })
  import: ImportDto;

  @ApiPropertyOptional({ type: ImportFormats, description: 'Absent for a guest list' })
  formats?: ImportFormats;

  @ApiProperty({ example: 480 })
  created: number;

  @ApiProperty({ example: 12 })
  changed: number;

  @ApiProperty({ example: 5 })
  same: number;

  @ApiProperty({ example: 3 })
  wrong: number;

  @ApiProperty({ type: [ImportProblem], description: 'The first 200 problems' })
  problems: ImportProblem[];
}

export class ImportList {
  @ApiProperty({ type: [ImportDto] })
  data: ImportDto[];
}

/** A row that was changed after the import. */
export class ChangedRow {
  @ApiProperty({ example: 17, description: 'Number of the row in the file' })
  number: number;

  @ApiProperty({ example: 'Mary Jones' })
  name: string;
}

export class ChangedRowList {
  @ApiProperty({ type: [ChangedRow] })
  data: ChangedRow[];
}

export class DiscardedImport {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: true })
  deleted: true;
}

/** An import without its file. */
export type ImportRow = Omit<TableImport, 'file' | 'wrongRows'>;

/** @param examples texts of the first rows by column */
export function toImport(row: ImportRow, examples: readonly (readonly string[])[] = []): ImportDto {
  const form = row.form as CsvForm | null;
  const fields = row.columns as (string | null)[];
  return {
    id: row.id,
    eventId: row.eventId,
    kind: row.kind as KindName,
    status: row.status as ImportStatus,
    fileName: row.fileName,
    encoding: form?.encoding ?? null,
    delimiter: form?.delimiter ?? null,
    columns: (row.headings as string[]).map((heading, index) => ({
      heading,
      field: fields[index] ?? null,
      examples: examples.map((cells) => cells[index] ?? '').filter((text) => text !== ''),
    })),
    rows: row.rowCount,
    rowsDone: row.rowsDone,
    created: row.createdCount,
    changed: row.changedCount,
    same: row.sameCount,
    wrong: row.wrongCount,
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
    undoneAt: row.undoneAt?.toISOString() ?? null,
  };
}
