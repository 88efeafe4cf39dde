/** RFC 4180: CRLF between records. */
export const CRLF = '\r\n';
/** Without it a spreadsheet takes UTF-8 for something else. */
export const BOM = '\uFEFF';

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** One record; texts that a spreadsheet would run are disarmed by an apostrophe in front. */
export function csvRecord(cells: readonly (string | number | bigint | boolean | null)[]): string {
  return cells.map(csvCell).join(',') + CRLF;
}

function csvCell(cell: string | number | bigint | boolean | null): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  // Half of Europe's spreadsheets take `;` for the separator.
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
