import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { connectionOptions } from './connections.js';
import { Database } from './database.js';
import {
  APPLIED_MIGRATIONS,
  type AppliedMigration,
  MigrationError,
  migrationNames,
  schemaProblem,
} from './migrations.js';

const TIMEOUT_MS = 2_000;
const UNDEFINED_TABLE = '42P01';
// Late, its connection is thrown away: probes must not fill the pool with connections that lead nowhere.
const READ = { name: 'schema_check', text: APPLIED_MIGRATIONS, query_timeout: TIMEOUT_MS };

/** Compares the migrations that this release brings with those that the database has. */
@Injectable()
export class SchemaCheck {
  private known: Promise<string[]> | undefined;

  constructor(private readonly database: Database) {}

  /** Why the database is not the one that this release needs; undefined when it is. Rejects when it cannot be asked. */
  async problem(): Promise<string | undefined> {
    this.known ??= migrationNames();
    return schemaProblem(
      await this.known,
      await appliedBy(() => this.database.pool.query<AppliedMigration>(READ)),
    );
  }
}

/**
 * Refuses to start on a schema that is older or newer than the code. A database that cannot be reached is not
 * refused: the server starts, and says in its readiness what it is waiting for.
 *
 * @throws MigrationError with one line that names the migrations
 */
export async function requireSchema(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    ...connectionOptions(databaseUrl, 'donations-start'),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  let applied: AppliedMigration[];
  try {
    await client.connect();
    applied = await appliedBy(() => client.query<AppliedMigration>(APPLIED_MIGRATIONS));
  } catch {
    return;
  } finally {
    await client.end().catch(() => undefined);
  }
  const problem = schemaProblem(await migrationNames(), applied);
  if (problem) throw new MigrationError(problem);
}

async function appliedBy(read: () => Promise<pg.QueryResult<AppliedMigration>>): Promise<AppliedMigration[]> {
  try {
    return (await read()).rows;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
