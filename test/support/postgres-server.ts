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
  /** Environment for libpq's programs, such as `createdb` and `pg_restore`, to find this server. */
  readonly environment: NodeJS.ProcessEnv;
  /** @param role the administrator by default; no role needs a password */
  url(database: string, role?: string): string;
  stop(): Promise<void>;
}

const SUPERUSER = 'postgres';

/** An ordinary user, for programs that root must not run. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** An ordinary account of this machine; undefined if we are not root or it does not exist. */
export function ordinaryAccount(name: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/** The folder of pg_dump next to its server, because it refuses to dump newer servers. */
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

/** `describe` if PostgreSQL's programs are installed, otherwise visibly skipped. */
export function describeWithPostgresPrograms(name: string, tests: () => void): void {
  if (findPrograms() === undefined)
    describe.skip(`${name} (skipped: PostgreSQL's programs are not installed)`, tests);
  else describe(name, tests);
}

/** A throwaway PostgreSQL with the programs of this machine. */
export async function startPostgresServer(): Promise<PostgresServer> {
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
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
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
