import pg from 'pg';
import { sqlStateOf } from '../common/errors/sql-state.js';
import { namesDatabase, NO_DATABASE } from '../config/core-rules.js';

/** Why there must be none. */
export const POOLER =
  'a pooler such as PgBouncer in transaction mode is in between, which loses locks and notifications; ' +
  'connect to PostgreSQL itself, the service has a pool of its own';

/** The database cannot be used as it is configured; the message is one line for the operator. */
export class DatabaseUnusableError extends Error {
  constructor(
    readonly reason: string,
    cause?: unknown,
  ) {
    super(`DATABASE_URL leads to no usable database: ${reason}`, { cause });
  }
}

export interface ConnectProblem {
  /** For the operator; never the address, which has the password. */
  readonly reason: string;
  /** Waiting does not help. */
  readonly final: boolean;
}

// No such user, wrong password, no such database, not allowed.
const REFUSED = /^(28...|3D000|42501)$/;
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;
/** What pg takes for `verify-full` today, with a warning that a later version will check less. */
const CHECKED_LESS_LATER = ['prefer', 'require', 'verify-ca'];

/**
 * What every session is like, whatever the server, the database and the role have as theirs: pg reads times only in the ISO
 * form, days without a zone are those of UTC, and all that waits for a lock counts on seeing what was committed meanwhile.
 */
const SESSION = [
  'datestyle=ISO',
  'timezone=UTC',
  'intervalstyle=postgres',
  'bytea_output=hex',
  'extra_float_digits=1',
  'array_nulls=on',
  // The relay listens for as long as nobody gives.
  'idle_session_timeout=0',
  'transform_null_equals=off',
  'standard_conforming_strings=on',
  'default_transaction_isolation=read\\ committed',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** An address that makes sessions what the service counts on; `options` that it has already are kept beside it. */
export function sessionAddress(databaseUrl: string, more = ''): string {
  const url = new URL(explicitTls(databaseUrl));
  const own = url.searchParams.get('options') ?? '';
  // The last one of two decides.
  url.searchParams.set('options', [more, own, SESSION].filter(Boolean).join(' '));
  return url.href;
}

/** The same address, saying itself that the server's certificate is checked. */
export function explicitTls(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const { searchParams } = url;
  if (searchParams.get('uselibpqcompat') === 'true') return databaseUrl;
  if (!CHECKED_LESS_LATER.includes(searchParams.get('sslmode') ?? '')) return databaseUrl;
  searchParams.set('sslmode', 'verify-full');
  return url.href;
}

/**
 * A connection for a command of the operator, without the limits of requests. To be ended.
 * @throws DatabaseUnusableError when there is none to be had
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
    // What is asked over a connection that was lost fails, which is enough.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  } catch (error) {
    throw new DatabaseUnusableError(connectProblem(error).reason, error);
  }
}

/** What it means that a connection to the database could not be made. */
export function connectProblem(error: unknown): ConnectProblem {
  const { message, code, syscall, path, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  // A name with several addresses fails with several errors and no message of its own.
  if (!message && errors?.[0]) return connectProblem(errors[0]);
  if (UNTRUSTED.test(code ?? ''))
    return {
      reason:
        `this machine does not know who signed its certificate (${message}); ` +
        'name the file of its authority: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem',
      final: true,
    };
  if (syscall === 'open')
    return { reason: `the file ${path ?? ''} cannot be read (${code ?? ''})`, final: true };
  const reason = message || (code ?? 'it does not answer');
  // Poolers take no `options` but where they are told to overlook them.
  if (reason.includes('unsupported startup parameter'))
    return { reason: `${POOLER} (${reason})`, final: true };
  const final =
    REFUSED.test(sqlStateOf(error) ?? '') ||
    code === 'ERR_TLS_CERT_ALTNAME_INVALID' ||
    reason.includes('does not support SSL');
  return { reason, final };
}
