/** RFC 4180: records end in CRLF. */
export const CRLF = '\r\n';
/** Byte order mark: without it, spreadsheets do not recognize UTF-8. */
export const BOM = '\uFEFF';

/** Characters at the start of a text that make a spreadsheet run the text as a formula. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A decimal number with all its digits. The cell has no quotes and no protection against formulas. */
export class ExactNumber {
  constructor(readonly digits: string) {}
}

export type CsvCell = string | number | bigint | boolean | null | ExactNumber;

/** Formats one record. An apostrophe before a formula stops spreadsheets from running the formula. */
export function csvRecord(cells: readonly CsvCell[]): string {
  return cells.map(csvCell).join(',') + CRLF;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (cell instanceof ExactNumber) return cell.digits;
  if (typeof cell !== 'string') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  // A cell with `;` is quoted too, because many European spreadsheets use `;` as the separator.
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
