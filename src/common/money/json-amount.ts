import { ConflictError } from '../errors/domain-errors.js';

/**
 * A bigint of the database as a JSON number.
 * @throws ConflictError `TOTAL_OUT_OF_RANGE` beyond the safe integers, where a number would lie.
 */
export function toJsonAmount(amount: bigint): number {
  const number = Number(amount);
  if (!Number.isSafeInteger(number))
    throw new ConflictError('TOTAL_OUT_OF_RANGE', 'An amount is more than can be counted');
  return number;
}
