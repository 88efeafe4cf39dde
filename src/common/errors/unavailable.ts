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
  for (
    let current = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth++
  ) {
    const { code } = current as { code?: unknown };
    if (typeof code === 'string' && NETWORK_CODES.has(code)) return true;
    if (NETWORK_MESSAGES.test(current.message)) return true;
    if (current instanceof AggregateError && current.errors.some((one) => isUnavailable(one))) return true;
  }
  return false;
}
