import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  /** Ends every connection to the database and deletes the database. */
  drop(): Promise<void>;
}

/** Creates a migrated, empty database as a copy of the run's template. Several Jest workers may call it at once. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const prefix = process.env.TEST_DATABASE_PREFIX;
  const adminUrl = process.env.TEST_ADMIN_DATABASE_URL;
  if (!prefix || !adminUrl) throw new Error('There is no test server: is globalSetup configured?');
  const name = `${prefix}${randomBytes(6).toString('hex')}`;
  // FILE_COPY copies the files of the template. The default copies through PostgreSQL's log and takes five times as long.
  await asAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${prefix}template STRATEGY FILE_COPY`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      const pool = pools.get(url.href);
      pools.delete(url.href);
      // The drop interrupts running statements, so `pool.end()` does not have to wait for them.
      const ended = pool?.end();
      await asAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await ended;
    },
  };
}

/** Creates an empty database with the `options` of CREATE DATABASE, without migrations. */
export async function createEmptyTestDatabase(options = ''): Promise<TestDatabase> {
  const adminUrl = process.env.TEST_ADMIN_DATABASE_URL ?? '';
  const name = `${process.env.TEST_DATABASE_PREFIX ?? ''}${randomBytes(6).toString('hex')}`;
  await asAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' ${options}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => asAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

const pools = new Map<string, pg.Pool>();

/** Returns a pool for the statements of tests on one database, because a new connection takes longer than most statements. */
export function connections(url: string): pg.Pool {
  const pool =
    pools.get(url) ??
    new pg.Pool({ connectionString: url, max: 40, idleTimeoutMillis: 1_000, allowExitOnIdle: true });
  if (!pools.has(url)) {
    pools.set(url, pool);
    // Ignores errors of idle connections: tests break connections and stop servers, and the next query opens a new connection.
    pool.on('error', () => undefined);
  }
  return pool;
}

async function asAdmin(connectionString: string, statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString });
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}
