import { causesOf, sqlStateOf } from './sql-state.js';

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  // Prisma: cannot reach the database, timed out, connection closed, pool exhausted, transaction took too long
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
 * PostgreSQL error classes: 08 connection; 28 authentication, for example after a change of the password; 53 disk, memory or
 * connections exhausted; 57 cancelled or shut down; 58 system error.
 */
const CLASSES = /^(08|28|53|57|58)/;

const SQL_STATES = new Set([
  // conflicts that remained after the last retry: serialization failure, deadlock
  '40001',
  '40P01',
  // time limit exceeded: waiting for a lock, idle in a transaction
  '55P03',
  '25P03',
  // read-only server: a standby, or a server whose disk is almost full
  '25006',
  // the database is missing, or is being restored
  '3D000',
]);

const NETWORK_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|Connection is closed|Cannot use a pool after calling end/i;

/** True if the error means that the database or another dependency is unreachable or too slow at the moment. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlStateOf(error) ?? '';
  if (CLASSES.test(state) || SQL_STATES.has(state)) return true;
  return causesOf(error).some(({ code, message, errors }) => {
    if (typeof code === 'string' && NETWORK_CODES.has(code)) return true;
    if (typeof message === 'string' && NETWORK_MESSAGES.test(message)) return true;
    // A host name can have several addresses. If none of them answers, the error contains one error for each address.
    return Array.isArray(errors) && errors.some((one) => isUnavailable(one));
  });
}
