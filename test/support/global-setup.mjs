// Runs once before all tests. Starts a PostgreSQL server (DATABASE_URL, or an embedded one) with a migrated template database.
// Each test file copies its database from this template in a few milliseconds.
import { randomBytes } from 'node:crypto';
import { accessSync, chmodSync, constants, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEmptyDatabase, dropDatabases, scratchServer } from '../../scripts/scratch-server.mjs';

const PREFIX = 'donations_test_';
const FORGOTTEN_AFTER_MS = 6 * 60 * 60 * 1000;
const MIGRATE = new URL('../../dist/data/schema/migrate.js', import.meta.url);

export default async function setUp() {
  if (!existsSync(fileURLToPath(MIGRATE))) {
    throw new Error('dist/ is missing: run "npm run build" first, or the tests by "npm test"');
  }
  const { adminUrl, stop } = await scratchServer(inMemory() ?? tmpdir());
  globalThis.stopTestServer = stop;
  // Deletes databases that killed runs left behind. Other programs may use the same server.
  await dropDatabases(adminUrl, PREFIX, (name) => Date.now() - startOf(name) > FORGOTTEN_AFTER_MS);
  const run = `${PREFIX}${Date.now().toString(36)}${randomBytes(3).toString('hex')}_`;
  const templateUrl = await createEmptyDatabase(adminUrl, `${run}template`);
  const { applyMigrations } = await import(MIGRATE.href);
  await applyMigrations(templateUrl);

  // The teardown deletes this folder with the temporary files of all tests. PostgreSQL servers run as other users, who must be
  // able to enter the folder.
  process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'donations-tests-'));
  chmodSync(process.env.TMPDIR, 0o711);

  process.env.TEST_ADMIN_DATABASE_URL = adminUrl;
  process.env.TEST_DATABASE_PREFIX = run;
  // Without this line, a test that forgets to create its own database would use the given one.
  delete process.env.DATABASE_URL;
}

const IN_MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Returns a folder in memory with room for all databases of a run; undefined without one. There, a copy of the template takes
 * a third of the time.
 */
function inMemory() {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ROOM_BYTES ? IN_MEMORY : undefined;
  } catch {
    return undefined;
  }
}

function startOf(name) {
  return Number.parseInt(name.slice(PREFIX.length, PREFIX.length + 8), 36);
}
