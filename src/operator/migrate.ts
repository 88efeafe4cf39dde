import { namesDatabase, NO_DATABASE } from '../config/core-rules.js';
import { applyMigrations } from '../data/schema/migrate.js';

/**
 * Migrates the database to the schema of this release. Several processes may run this command at once.
 * @returns the lines to print for the operator
 * @throws RangeError without a database address; MigrationError if the command fails (a failed migration is rolled back)
 */
export async function migrate(databaseUrl: string | undefined): Promise<string[]> {
  if (!databaseUrl) {
    throw new RangeError(
      'DATABASE_URL is not set. Example: DATABASE_URL=postgresql://user:password@127.0.0.1:5432/fundraising',
    );
  }
  if (!namesDatabase(databaseUrl)) throw new RangeError(`DATABASE_URL ${NO_DATABASE}`);
  const applied = await applyMigrations(databaseUrl);
  if (applied.length === 0) return ['The database is up to date.'];
  return [...applied.map((name) => `applied ${name}`), `${applied.length} migration(s) applied.`];
}
