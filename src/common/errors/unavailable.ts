import { types } from 'node:util';

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  // PostgreSQL: class 08 (connection), 57P01..03 (shutting down, starting), 53300 (too many connections)
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
  // Prisma: cannot reach, timed out, connection closed, pool exhausted
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  // ours: no connection of the pool became free in time
  'POOL_TIMEOUT',
]);

const NETWORK_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Connection is closed|Cannot use a pool after calling end/i;

/** Whether an error says that the database or another dependency cannot be reached just now. */
export function isUnavailable(error: unknown): boolean {
  let current = error;
  for (let depth = 0; isError(current) && depth < 5; depth++) {
    const { code, errors } = current as { code?: unknown; errors?: unknown };
    if (typeof code === 'string' && NETWORK_CODES.has(code)) return true;
    if (NETWORK_MESSAGES.test(current.message)) return true;
    // A name with several addresses, none of which answers.
    if (Array.isArray(errors) && errors.some((one) => isUnavailable(one))) return true;
    current = current.cause;
  }
  return false;
}

// An error of Node's own, made in another realm, is no instance of this realm's Error.
const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);
