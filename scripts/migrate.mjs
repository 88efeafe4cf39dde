// Brings the database named by DATABASE_URL to the newest migration. Safe to run from several places at once.
import { applyMigrations } from '../dist/data/migrate.js';

const databaseUrl = process.env.DATABASE_URL;
if (!databaseUrl) {
  console.error(
    'DATABASE_URL is not set. Example: DATABASE_URL=postgresql://user:password@127.0.0.1:5432/fundraising',
  );
  process.exit(2);
}
try {
  const applied = await applyMigrations(databaseUrl);
  for (const name of applied) console.log(`applied ${name}`);
  console.log(
    applied.length === 0 ? 'The database is up to date.' : `${applied.length} migration(s) applied.`,
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
