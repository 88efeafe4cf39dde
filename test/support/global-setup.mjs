// Runs once before all tests: a PostgreSQL server (DATABASE_URL, or an embedded one) and on it a migrated
// template, from which each test file makes its own database in a few milliseconds.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../scripts/embedded-postgres.mjs';

const PREFIX = 'donations_test_';
const FORGOTTEN_AFTER_MS = 6 * 60 * 60 * 1000;
const MIGRATE = new URL('../../dist/data/migrate.js', import.meta.url);

export default async function setUp() {
  if (!existsSync(fileURLToPath(MIGRATE))) {
    throw new Error('dist/ is missing: run "npm run build" first, or the tests by "npm test"');
  }
  const adminUrl = process.env.DATABASE_URL || (await startOwnServer());
  const run = `${PREFIX}${Date.now().toString(36)}${randomBytes(3).toString('hex')}_`;
  const template = `${run}template`;

  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await dropForgotten(admin);
    await createTemplate(admin, template);
  } finally {
    await admin.end();
  }
  const templateUrl = new URL(adminUrl);
  templateUrl.pathname = `/${template}`;
  const { applyMigrations } = await import(MIGRATE.href);
  await applyMigrations(templateUrl.href);

  process.env.TEST_ADMIN_DATABASE_URL = adminUrl;
  process.env.TEST_DATABASE_PREFIX = run;
  // A test that forgets to make its own database must not work on the one given to us.
  delete process.env.DATABASE_URL;
}

async function startOwnServer() {
  const dataDir = mkdtempSync(join(tmpdir(), 'donations-test-postgres-'));
  const server = await startEmbeddedPostgres({ dataDir, throwaway: true, maxConnections: 300 });
  const end = async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  globalThis.stopTestPostgres = end;
  // Ctrl-C skips the teardown; the server itself ends with this process.
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  return server.url;
}

async function createTemplate(admin, name) {
  try {
    await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  } catch (error) {
    if (error.code !== '22023') throw error;
    // The server's own locale does not go with UTF-8.
    await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  }
}

/** What runs that were killed have left on a server that is not ours. */
async function dropForgotten(admin) {
  const { rows } = await admin.query(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
    [PREFIX],
  );
  for (const { name } of rows) {
    const started = Number.parseInt(name.slice(PREFIX.length, PREFIX.length + 8), 36);
    if (Date.now() - started < FORGOTTEN_AFTER_MS) continue;
    await admin.query(`DROP DATABASE IF EXISTS ${admin.escapeIdentifier(name)} WITH (FORCE)`);
  }
}
