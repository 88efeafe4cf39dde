import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { connectionOptions } from './connections.js';

const POOLER =
  'a pooler such as PgBouncer in transaction mode is in between, which loses locks and notifications; ' +
  'connect to PostgreSQL itself, the service has a pool of its own';

/** The database cannot be used as it is configured; the message is one line for the operator. */
export class DatabaseUnusableError extends Error {}

const RETRY_MS = 1_000;
const CONNECT_MS = 3_000;
// Waiting does not help: no such user, wrong password, no such database, not allowed.
const REFUSED = /^(28...|3D000|42501)$/;

/**
 * Waits for the database to answer, as after a power cut when everything starts at once.
 * @param say is called once, when there is something to wait for
 * @throws DatabaseUnusableError when it refuses us, or is not there in time
 */
export async function awaitDatabase(
  databaseUrl: string,
  patienceMs: number,
  say: (line: string) => void,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt++) {
    const problem = await problemOf(databaseUrl);
    if (problem === undefined) return;
    if (problem.final || performance.now() > deadline)
      throw new DatabaseUnusableError(`DATABASE_URL leads to no usable database: ${problem.reason}`);
    if (attempt === 1) say(`Waiting for the database, up to ${patienceMs / 1_000} s: ${problem.reason}`);
    await sleep(RETRY_MS);
  }
}

async function problemOf(databaseUrl: string): Promise<{ reason: string; final: boolean } | undefined> {
  const options = {
    ...connectionOptions(databaseUrl, 'donations-start'),
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  };
  const client = new pg.Client(options);
  client.on('error', () => undefined);
  const other = new pg.Client(options);
  other.on('error', () => undefined);
  try {
    await client.connect();
    const own = await backendOf(client);
    await other.connect();
    // A pooler that lends server connections for a transaction gives the second client what the first just used.
    return own === (await backendOf(other)) ? { reason: POOLER, final: true } : undefined;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason.includes('unsupported startup parameter'))
      return { reason: `${POOLER} (${reason})`, final: true };
    return { reason, final: REFUSED.test(sqlStateOf(error) ?? '') };
  } finally {
    for (const one of [client, other]) await one.end().catch(() => undefined);
  }
}

async function backendOf(client: pg.Client): Promise<number | undefined> {
  return (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
}

/** A name with several addresses fails with several errors and no message of its own. */
function reasonOf(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: unknown[] };
  if (message) return message;
  return errors?.[0] ? reasonOf(errors[0]) : (code ?? 'it does not answer');
}
