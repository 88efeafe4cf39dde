import { Injectable } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { BOM, csvRecord } from '../documents/csv/csv-text.js';
import type { CsvForm } from '../documents/table-file/csv-form.js';
import { MOST_COLUMNS, MOST_ROWS, type TableProblem, type TableRow } from '../documents/table-file/table.js';
import type { ReadTable, readTableFile } from '../documents/table-file/table-file.js';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction } from '../documents/thread/thread-messages.js';
import type { GuestField } from '../guests/import/guest-fields.js';
import { type Decision, type KeyedRow, RowKeys } from '../guests/import/guest-plan.js';
import { readGuest } from '../guests/import/guest-row.js';

// eslint-disable-next-line no-control-regex -- PostgreSQL cannot search a text with these characters
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g;
/** Number of rows that are checked without a pause. */
const AT_ONCE = 200;

const READ: ThreadFunction<Parameters<typeof readTableFile>[0], Uint8Array> = {
  file: threadFile('documents/table-file/table-file.js'),
  name: 'readTableFile',
};

/** The table of an uploaded file. */
export interface UploadedTable {
  /** Null for a workbook. */
  readonly form: CsvForm | null;
  readonly headings: readonly string[];
  readonly rows: readonly TableRow[];
}

/** Reads uploaded files. */
@Injectable()
export class ImportFiles {
  constructor(private readonly thread: ExportThread) {}

  /**
   * Reads the table of a file on the export thread.
   * @param chosen encoding and delimiter of a CSV file; a missing one is guessed from the bytes
   * @throws InvalidInputError `TABLE_UNREADABLE`, `TABLE_EMPTY`, `TABLE_TOO_LARGE`
   */
  async table(bytes: Uint8Array, chosen: Partial<CsvForm> = {}): Promise<UploadedTable> {
    const answer = await this.thread.bytes(READ, { bytes, chosen });
    const read = JSON.parse(answer.toString('utf8')) as ReadTable;
    if (!read.ok) throw REFUSALS[read.problem]();
    const [headings, ...rows] = read.rows;
    return { form: read.form, headings: headings?.cells ?? [], rows };
  }
}

const REFUSALS: Readonly<Record<TableProblem, () => InvalidInputError>> = {
  TABLE_UNREADABLE: () =>
    new InvalidInputError(
      'TABLE_UNREADABLE',
      'The file is neither a CSV file nor an XLSX workbook, or it is damaged or protected by a password',
    ),
  TABLE_EMPTY: () => new InvalidInputError('TABLE_EMPTY', 'The file has no rows below its heading row'),
  TABLE_TOO_LARGE: () =>
    new InvalidInputError(
      'TABLE_TOO_LARGE',
      `The table has more than ${MOST_ROWS} rows or ${MOST_COLUMNS} columns, or its unpacked size is above 64 MB`,
    ),
};

/** Reads each row as a guest. Pauses between the rows, so that other requests do not wait. */
export async function keyedRows(
  rows: readonly TableRow[],
  columns: readonly (GuestField | null)[],
): Promise<KeyedRow[]> {
  const keys = new RowKeys();
  const keyed: KeyedRow[] = [];
  for (const [index, { number, cells }] of rows.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const named = columns.flatMap((field, column) =>
      field === null ? [] : [[field, cells[column] ?? ''] as const],
    );
    keyed.push(keys.of(number, readGuest(Object.fromEntries(named))));
  }
  return keyed;
}

/**
 * Returns the wrong rows as a CSV file with the problems of each row, so that a user can correct the file and
 * upload it.
 */
export function wrongRowsFile(
  headings: readonly string[],
  rows: readonly TableRow[],
  decisions: readonly Decision[],
): Buffer {
  const records = rows.flatMap(({ cells }, index) => {
    const decision = decisions[index];
    if (decision?.outcome !== 'wrong') return [];
    const padded = headings.map((_, column) => (cells[column] ?? '').replace(CONTROL, '\uFFFD'));
    return [csvRecord([...padded, decision.problems.map(({ message }) => message).join('; ')])];
  });
  return Buffer.from(BOM + csvRecord([...headings, 'problem']) + records.join(''));
}
