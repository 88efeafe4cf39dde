import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionOptions } from './connections.js';
import { type ConnectProblem, connectProblem, DatabaseUnusableError, POOLER } from './connect.js';

const RETRY_MS = 1_000;
const CONNECT_MS = 3_000;

/**
 * Waits until the database answers. After a power cut, for example, the server may start earlier than the database.
 * @param say called once if the function has to wait
 * @throws DatabaseUnusableError if the database refuses the connection or is not available in time
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
    if (problem.final || performance.now() > deadline) throw new DatabaseUnusableError(problem.reason);
    if (attempt === 1) say(`Waiting for the database, up to ${patienceMs / 1_000} s: ${problem.reason}`);
    await sleep(RETRY_MS);
  }
}

async function problemOf(databaseUrl: string): Promise<ConnectProblem | undefined> {
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
    const own = await backendOf(await connected());
    // A pooler in transaction mode gives the second client the same server connection that the first client has just used.
    return own === (await backendOf(await connected())) ? { reason: POOLER, final: true } : undefined;
  } catch (error) {
    return connectProblem(error);
  } finally {
    for (const one of clients) await one.end().catch(() => undefined);
  }
}

async function backendOf(client: pg.Client): Promise<number | undefined> {
  return (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
}
