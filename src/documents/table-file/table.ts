/** Limits of an uploaded table. */
export const MOST_ROWS = 20_000;
export const MOST_COLUMNS = 100;
/** Longer cells are cut here. Every field is shorter, so a cut cell is refused by the check of its field. */
const MOST_CHARACTERS = 2_000;

/** A row of a table: its number in the file, and its cells as texts. */
export interface TableRow {
  readonly number: number;
  readonly cells: readonly string[];
}

/** A table file could not be read. */
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
/** The apostrophe that this service and spreadsheets put before a formula, so that it stays a text. */
const PROTECTED_FORMULA = /^'(?=[=+\-@\t\r\n])/;

/** Returns the text of a cell: without direction marks, which come with copied names, and without surrounding white space. */
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
    // The first row has the headings.
    if (texts.length > MOST_COLUMNS || this.rows.length > MOST_ROWS) throw new TableError('TABLE_TOO_LARGE');
    this.rows.push({ number, cells: texts });
  }
}
