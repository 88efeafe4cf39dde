import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionOptions } from './connections.js';
import { type ConnectProblem, connectProblem, DatabaseUnusableError } from './connect.js';

const POOLER =
  'a pooler such as PgBouncer in transaction mode is in between, which loses locks and notifications; ' +
  'connect to PostgreSQL itself, the service has a pool of its own';

const RETRY_MS = 1_000;
const CONNECT_MS = 3_000;

/**
 * Waits for the database to answer, as after a power cut when everything starts at once.
 * @param say is called when there is something to wait for, and when names may be lost
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
    if ('warning' in problem) {
      say(problem.warning);
      return;
    }
    if (problem.final || performance.now() > deadline) throw new DatabaseUnusableError(problem.reason);
    if (attempt === 1) say(`Waiting for the database, up to ${patienceMs / 1_000} s: ${problem.reason}`);
    await sleep(RETRY_MS);
  }
}

// Refused only where nothing is in it yet (`npm run migrate`): an evening goes on.
const notUtf8 = (encoding = 'nothing known') =>
  `The database is encoded in ${encoding}, which cannot hold every name: move it to one that is made with ` +
  'createdb --encoding=UTF8 --template=template0';

async function problemOf(databaseUrl: string): Promise<ConnectProblem | { warning: string } | undefined> {
  const clients: pg.Client[] = [];
  const connected = async () => {
    const client = new pg.Client({
      ...connectionOptions(databaseUrl, 'donations-start'),
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
    });
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  };
  try {
    const { pid, encoding } = await backendOf(await connected());
    // A pooler that lends server connections for a transaction gives the second client what the first just used.
    if (pid === (await backendOf(await connected())).pid) return { reason: POOLER, final: true };
    return encoding === 'UTF8' ? undefined : { warning: notUtf8(encoding) };
  } catch (error) {
    const problem = connectProblem(error);
    if (problem.reason.includes('unsupported startup parameter'))
      return { reason: `${POOLER} (${problem.reason})`, final: true };
    return problem;
  } finally {
    for (const one of clients) await one.end().catch(() => undefined);
  }
}

async function backendOf(client: pg.Client): Promise<{ pid?: number; encoding?: string }> {
  const { rows } = await client.query<{ pid: number; encoding: string }>(
    "SELECT pg_backend_pid() AS pid, current_setting('server_encoding') AS encoding",
  );
  return rows[0] ?? {};
}
