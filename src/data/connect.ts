import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { namesDatabase, NO_DATABASE } from '../config/core-rules.js';

/** Error for a pooler in transaction mode. */
export const POOLER =
  'a pooler such as PgBouncer in transaction mode loses locks and notifications; ' +
  'connect directly to PostgreSQL, because the service has its own pool';

/** The database cannot be used as configured. The message is one line for the operator. */
export class DatabaseUnusableError extends Error {
  constructor(
    readonly reason: string,
    cause?: unknown,
  ) {
    super(`The database in DATABASE_URL is not usable: ${reason}`, { cause });
  }
}

export interface ConnectProblem {
  /** Reason for the operator. It never contains the address, because the address contains the password. */
  readonly reason: string;
  /** True if waiting cannot solve the problem. */
  readonly final: boolean;
}

// PostgreSQL error codes: unknown user, wrong password, unknown database, missing permission.
const REFUSED = /^(28...|3D000|42501)$/;
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;
/** SSL modes that pg treats as `verify-full` today. pg warns that a later version will check less in these modes. */
const CHECKED_LESS_LATER = ['prefer', 'require', 'verify-ca'];

/**
 * Settings of every session, independent of the defaults of server, database and role. pg parses times only in the ISO form.
 * Dates without a zone are UTC. A statement that waited for a lock must see commits made during the wait.
 */
const SESSION = [
  'datestyle=ISO',
  'timezone=UTC',
  'intervalstyle=postgres',
  'bytea_output=hex',
  'extra_float_digits=1',
  'array_nulls=on',
  // The relay must stay connected even if no donations arrive for a long time.
  'idle_session_timeout=0',
  'transform_null_equals=off',
  'standard_conforming_strings=on',
  'default_transaction_isolation=read\\ committed',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** Returns a database address whose sessions have the required settings, in addition to the address's own `options`. */
export function sessionAddress(databaseUrl: string, more = ''): string {
  const url = new URL(explicitTls(databaseUrl));
  const own = url.searchParams.get('options') ?? '';
  // If a setting occurs twice, the last one applies.
  url.searchParams.set('options', [more, own, SESSION].filter(Boolean).join(' '));
  return url.href;
}

/** Returns the database address with an explicit mode for checking the server's certificate. */
export function explicitTls(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const { searchParams } = url;
  if (searchParams.get('uselibpqcompat') === 'true') return databaseUrl;
  if (!CHECKED_LESS_LATER.includes(searchParams.get('sslmode') ?? '')) return databaseUrl;
  searchParams.set('sslmode', 'verify-full');
  return url.href;
}

/**
 * Returns a connection for an operator command, without the time limits of requests. The caller must end the connection.
 * @throws DatabaseUnusableError if the connection fails
 */
export async function connectClient(databaseUrl: string, name: string): Promise<pg.Client> {
  if (!namesDatabase(databaseUrl)) throw new DatabaseUnusableError(`it ${NO_DATABASE}`);
  try {
    const client = new pg.Client({
      connectionString: sessionAddress(databaseUrl),
      application_name: name,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
    });
    // If the connection is lost, its queries fail; this listener prevents the end of the process.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  } catch (error) {
    throw new DatabaseUnusableError(connectProblem(error).reason, error);
  }
}

/** Explains why a connection to the database failed. */
export function connectProblem(error: unknown): ConnectProblem {
  const { message, code, syscall, path, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  // If a host name has several addresses, the error has no message and contains one error for each address.
  if (!message && errors?.[0]) return connectProblem(errors[0]);
  if (UNTRUSTED.test(code ?? ''))
    return {
      reason:
        `this machine does not trust the issuer of its certificate (${message}); ` +
        'name the file of the certificate authority: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem',
      final: true,
    };
  if (syscall === 'open')
    return { reason: `the file ${path ?? ''} cannot be read (${code ?? ''})`, final: true };
  const reason = message || (code ?? 'it does not answer');
  // Poolers refuse the parameter `options` unless they are configured to ignore it.
  if (reason.includes('unsupported startup parameter'))
    return { reason: `${POOLER} (${reason})`, final: true };
  const final =
    REFUSED.test(sqlStateOf(error) ?? '') ||
    code === 'ERR_TLS_CERT_ALTNAME_INVALID' ||
    reason.includes('does not support SSL');
  return { reason, final };
}
