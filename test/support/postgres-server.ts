import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe } from '@jest/globals';
import { findTool } from './tools.js';
import { freePort } from './redis.js';
import { until } from './until.js';

export interface PostgresServer {
  /** Environment with which programs of libpq, such as `createdb` and `pg_restore`, find this server. */
  readonly environment: NodeJS.ProcessEnv;
  /** @param role default: the administrator; no role needs a password */
  url(database: string, role?: string): string;
  stop(): Promise<void>;
}

const SUPERUSER = 'postgres';

/** A user without root rights, for programs that refuse to run as root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Returns a user account of this machine; undefined if this process is not root or the account does not exist. */
export function ordinaryAccount(name: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/** Returns the folder with pg_dump and its server, because pg_dump refuses servers of a newer version. */
function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const onPath = findTool('pg_dump');
  const folders = [...versions.map((version) => join(debian, version, 'bin')), dirname(onPath ?? '/')];
  return folders.find((folder) =>
    ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'createdb'].every((name) =>
      existsSync(join(folder, name)),
    ),
  );
}

/** `describe` if the programs of PostgreSQL are installed. Otherwise the tests are skipped, and the report shows this. */
export function describeWithPostgresPrograms(name: string, tests: () => void): void {
  if (findPrograms() === undefined)
    describe.skip(`${name} (skipped: PostgreSQL's programs are not installed)`, tests);
  else describe(name, tests);
}

/**
 * Starts a temporary PostgreSQL server with the installed programs.
 * @param more settings such as `fsync=on`, which is off by default
 */
export async function startPostgresServer(more: readonly string[] = []): Promise<PostgresServer> {
  const programs = findPrograms();
  if (programs === undefined) throw new Error("PostgreSQL's programs are not installed");
  const folder = mkdtempSync(join(tmpdir(), 'donations-postgres-'));
  const account = ordinaryAccount('postgres') ?? ordinaryAccount('nobody');
  if (account) chownSync(folder, account.uid, account.gid);
  const cluster = join(folder, 'cluster');
  const as = { ...account, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } };
  const made = ['--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync', `--username=${SUPERUSER}`];
  execFileSync(join(programs, 'initdb'), [...made, cluster], { ...as, stdio: 'pipe' });
  const port = await freePort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    ...more,
  ];
  const child = spawn(
    join(programs, 'postgres'),
    ['-D', cluster, ...settings.flatMap((one) => ['-c', one])],
    { ...as, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.on('data', (text: Buffer) => (log += text.toString()));
  await until(() => {
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${log}`);
    return log.includes('ready to accept connections');
  }, 'a PostgreSQL server');
  return {
    environment: {
      PATH: `${programs}:${process.env.PATH ?? ''}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGUSER: SUPERUSER,
    },
    url: (database, role = SUPERUSER) => `postgresql://${role}@127.0.0.1:${port}/${database}`,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
