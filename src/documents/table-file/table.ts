/** Limits of an uploaded table. */
export const MOST_ROWS = 20_000;
export const MOST_COLUMNS = 100;
/**
 * Maximum length of a cell. Longer cells are cut. Every field has a lower limit, so the check of the field
 * refuses a cut cell.
 */
const MOST_CHARACTERS = 2_000;

/** A row of a table: its number in the file, and its cells as texts. */
export interface TableRow {
  readonly number: number;
  readonly cells: readonly string[];
}

/** The error for a table file that cannot be read. */
export class TableError extends Error {
  constructor(readonly code: TableProblem) {
    super(code);
  }
}

/**
 * `TABLE_UNREADABLE`: neither a CSV file nor a workbook, damaged, or protected by a password; `TABLE_EMPTY`: no row below the headings;
 * `TABLE_TOO_LARGE`: too many rows or columns, or too large when unpacked
 */
export type TableProblem = 'TABLE_UNREADABLE' | 'TABLE_EMPTY' | 'TABLE_TOO_LARGE';

const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
/**
 * Matches the apostrophe that this service and spreadsheets put before a formula, so that the formula stays a
 * text.
 */
const PROTECTED_FORMULA = /^'(?=[=+\-@\t\r\n])/;

/**
 * Returns the text of a cell without surrounding white space and without direction marks, which copied names
 * may contain.
 */
export const cellText = (text: string): string =>
  text.slice(0, MOST_CHARACTERS).replace(DIRECTION_MARKS, '').replace(PROTECTED_FORMULA, '').trim();

/** Collects the rows of a table and refuses a table that is too large. */
export class RowCollector {
  readonly rows: TableRow[] = [];

  /** Adds a row, unless all its cells are empty. */
  add(number: number, cells: readonly string[]): void {
    const texts = cells.map(cellText);
    while (texts.at(-1) === '') texts.pop();
    if (texts.length === 0) return;
    // The first row contains the headings.
    if (texts.length > MOST_COLUMNS || this.rows.length > MOST_ROWS) throw new TableError('TABLE_TOO_LARGE');
    this.rows.push({ number, cells: texts });
  }
}
