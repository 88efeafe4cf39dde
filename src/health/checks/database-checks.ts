import type pg from 'pg';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { awaitDatabase } from '../../data/await-database.js';
import { connectClient, DatabaseUnusableError } from '../../data/connect.js';
import { changedCollations } from '../../data/schema/collation-check.js';
import { settingsProblems } from '../../data/schema/database-warnings.js';
import { unsupportedServer } from '../../data/schema/migrate.js';
import { ownershipProblem } from '../../data/schema/ownership.js';
import { problemOfSchema } from '../../data/schema/schema-check.js';
import { opensDonorKey } from '../../secrets/kept-donor-key.js';
import { isInside } from '../../config/advice.js';
import { isLoopback } from '../../config/rules.js';
import type { WebhookProblem } from '../../payments/providers/provider-errors.js';
import { readHealth } from '../../payments/providers/provider-health.js';
import {
  type CheckName,
  type CheckResult,
  type Finding,
  type Installation,
  ran,
  resultOf,
  SYNCHRONIZE,
  unknown,
  unreadable,
  variableOf,
  wrong,
} from './check.js';

const NAME = 'donations-doctor';
const QUERY_MS = 10_000;
/** Enough for a second attempt on a busy machine. */
const PATIENCE_MS = 3_500;

const HOUR_MS = 3_600_000;
/** A backup every 24 hours is a little older than that when the next one ends. */
const OLDEST_BACKUP_MS = 25 * HOUR_MS;
/** Connections for the relay, migrations, backups and a person with psql. */
const OTHER_CONNECTIONS = 4;

type Ask = (client: pg.Client, installation: Installation) => Promise<readonly Finding[]>;

const found = (change: string, says: string | undefined, write?: string): Finding[] =>
  says === undefined ? [] : [wrong(change, says, write)];

/** Runs all checks of the database over one connection, because the server may accept only few. */
export async function checkDatabase(
  installation: Installation,
  unread: ReadonlySet<string>,
): Promise<CheckResult[]> {
  const names = Object.keys(ASKED) as (keyof typeof ASKED)[];
  const all: CheckName[] = ['database', ...names];
  if (unread.has('DATABASE_URL')) return all.map((name) => unreadable(name, ['DATABASE_URL']));
  const { databaseUrl } = installation.config;
  let client: pg.Client;
  try {
    await awaitDatabase(databaseUrl, PATIENCE_MS, () => undefined);
    client = await connectClient(databaseUrl, NAME);
  } catch (error) {
    if (!(error instanceof DatabaseUnusableError)) throw error;
    const away = [unknown('DATABASE_URL', 'must lead to a usable database before this can be checked')];
    return all.map((name) =>
      resultOf(name, name === 'database' ? [wrong('DATABASE_URL', `is not usable: ${error.reason}`)] : away),
    );
  }
  try {
    await client.query(`SET statement_timeout = ${QUERY_MS}`);
    const results = [await ran('database', 'DATABASE_URL', () => server(client))];
    for (const name of names)
      results.push(
        unread.has(name)
          ? unreadable(name, [name])
          : await ran(name, 'DATABASE_URL', () => ASKED[name](client, installation)),
      );
    return results;
  } finally {
    await client.end();
  }
}

async function server(client: pg.Client): Promise<Finding[]> {
  const [state] = (await client.query<{ isReadOnly: boolean }>(READ_ONLY)).rows;
  return [
    ...found('DATABASE_URL', await unsupportedServer(client)),
    ...(state?.isReadOnly
      ? [wrong('DATABASE_URL', 'leads to a read-only server: write the address of the primary server')]
      : []),
  ];
}

const READ_ONLY = `SELECT current_setting('transaction_read_only') = 'on' OR pg_is_in_recovery() AS "isReadOnly"`;

const durability: Ask = async (client) =>
  (await settingsProblems(client)).map(({ setting, says }) =>
    setting === 'server_encoding'
      ? wrong(setting, says)
      : wrong(setting, says, `${setting} = on, in postgresql.conf`),
  );

const schema: Ask = async (client) => found('the schema', await problemOfSchema(client), 'npm run migrate');

const rights: Ask = async (client) => {
  const problem = await ownershipProblem(client);
  return found(
    'DATABASE_URL',
    problem && `names a role without the necessary rights: ${problem}`,
    'the role that owns the tables',
  );
};

const textOrder: Ask = async (client) =>
  found(
    'the collation',
    await changedCollations(client),
    'REINDEX, as in docs/operating.md under "Collations"',
  );

const LIMITS = `SELECT least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1)) AS most
  FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`;

const limits: Ask = async (client, { config: { databasePoolSize: size } }) => {
  const [row] = (await client.query<{ most: number }>(LIMITS)).rows;
  if (!row || size + OTHER_CONNECTIONS <= row.most) return [];
  return [
    wrong(
      'DATABASE_POOL_SIZE',
      `is ${size}, but the database accepts ${row.most} connections, and backups and the relay need ${OTHER_CONNECTIONS}`,
      `at most ${Math.max(2, row.most - OTHER_CONNECTIONS)}, or raise max_connections`,
    ),
  ];
};

const pinSecret: Ask = async (client, { config }) =>
  (await opensDonorKey(client, new KeyRing(config)))
    ? []
    : [
        wrong(
          'PIN_SECRET',
          'is not the value with which this database was used: PINs and second factors cannot be read',
          'the new and the old value, separated by a comma: "Secrets" in docs/operating.md',
        ),
      ];

const accounts: Ask = async (client) => {
  const { rowCount } = await client.query(
    "SELECT FROM admin WHERE role = 'ADMIN' AND disabled_at IS NULL AND (password_hash IS NOT NULL OR idp_subject IS NOT NULL) LIMIT 1",
  );
  return rowCount === 0 ? [wrong('the accounts', 'have no admin who can sign in', 'npm run admin:seed')] : [];
};

const backups: Ask = async (client, { now }) => {
  const write = 'bash scripts/database/backup.sh FOLDER, every night';
  const [last] = (await client.query<{ finished_at: Date }>('SELECT finished_at FROM last_backup')).rows;
  if (!last)
    return [
      unknown(
        'the backups',
        'were never recorded by scripts/database/backup.sh; check those of your host',
        write,
      ),
    ];
  const hours = Math.floor((now() - last.finished_at.getTime()) / HOUR_MS);
  return hours * HOUR_MS < OLDEST_BACKUP_MS
    ? []
    : [wrong('the backups', `stopped: the latest one is ${hours} hours old`, write)];
};

const PROBLEMS: Readonly<Record<WebhookProblem, string>> = {
  signature: 'does not fit the signatures of the events that arrive',
  clock: 'cannot be judged, because the clock of this machine differs from the times of the events',
  missing:
    'gets no events, although money moved: check the address of the webhook at the provider, and the proxy',
  incomplete: 'belongs to a webhook without all needed event types',
};

const webhooks: Ask = async (client, { config, providers }) =>
  (await readHealth(client))
    .filter(({ provider }) => config.sections.has(provider))
    .flatMap(({ provider, webhook_problem: problem, unsubscribed_types: types }) => {
      if (problem === null) return [];
      const change = variableOf(providers, provider, /_WEBHOOK_(SECRET|ID)$/);
      return [
        wrong(
          change,
          PROBLEMS[problem],
          types === '' ? undefined : `the event types ${types}, at the provider`,
        ),
      ];
    });

const LATEST_ADDRESSES = `SELECT count(*)::int AS entries, count(DISTINCT address)::int AS addresses, min(address) AS one FROM (
    SELECT address FROM audit_entry WHERE address IS NOT NULL AND created_at > now() - interval '30 days' ORDER BY created_at DESC LIMIT 200) a`;
/** A person alone in the network of the server may be the only one in the log. */
const ENOUGH_ENTRIES = 5;

/** Finds a proxy that `TRUST_PROXY` does not name: all people seem to have its address. */
const clientAddresses: Ask = async (client, { config: { trustProxy, publicUrl, publicUrlGiven } }) => {
  if (!publicUrlGiven || isLoopback(new URL(publicUrl))) return [];
  const [row] = (
    await client.query<{ entries: number; addresses: number; one: string | null }>(LATEST_ADDRESSES)
  ).rows;
  if (!row?.one || row.entries < ENOUGH_ENTRIES || row.addresses > 1 || !isInside(row.one)) return [];
  return [
    wrong(
      'TRUST_PROXY',
      `${trustProxy === false ? 'is off' : 'names too few proxies'}: the audit log has the same address for everybody, ${row.one}`,
      typeof trustProxy === 'number' ? String(trustProxy + 1) : '1, or the network of the proxy',
    ),
  ];
};

const CLOCK = 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms';
const CLOCKS_MAY_DIFFER_MS = 2_000;

const clock: Ask = async (client, { now }) => {
  const before = now();
  const [row] = (await client.query<{ ms: number }>(CLOCK)).rows;
  const skew = (row?.ms ?? before) - (before + now()) / 2;
  return Math.abs(skew) <= CLOCKS_MAY_DIFFER_MS
    ? []
    : [
        wrong(
          'the clock',
          `of this machine differs from that of the database by ${(skew / 1_000).toFixed(1)} s`,
          SYNCHRONIZE,
        ),
      ];
};

const ASKED = {
  schema,
  rights,
  durability,
  'text order': textOrder,
  connections: limits,
  PIN_SECRET: pinSecret,
  accounts,
  backups,
  webhooks,
  'client addresses': clientAddresses,
  'database clock': clock,
} satisfies Partial<Record<CheckName, Ask>>;
