// The database that scripts use: DATABASE_URL if it is set, otherwise the embedded database in DATA_DIR. If
// `npm start` is not running this embedded database, the script starts it, and stops it at the end.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { runningServer, startEmbeddedPostgres } from './embedded-postgres.mjs';

const NAME = 'donations';

export const dataFolder = () => resolve(process.env.DATA_DIR || '.data');

/** @returns {Promise<{ url: string, embedded: boolean, exited?: Promise<void>, stop(): Promise<void> }>} */
export async function openDatabase() {
  if (process.env.DATABASE_URL)
    return { url: process.env.DATABASE_URL, embedded: false, stop: async () => undefined };
  const server = await startEmbeddedPostgres({ dataDir: join(dataFolder(), 'postgres') });
  return { ...server, url: await serviceDatabase(server.url), embedded: true };
}

/** Runs `work` with the URL of the service's database. Fails if this database does not exist yet. */
export async function withDatabase(work) {
  const folder = join(dataFolder(), 'postgres');
  if (!process.env.DATABASE_URL && !existsSync(folder)) {
    throw new Error(
      'The database does not exist yet: set DATABASE_URL, or run "npm start" once for an embedded one.',
    );
  }
  const running = process.env.DATABASE_URL ? undefined : runningServer(folder);
  if (running) return work(await serviceDatabase(running));
  const database = await openDatabase();
  try {
    return await work(database.url);
  } finally {
    await database.stop();
  }
}

async function serviceDatabase(serverUrl) {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [NAME]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${NAME}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${NAME}`;
  return url.href;
}
