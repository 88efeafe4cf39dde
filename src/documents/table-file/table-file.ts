import type { CsvForm } from './csv-form.js';
import { readCsv } from './csv-table.js';
import { TableError, type TableProblem, type TableRow } from './table.js';
import { readXlsx } from './xlsx-table.js';

// This code runs on the export thread, because a large file takes a second.

export interface TableFile {
  readonly bytes: Uint8Array;
  /** Encoding and delimiter that the user chose. Without them, they are guessed from the bytes. */
  readonly chosen: Partial<CsvForm>;
}

/** The table of a file: `form` is null for a workbook. The first row contains the headings. */
export type ReadTable =
  | { readonly ok: true; readonly form: CsvForm | null; readonly rows: readonly TableRow[] }
  | { readonly ok: false; readonly problem: TableProblem };

/** Reads a CSV file or the first sheet of an XLSX workbook. The result is a `ReadTable` in JSON. */
export async function readTableFile(file: TableFile): Promise<Uint8Array> {
  return new TextEncoder().encode(JSON.stringify(await tableOf(file)));
}

async function tableOf({ bytes, chosen }: TableFile): Promise<ReadTable> {
  try {
    const table = isZip(bytes) ? { form: null, rows: await readXlsx(bytes) } : readCsvFile(bytes, chosen);
    if (table.rows.length < 2) return { ok: false, problem: 'TABLE_EMPTY' };
    return { ok: true, ...table };
  } catch (error) {
    if (error instanceof TableError) return { ok: false, problem: error.code };
    throw error;
  }
}

const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;
/** True for old binary workbooks and for workbooks with a password, by their first bytes. */
const isOldWorkbook = (bytes: Uint8Array): boolean => bytes[0] === 0xd0 && bytes[1] === 0xcf;
const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 4)).toString('latin1') === '%PDF';

function readCsvFile(bytes: Uint8Array, chosen: Partial<CsvForm>) {
  if (isOldWorkbook(bytes) || isPdf(bytes)) throw new TableError('TABLE_UNREADABLE');
  return readCsv(bytes, chosen);
}
