import { Injectable, Logger } from '@nestjs/common';
import pg from 'pg';
import { connectionOptions } from '../connections.js';
import { sqlStateOf } from '../../common/errors/sql-state.js';
import { Database } from '../database.js';
import {
  APPLIED_MIGRATIONS,
  type AppliedMigration,
  MigrationError,
  migrationNames,
  schemaProblem,
} from './migrations.js';
import { INSUFFICIENT_PRIVILEGE, ownershipProblem } from './ownership.js';

const TIMEOUT_MS = 2_000;
const UNDEFINED_TABLE = '42P01';
// Drops the connection after a timeout. Otherwise, probes would fill the pool with dead connections.
const READ = { name: 'schema_check', text: APPLIED_MIGRATIONS, query_timeout: TIMEOUT_MS };

/** Compares the migrations of this release with those of the database. */
@Injectable()
export class SchemaCheck {
  private readonly logger = new Logger(SchemaCheck.name);
  private known: Promise<string[]> | undefined;
  private denied = false;

  constructor(private readonly database: Database) {}

  /**
   * Returns the reason why this release cannot use the database; undefined if it can. Rejects if the database is unavailable.
   */
  async problem(): Promise<string | undefined> {
    this.known ??= migrationNames();
    try {
      const applied = await appliedBy(() => this.database.pool.query<AppliedMigration>(READ));
      this.denied = false;
      return schemaProblem(await this.known, applied);
    } catch (error) {
      if (sqlStateOf(error) === INSUFFICIENT_PRIVILEGE) await this.explain();
      throw error;
    }
  }

  /**
   * Logs the details once if the role may not read the history. The answers of probes do not contain these details, because
   * probes are public.
   */
  private async explain(): Promise<void> {
    if (this.denied) return;
    this.denied = true;
    const problem = await ownershipProblem(this.database.pool);
    this.logger.error(problem ?? 'The role of the service may not use the tables of the database');
  }
}

/**
 * Refuses to start if the schema is older or newer than the code, or if the role lacks privileges. If the database is
 * unreachable, the server starts, and its readiness probe reports the problem.
 * @throws MigrationError with one line that contains the migrations or the owner
 */
export async function requireSchema(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    ...connectionOptions(databaseUrl, 'donations-start'),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  const known = await migrationNames();
  let problem: string | undefined;
  try {
    await client.connect();
    problem = (await ownershipProblem(client)) ?? (await problemOfSchema(client, known));
  } catch {
    return;
  } finally {
    await client.end().catch(() => undefined);
  }
  if (problem) throw new MigrationError(problem);
}

/** Returns the reason why this release cannot use the schema of a database; undefined if it can. */
export async function problemOfSchema(client: pg.Client, known?: string[]): Promise<string | undefined> {
  const applied = await appliedBy(() => client.query<AppliedMigration>(APPLIED_MIGRATIONS));
  return schemaProblem(known ?? (await migrationNames()), applied);
}

async function appliedBy(read: () => Promise<pg.QueryResult<AppliedMigration>>): Promise<AppliedMigration[]> {
  try {
    return (await read()).rows;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
