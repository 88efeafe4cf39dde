import { namesDatabase, NO_DATABASE } from '../config/core-rules.js';
import { applyMigrations } from '../data/schema/migrate.js';

/**
 * Brings the database to the schema of this release. Safe to run from several places at once.
 *
 * @returns what to print for the operator, line by line
 * @throws RangeError without the address of a database; MigrationError when it fails, which leaves nothing half done
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
