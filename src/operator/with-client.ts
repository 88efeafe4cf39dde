import type pg from 'pg';
import { recordAudit } from '../audit/audit.js';
import { SYSTEM } from '../common/access/principal.js';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { connectClient } from '../data/connect.js';

const UNDEFINED_TABLE = '42P01';

/**
 * Runs the work of a command over a connection of its own.
 * @param name what PostgreSQL lists the connection as
 * @throws DatabaseUnusableError when there is no connection; an Error that says what to do when nothing was migrated yet
 */
export async function withClient<T>(
  databaseUrl: string,
  name: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connectClient(databaseUrl, name);
  try {
    return await work(client);
  } catch (error) {
    if (sqlStateOf(error) !== UNDEFINED_TABLE) throw error;
    throw new Error('The database lacks tables of this release. Run "npm run migrate" first.', {
      cause: error,
    });
  } finally {
    await client.end();
  }
}

/** Writes into the audit what a command did, in its transaction. */
export async function recordCommand(
  client: pg.Client,
  action: string,
  subjectId: string | null,
  detail: Record<string, unknown>,
): Promise<void> {
  const query = async ({ text }: { text: string }, values: readonly unknown[] = []) =>
    (await client.query(text, [...values])).rows as never[];
  await recordAudit({ query }, SYSTEM, action, subjectId, detail);
}
