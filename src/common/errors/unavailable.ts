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

const SQL_STATES = new Set([
  // class 08 (connection), 57P01..03 (shutting down, starting), 53300 (too many connections)
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  // conflicts that were retried as often as it makes sense: serialization failure, deadlock
  '40001',
  '40P01',
  // over a time limit: for a lock, for a statement (or cancelled by hand), idle in a transaction
  '55P03',
  '57014',
  '25P03',
]);

const NETWORK_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|Connection is closed|Cannot use a pool after calling end/i;

/** Whether an error says that the database or another dependency cannot be reached, or is too slow, just now. */
export function isUnavailable(error: unknown): boolean {
  if (SQL_STATES.has(sqlStateOf(error) ?? '')) return true;
  return causesOf(error).some(({ code, message, errors }) => {
    if (typeof code === 'string' && NETWORK_CODES.has(code)) return true;
    if (typeof message === 'string' && NETWORK_MESSAGES.test(message)) return true;
    // A name with several addresses, none of which answers.
    return Array.isArray(errors) && errors.some((one) => isUnavailable(one));
  });
}
