import { parse } from 'csv-parse/sync';
import { type CsvForm, DELIMITERS, type Delimiter, type Encoding } from './csv-form.js';
import { RowCollector, type TableRow, TableError } from './table.js';

const LINE_ENDS = ['\r\n', '\n', '\r'];
/** Length of the start of a file that is used to guess the delimiter. */
const SAMPLE_CHARACTERS = 64 * 1024;
const SAMPLE_ROWS = 20;

/**
 * Reads a CSV file.
 * @param chosen encoding and delimiter; a missing one is guessed from the bytes
 * @throws TableError
 */
export function readCsv(bytes: Uint8Array, chosen: Partial<CsvForm>): { form: CsvForm; rows: TableRow[] } {
  const encoding = chosen.encoding ?? encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  const delimiter = chosen.delimiter ?? delimiterOf(text);
  const collector = new RowCollector();
  let number = 0;
  for (const record of records(text, delimiter)) collector.add(++number, record);
  return { form: { encoding, delimiter }, rows: collector.rows };
}

function records(text: string, delimiter: Delimiter, to = -1): string[][] {
  try {
    return parse(text, {
      bom: true,
      delimiter,
      record_delimiter: LINE_ENDS,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: false,
      ...(to > 0 ? { to } : {}),
    });
  } catch {
    // For example, a quotation mark is never closed.
    throw new TableError('TABLE_UNREADABLE');
  }
}

/**
 * Guesses the encoding. A UTF-16 file starts with a byte order mark. A file that is neither UTF-16 nor valid
 * UTF-8 is probably from Windows.
 */
function encodingOf(bytes: Uint8Array): Encoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** Returns the delimiter that divides the most rows into the same number of columns, and into the most columns. */
function delimiterOf(text: string): Delimiter {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const scored = DELIMITERS.map((delimiter) => ({ delimiter, score: scoreOf(sample, delimiter) }));
  return scored.reduce((best, one) => (one.score > best.score ? one : best)).delimiter;
}

function scoreOf(sample: string, delimiter: Delimiter): number {
  let rows: string[][];
  try {
    rows = records(sample, delimiter, SAMPLE_ROWS);
  } catch {
    return 0;
  }
  const columns = rows[0]?.length ?? 0;
  const alike = rows.filter(({ length }) => length === columns).length;
  return columns < 2 ? 0 : (alike / rows.length) * columns;
}
