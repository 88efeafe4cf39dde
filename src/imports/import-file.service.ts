import { Injectable } from '@nestjs/common';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import type { CsvForm } from '../documents/table-file/csv-form.js';
import { MOST_COLUMNS, MOST_ROWS, type TableProblem, type TableRow } from '../documents/table-file/table.js';
import type { ReadTable, readTableFile } from '../documents/table-file/table-file.js';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction } from '../documents/thread/thread-messages.js';

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
