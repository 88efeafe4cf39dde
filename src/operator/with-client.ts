import type pg from 'pg';
import type { AuditAction, AuditDetail } from '../audit/audit-actions.js';
import { recordAudit } from '../audit/audit.js';
import { SYSTEM } from '../common/access/principal.js';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { connectClient } from '../data/connect.js';

const UNDEFINED_TABLE = '42P01';

/**
 * Runs a command over a separate connection.
 * @param name name of the connection in PostgreSQL's list of connections
 * @throws DatabaseUnusableError if the connection fails; an Error with instructions if no migration was applied yet
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

/** Records a command in the audit log, in the transaction of the command. */
export async function recordCommand<Action extends AuditAction, Detail extends object>(
  client: pg.Client,
  action: Action,
  subjectId: string | null,
  detail: AuditDetail<Action, Detail>,
): Promise<void> {
  const query = async ({ text }: { text: string }, values: readonly unknown[] = []) =>
    (await client.query(text, [...values])).rows as never[];
  await recordAudit({ query }, SYSTEM, action, subjectId, detail);
}
