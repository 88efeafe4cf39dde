import { ConflictError, InvalidInputError, NotFoundError } from '../common/errors/domain-errors.js';

export const importMissing = () => new NotFoundError('IMPORT_NOT_FOUND', 'There is no such import');

export const importOver = () =>
  new ConflictError('IMPORT_OVER', 'The import was started, or its file was deleted; upload the file again');

export const columnsIncomplete = (message: string) => new InvalidInputError('COLUMNS_INCOMPLETE', message);

const MOST_NAMED = 20;

/** @param items the imported things, in the plural */
export function changedLater(items: string, numbers: readonly number[]): ConflictError {
  const named = numbers.slice(0, MOST_NAMED).join(', ');
  const more = numbers.length > MOST_NAMED ? ` and ${numbers.length - MOST_NAMED} more` : '';
  return new ConflictError(
    'IMPORT_CHANGED',
    `${items} were changed after the import, in rows ${named}${more}`,
  );
}
