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
  // this service: no connection of the pool became free in time
  'POOL_TIMEOUT',
]);

/**
 * PostgreSQL error classes: 08 connection; 28 authentication, such as a password changed while the server runs; 53 no disk, memory or
 * connection left; 57 cancelled or shut down; 58 system error.
 */
const CLASSES = /^(08|28|53|57|58)/;

const SQL_STATES = new Set([
  // conflicts after the maximum number of retries: serialization failure, deadlock
  '40001',
  '40P01',
  // over a time limit: for a lock, idle in a transaction
  '55P03',
  '25P03',
  // read-only: a standby, or nearly without disk
  '25006',
  // missing, or being restored
  '3D000',
]);

const NETWORK_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|Connection is closed|Cannot use a pool after calling end/i;

/** True if an error says that the database or another dependency is unreachable or too slow at the moment. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlStateOf(error) ?? '';
  if (CLASSES.test(state) || SQL_STATES.has(state)) return true;
  return causesOf(error).some(({ code, message, errors }) => {
    if (typeof code === 'string' && NETWORK_CODES.has(code)) return true;
    if (typeof message === 'string' && NETWORK_MESSAGES.test(message)) return true;
    // A name with several addresses, of which none answers.
    return Array.isArray(errors) && errors.some((one) => isUnavailable(one));
  });
}
