// Runs once after all tests. Deletes all databases and files of the run, and stops an embedded server.
import { rmSync } from 'node:fs';
import { dropDatabases } from '../../scripts/scratch-server.mjs';

export default async function tearDown() {
  if (globalThis.stopTestServer) await globalThis.stopTestServer();
  else await dropDatabases(process.env.TEST_ADMIN_DATABASE_URL, process.env.TEST_DATABASE_PREFIX);
  // The last step, because a program that is still ending may delay it. The server is already stopped here.
  rmSync(process.env.TMPDIR, { recursive: true, force: true, maxRetries: 3 });
}
