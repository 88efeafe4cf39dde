import type { Statement } from '../data/database.js';

/** $1 year. The last number that was given, under lock until the commit. */
export const LAST_NUMBER: Statement = {
  name: 'receipt_counter_last',
  text: 'SELECT last_number FROM receipt_counter WHERE year = $1 FOR UPDATE',
};

/** $1 year, $2 number. Never back: a number given twice is repaired by nothing. */
export const RESUME_AFTER: Statement = {
  name: 'receipt_counter_resume',
  text: `INSERT INTO receipt_counter AS counter (year, last_number) VALUES ($1, $2)
    ON CONFLICT (year) DO UPDATE SET last_number = greatest(counter.last_number, excluded.last_number)
    RETURNING last_number`,
};
