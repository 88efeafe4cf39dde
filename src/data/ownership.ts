import type pg from 'pg';

/** `insufficient_privilege`. */
export const INSUFFICIENT_PRIVILEGE = '42501';

interface Ownership {
  readonly role: string;
  readonly database: string;
  readonly owner: string;
  /** Who owns a table that this role may not use; null where it may use all of them. */
  readonly tables_of: string | null;
  readonly has_tables: boolean;
  readonly may_create: boolean;
}

const IN_SCHEMA = `FROM pg_class c WHERE c.relnamespace = to_regnamespace(current_schema()::text) AND c.relkind IN ('r', 'p')`;
// The history of migrations is only read by servers, whose role may be another than the one that migrates.
const MAY_USE = `has_table_privilege(c.oid, 'SELECT') AND (c.relname = '_prisma_migrations' OR ${[
  'INSERT',
  'UPDATE',
  'DELETE',
]
  .map((privilege) => `has_table_privilege(c.oid, '${privilege}')`)
  .join(' AND ')})`;

const READ = `SELECT current_user AS role, d.datname AS database, pg_get_userbyid(d.datdba) AS owner,
    (SELECT pg_get_userbyid(c.relowner) ${IN_SCHEMA} AND NOT (${MAY_USE}) LIMIT 1) AS tables_of,
    EXISTS (SELECT ${IN_SCHEMA}) AS has_tables,
    coalesce(has_schema_privilege(current_schema()::text, 'CREATE'), false) AS may_create
   FROM pg_database d WHERE d.datname = current_database()`;

/**
 * Why the role of a connection may not do what the service does with its database, in one line that names the owner;
 * undefined where it may.
 */
export async function ownershipProblem(client: pg.Client | pg.Pool): Promise<string | undefined> {
  const [found] = (await client.query<Ownership>(READ)).rows;
  if (!found) return undefined;
  const { role, database, owner, tables_of: other } = found;
  if (other !== null)
    return (
      `The role "${role}" may not use the tables of the database "${database}", which belong to "${other}". ` +
      'Restore the backup by scripts/database/restore.sh, which gives them to the role.'
    );
  if (found.has_tables || found.may_create) return undefined;
  return (
    `The role "${role}" may create nothing in the database "${database}", which belongs to "${owner}". ` +
    `Run as "${owner}" or an administrator: bash scripts/database/create.sh ${database} ${role}`
  );
}
