import { newId } from './ids.js';

/**
 * The twin event of a rehearsal has an id that ends with these digits. So a statement, a page and a till recognize a twin
 * without a look-up, also after the twin was deleted. A check in the database allows the digits for twins only.
 */
export const REHEARSAL_DIGITS = '726568656172';

export const newRehearsalId = (): string => newId().slice(0, -REHEARSAL_DIGITS.length) + REHEARSAL_DIGITS;

export const isRehearsal = (eventId: string): boolean => eventId.endsWith(REHEARSAL_DIGITS);

/** SQL condition that leaves out the rows of rehearsals. @param eventId column with the id of the event */
export const notRehearsal = (eventId: string): string =>
  `right(${eventId}::text, ${REHEARSAL_DIGITS.length}) <> '${REHEARSAL_DIGITS}'`;
