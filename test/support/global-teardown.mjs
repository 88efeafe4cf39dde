// Runs once after all tests: nothing of them stays on the server or on the disk, and an embedded server ends.
import { rmSync } from 'node:fs';
import { dropDatabases } from '../../scripts/scratch-server.mjs';

export default async function tearDown() {
  if (globalThis.stopTestServer) await globalThis.stopTestServer();
  else await dropDatabases(process.env.TEST_ADMIN_DATABASE_URL, process.env.TEST_DATABASE_PREFIX);
  // Last: a program that is still ending may hold it up, and must not keep the server from its end.
  rmSync(process.env.TMPDIR, { recursive: true, force: true, maxRetries: 3 });
}
