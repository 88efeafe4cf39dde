import type pg from 'pg';

/** PostgreSQL's error code `insufficient_privilege`. */
export const INSUFFICIENT_PRIVILEGE = '42501';

interface Ownership {
  readonly role: string;
  readonly database: string;
  readonly owner: string;
  /** A missing privilege; null if the role has all necessary privileges. `table` is its table. */
  readonly lacks: string | null;
  readonly table: string | null;
  readonly table_owner: string | null;
  /** True if the role has any privilege on any of the tables. */
  readonly uses_some: boolean;
  readonly has_tables: boolean;
  readonly may_create: boolean;
}

/**
 * Privileges that the service needs to accept, book and show donations. Other tables in the schema may belong to extensions and
 * administrators. Without another privilege, such as DELETE for pruning, only one part of the service stops, and that part logs
 * the problem.
 */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  // Servers only read the migration history, because another role may run the migrations.
  _prisma_migrations: ['SELECT'],
  admin: ['SELECT'],
  audit_entry: ['INSERT'],
  donation: ['SELECT', 'INSERT', 'UPDATE'],
  donation_history: ['SELECT', 'INSERT'],
  event: ['SELECT'],
  event_total: ['SELECT', 'INSERT', 'UPDATE'],
  global_settings: ['SELECT'],
  idempotency_key: ['SELECT', 'INSERT', 'UPDATE'],
  outbox: ['SELECT', 'INSERT', 'UPDATE'],
  refund: ['SELECT', 'INSERT', 'UPDATE'],
  webhook_event: ['SELECT', 'INSERT', 'UPDATE'],
};
const PAIRS = Object.entries(NEEDED).flatMap(([table, privileges]) =>
  privileges.map((privilege) => [table, privilege] as const),
);
const NAMES = [PAIRS.map(([table]) => table), PAIRS.map(([, privilege]) => privilege)];

const OURS = `FROM unnest($1::text[], $2::text[]) AS needed (name, privilege) JOIN pg_class c ON c.relname = needed.name
    AND c.relnamespace = to_regnamespace(current_schema()::text) AND c.relkind IN ('r', 'p')`;

const READ = `SELECT current_user AS role, d.datname AS database, pg_get_userbyid(d.datdba) AS owner,
    lacking.privilege AS lacks, lacking.name AS table, lacking.owner AS table_owner,
    EXISTS (SELECT ${OURS} WHERE has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE')) AS uses_some,
    EXISTS (SELECT ${OURS}) AS has_tables,
    coalesce(has_schema_privilege(current_schema()::text, 'CREATE'), false) AS may_create
   FROM pg_database d LEFT JOIN LATERAL (
     SELECT needed.name, needed.privilege, pg_get_userbyid(c.relowner) AS owner ${OURS}
      WHERE NOT has_table_privilege(c.oid, needed.privilege)
      ORDER BY needed.name, needed.privilege LIMIT 1) lacking ON true
  WHERE d.datname = current_database()`;

/**
 * Returns the missing privilege of the connection's role and the owner of the table, in one line; undefined if the role has all
 * necessary privileges.
 */
export async function ownershipProblem(client: pg.Client | pg.Pool): Promise<string | undefined> {
  const [found] = (await client.query<Ownership>(READ, NAMES)).rows;
  if (!found) return undefined;
  const { role, database, owner, lacks, table, table_owner: other } = found;
  if (lacks !== null && !found.uses_some)
    return (
      `The role "${role}" may not use the tables of the database "${database}", which belong to "${other}". ` +
      'Restore the backup with scripts/database/restore.sh, which makes the role their owner.'
    );
  if (lacks !== null)
    return (
      `The role "${role}" lacks the privilege ${lacks} on the table "${table}" of the database "${database}", which ` +
      `belongs to "${other}". Run as "${other}" or an administrator: GRANT ${lacks} ON "${table}" TO "${role}"`
    );
  if (found.has_tables || found.may_create) return undefined;
  return (
    `The role "${role}" may not create anything in the database "${database}", which belongs to "${owner}". ` +
    `Run as "${owner}" or an administrator: bash scripts/database/create.sh ${database} ${role}`
  );
}
