// Runs once after all tests: nothing of them stays on the server, and an embedded server ends.
import pg from 'pg';

export default async function tearDown() {
  if (globalThis.stopTestPostgres) {
    await globalThis.stopTestPostgres();
    return;
  }
  const admin = new pg.Client({ connectionString: process.env.TEST_ADMIN_DATABASE_URL });
  await admin.connect();
  try {
    const { rows } = await admin.query(
      'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
      [process.env.TEST_DATABASE_PREFIX],
    );
    for (const { name } of rows) {
      await admin.query(`DROP DATABASE IF EXISTS ${admin.escapeIdentifier(name)} WITH (FORCE)`);
    }
  } finally {
    await admin.end();
  }
}
