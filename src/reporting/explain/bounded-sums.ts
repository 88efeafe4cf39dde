import { UnavailableError } from '../../common/errors/domain-errors.js';
import { sqlStateOf } from '../../common/errors/sql-state.js';

const STATEMENT_TIMED_OUT = '57014';

/**
 * Work that adds up as many donations as there are.
 * @throws UnavailableError `SUMS_TOO_SLOW` where it takes longer than a statement may
 */
export async function boundedSums<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (sqlStateOf(error) !== STATEMENT_TIMED_OUT) throw error;
    throw new UnavailableError(
      'SUMS_TOO_SLOW',
      'Adding this up takes longer than the server allows at the moment: choose fewer donations, or try again',
      30,
    );
  }
}
