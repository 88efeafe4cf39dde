// Runs once after all tests: removes everything from the server and the disk, and stops an embedded server.
import { rmSync } from 'node:fs';
import { dropDatabases } from '../../scripts/scratch-server.mjs';

export default async function tearDown() {
  if (globalThis.stopTestServer) await globalThis.stopTestServer();
  else await dropDatabases(process.env.TEST_ADMIN_DATABASE_URL, process.env.TEST_DATABASE_PREFIX);
  // Last, because a program that is still ending may delay it, and the server must stop first.
  rmSync(process.env.TMPDIR, { recursive: true, force: true, maxRetries: 3 });
}
