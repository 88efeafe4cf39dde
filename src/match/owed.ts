import type { PoolRow } from './match.sql.js';

/** Sum that the matcher owes in all: the drawn sum, or the whole promise if the matcher gives it in any case. */
export const owedOf = ({ remainder, cap, drawn }: Pick<PoolRow, 'remainder' | 'cap' | 'drawn'>): bigint =>
  remainder === 'given_anyway' ? cap : drawn;
