import { RefusedFieldsError } from '../common/errors/domain-errors.js';
import type { StatementQuery } from './dto/donor.dto.js';

/** The days of a statement, `YYYY-MM-DD`, both included. */
export interface StatementPeriod {
  readonly from: string;
  readonly to: string;
}

export const periodOfYear = (year: number): StatementPeriod => ({
  from: `${year}-01-01`,
  to: `${year}-12-31`,
});

/** Name of the file: with the year, or with both days. */
export const statementFile = (period: StatementPeriod): string =>
  `statement-${yearOf(period) ?? `${period.from}-${period.to}`}.pdf`;

/** Returns the year of a period that is a calendar year. */
export function yearOf({ from, to }: StatementPeriod): string | undefined {
  const year = from.slice(0, 4);
  return from === `${year}-01-01` && to === `${year}-12-31` ? year : undefined;
}

/**
 * Reads the period of a statement.
 * @throws RefusedFieldsError without a period, with two, or with a last day before the first
 */
export function periodOf({ year, from, to }: StatementQuery): StatementPeriod {
  const refuse = (field: keyof StatementQuery, rule: 'required' | 'other', message: string) =>
    new RefusedFieldsError([{ field, rule, message }]);
  if (year !== undefined) {
    if (from !== undefined || to !== undefined)
      throw refuse('year', 'other', 'year is not allowed with from and to');
    return periodOfYear(year);
  }
  if (from === undefined) throw refuse('from', 'required', 'from is required without year');
  if (to === undefined) throw refuse('to', 'required', 'to is required without year');
  if (to < from) throw refuse('to', 'other', 'to must not be before from');
  return { from, to };
}
