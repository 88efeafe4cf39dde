import type { RefusedField } from '../common/errors/error-body.js';
import { BOM, csvRecord } from '../documents/csv/csv-text.js';
import type { TableRow } from '../documents/table-file/table.js';
import { fill, languageOfTexts, type Texts, textsOf } from '../pages/texts.js';
import type { RowDecision } from './kinds/import-kind.js';

/*
 * The rows that were not imported, each with its problems. They are stored without words, because only the reader of the file
 * has a language.
 */

const PAGE = 'admin';
// eslint-disable-next-line no-control-regex -- PostgreSQL cannot search a text with these characters
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g;

interface WrongRow {
  readonly cells: readonly string[];
  readonly problems: readonly RefusedField[];
}

export interface WrongRows {
  readonly headings: readonly string[];
  readonly rows: readonly WrongRow[];
}

/** Returns the wrong rows among the decided rows. */
export function wrongRowsOf(
  headings: readonly string[],
  rows: readonly TableRow[],
  decisions: readonly RowDecision[],
): WrongRows {
  return {
    headings,
    rows: rows.flatMap(({ cells }, index) => {
      const decision = decisions[index];
      if (decision?.outcome !== 'wrong') return [];
      const padded = headings.map((_, column) => (cells[column] ?? '').replace(CONTROL, '\uFFFD'));
      const problems = decision.problems.map(({ message: _, ...problem }) => problem);
      return [{ cells: padded, problems }];
    }),
  };
}

/** Stored form of the wrong rows. */
export const storedWrongRows = (wrong: WrongRows): Buffer => Buffer.from(JSON.stringify(wrong));

/** Reads the stored wrong rows; undefined for a finished file of an earlier release, which has English problems. */
export function readWrongRows(stored: Buffer): WrongRows | undefined {
  const text = stored.toString('utf8');
  return text.startsWith('{') ? (JSON.parse(text) as WrongRows) : undefined;
}

/** How the page of the import names the fields: the kind of the list, and the field of each column. */
export interface FieldNames {
  /** Prefix of the texts, such as `guest`. */
  readonly group: string;
  readonly columns: readonly (string | null)[];
}

/**
 * Returns the wrong rows as a CSV file with the problems of each row in the reader's language, so that the reader can correct
 * the file and upload it. The words are those of the page.
 */
export function wrongRowsFile({ headings, rows }: WrongRows, names: FieldNames, language: string): Buffer {
  const texts = textsOf(PAGE, language);
  const digits = new Intl.NumberFormat(languageOfTexts(PAGE, language));
  const said = (problem: RefusedField) =>
    fill(texts['invalid.line'], {
      field:
        headingOf(problem.field, headings, names) ??
        texts[`${names.group}.field.${problem.field}`] ??
        problem.field,
      text: textOf(texts, names.group, problem, digits),
    });
  const records = rows.map(({ cells, problems }) => csvRecord([...cells, problems.map(said).join(' ')]));
  return Buffer.from(BOM + csvRecord([...headings, texts['import.problem'] ?? '']) + records.join(''));
}

function headingOf(field: string, headings: readonly string[], { columns }: FieldNames): string | undefined {
  const column = columns.indexOf(field);
  const heading = column < 0 ? '' : headings[column];
  return heading === '' ? undefined : heading;
}

function textOf(
  texts: Texts,
  group: string,
  { field, rule, limit }: RefusedField,
  digits: Intl.NumberFormat,
) {
  const text = texts[`invalid.${group}.${field}.${rule}`] ?? texts[`invalid.${rule}`];
  return fill(text, limit === undefined ? {} : { limit: digits.format(limit) });
}
