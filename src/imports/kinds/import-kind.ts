import type { Actor } from '../../common/access/principal.js';
import type { FieldProblem } from '../../common/errors/domain-errors.js';
import type { EventRecord } from '../../events/event-record.js';
import type { DateOrder, Decimal } from '../donations/donation-fields.js';
import type { ChangedRow, ImportRow } from '../dto/import.dto.js';
import type { UploadedTable } from '../import-file.service.js';

/** Number of rows that are decided and written together, in one transaction. */
export const ROWS_AT_ONCE = 500;

export type RowDecision =
  | { readonly outcome: 'created' | 'changed' | 'same' }
  | { readonly outcome: 'wrong'; readonly problems: readonly FieldProblem[] };

/** How a file writes amounts and days. Undefined: the values have two meanings, and a person must choose. */
export interface FoundFormats {
  readonly decimal: Decimal | undefined;
  readonly dateOrder: DateOrder | undefined;
}

/** The rows of an uploaded file, read by the rules of one kind of list. */
export interface OpenedImport {
  readonly table: UploadedTable;
  /** How the file writes amounts and days; absent for a kind of list without them. */
  readonly formats?: FoundFormats;
  /** Decides all rows without writing anything. */
  decide(): Promise<readonly RowDecision[]>;
  /**
   * Writes the rows from `done` on, at most `ROWS_AT_ONCE`, and the progress of the import in the same transaction.
   * @throws Error if another process has continued the import
   */
  write(done: number): Promise<readonly RowDecision[]>;
}

/** The rules of one kind of list, such as a guest list. */
export interface ImportKind {
  readonly fields: readonly string[];

  /** Guesses the field of each column from its heading. */
  guess(headings: readonly string[]): (string | null)[];

  /**
   * Refuses a list that does not fit the state of the event.
   * @throws ConflictError
   */
  assertEvent(event: EventRecord): void;

  /** Reads the rows of an uploaded file. */
  open(row: ImportRow, table: UploadedTable): Promise<OpenedImport>;

  /**
   * @param read reads the uploaded file; undefined if another request has started the import in the meantime
   * @throws InvalidInputError `COLUMNS_INCOMPLETE`
   * @throws ConflictError if the event cannot take the rows
   */
  assertStarts(row: ImportRow, read: () => Promise<OpenedImport | undefined>): Promise<void>;

  /**
   * Undoes a finished import in one transaction: all of its rows or none.
   * @throws ConflictError `IMPORT_CHANGED`, `IMPORT_OVER`
   */
  undo(row: ImportRow, actor: Actor): Promise<void>;

  /** Returns the rows that were changed after the import. These rows prevent an undo. */
  changedRows(row: ImportRow): Promise<ChangedRow[]>;
}

/** Counts the outcomes of rows. */
export function countsOf(decisions: readonly RowDecision[]) {
  const counts = { created: 0, changed: 0, same: 0, wrong: 0 };
  for (const { outcome } of decisions) counts[outcome]++;
  return counts;
}

/** Returns the cells of a row by field. Columns without a field are left out. */
export const cellsByField = <Field extends string>(
  columns: readonly (Field | null)[],
  cells: readonly string[],
): Partial<Record<Field, string>> =>
  Object.fromEntries(
    columns.flatMap((field, column) => (field === null ? [] : [[field, cells[column] ?? '']])),
  ) as Partial<Record<Field, string>>;
