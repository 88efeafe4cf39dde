/** RFC 4180: CRLF between records. */
export const CRLF = '\r\n';
/** Without it a spreadsheet takes UTF-8 for something else. */
export const BOM = '\uFEFF';

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A decimal number with all its places: a text of digits that is no text. */
export class ExactNumber {
  constructor(readonly digits: string) {}
}

export type CsvCell = string | number | bigint | boolean | null | ExactNumber;

/** One record; texts that a spreadsheet would run are disarmed by an apostrophe in front. */
export function csvRecord(cells: readonly CsvCell[]): string {
  return cells.map(csvCell).join(',') + CRLF;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (cell instanceof ExactNumber) return cell.digits;
  if (typeof cell !== 'string') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  // Half of Europe's spreadsheets take `;` for the separator.
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
