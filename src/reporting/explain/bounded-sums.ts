import { UnavailableError } from '../../common/errors/domain-errors.js';
import { sqlStateOf } from '../../common/errors/sql-state.js';

const STATEMENT_TIMED_OUT = '57014';

/**
 * Runs a query that adds up many donations.
 * @throws UnavailableError `SUMS_TOO_SLOW` if the query exceeds the statement timeout
 */
export async function boundedSums<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (sqlStateOf(error) !== STATEMENT_TIMED_OUT) throw error;
    throw new UnavailableError(
      'SUMS_TOO_SLOW',
      'The sum takes too long at the moment; choose fewer donations or try again',
      30,
    );
  }
}
