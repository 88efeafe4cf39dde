// Runs once after all tests: nothing of them stays on the server or on the disk, and an embedded server ends.
import { rmSync } from 'node:fs';
import { dropDatabases } from '../../scripts/scratch-server.mjs';

export default async function tearDown() {
  rmSync(process.env.TMPDIR, { recursive: true, force: true });
  if (globalThis.stopTestServer) await globalThis.stopTestServer();
  else await dropDatabases(process.env.TEST_ADMIN_DATABASE_URL, process.env.TEST_DATABASE_PREFIX);
}
