import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>;
}

/** A migrated, empty database of one's own, copied from the run's template; safe from several workers at once. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const prefix = process.env.TEST_DATABASE_PREFIX;
  const adminUrl = process.env.TEST_ADMIN_DATABASE_URL;
  if (!prefix || !adminUrl) throw new Error('There is no test server: is globalSetup configured?');
  const name = `${prefix}${randomBytes(6).toString('hex')}`;
  // As files: by way of the log, which is the default, it takes five times as long.
  await asAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${prefix}template STRATEGY FILE_COPY`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      const pool = pools.get(url.href);
      pools.delete(url.href);
      // What still waits there is ended by the removal, not waited for.
      const ended = pool?.end();
      await asAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await ended;
    },
  };
}

/** An empty database of one's own, made as `options` of CREATE DATABASE say; without any migration. */
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

/** Kept for the statements of tests on one database: a new connection costs both sides more than most statements. */
export function connections(url: string): pg.Pool {
  const pool =
    pools.get(url) ??
    new pg.Pool({ connectionString: url, max: 40, idleTimeoutMillis: 1_000, allowExitOnIdle: true });
  if (!pools.has(url)) {
    pools.set(url, pool);
    // Tests end connections and servers; whoever asks next gets another one.
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
