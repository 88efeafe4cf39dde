import { causesOf, sqlStateOf } from './sql-state.js';

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  // Prisma: cannot reach, timed out, connection closed, pool exhausted, transaction took too long
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  // ours: no connection of the pool became free in time
  'POOL_TIMEOUT',
]);

/**
 * Classes of PostgreSQL's codes: 08 connection; 28 who signs in, such as a password that was changed below a running server; 53 no disk,
 * memory or connection left; 57 ended by hand, a limit or a stop; 58 the system below it.
 */
const CLASSES = /^(08|28|53|57|58)/;

const SQL_STATES = new Set([
  // conflicts that were retried as often as it makes sense: serialization failure, deadlock
  '40001',
  '40P01',
  // over a time limit: for a lock, idle in a transaction
  '55P03',
  '25P03',
  // it takes no writes: a standby, or nearly without disk
  '25006',
  // it is gone, or being restored
  '3D000',
]);

const NETWORK_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|Connection is closed|Cannot use a pool after calling end/i;

/** Whether an error says that the database or another dependency cannot be reached, or is too slow, just now. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlStateOf(error) ?? '';
  if (CLASSES.test(state) || SQL_STATES.has(state)) return true;
  return causesOf(error).some(({ code, message, errors }) => {
    if (typeof code === 'string' && NETWORK_CODES.has(code)) return true;
    if (typeof message === 'string' && NETWORK_MESSAGES.test(message)) return true;
    // A name with several addresses, none of which answers.
    return Array.isArray(errors) && errors.some((one) => isUnavailable(one));
  });
}
