// Runs once after all tests: nothing of them stays on the server, and an embedded server ends.
import { dropDatabases } from '../../scripts/scratch-server.mjs';

export default async function tearDown() {
  if (globalThis.stopTestServer) await globalThis.stopTestServer();
  else await dropDatabases(process.env.TEST_ADMIN_DATABASE_URL, process.env.TEST_DATABASE_PREFIX);
}
