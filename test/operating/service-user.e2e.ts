import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TEST_SECRETS } from '../support/app.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { shell } from '../support/documented.js';
import { ADMIN_PASSWORD, sql } from '../support/fixtures.js';
import { type Account, ordinaryAccount } from '../support/postgres-server.js';
import { freePort } from '../support/redis.js';
import { makeRelease, type Release } from '../support/release.js';
import { until } from '../support/until.js';

/**
 * Runs the commands of docs/operating.md in a release that belongs to another user: as this user, and as a service user with
 * read permission only.
 */

/** Each command starts npm and Node, which takes a while on a busy machine. */
const BUSY_MS = 240_000;
const SLOW = { timeoutMs: 120_000 };

const account = ordinaryAccount('nobody');
const ACCOUNTS: [string, Account | undefined][] = [
  ['the owner of the folder', undefined],
  ...(account ? ([['a service user without write permission', account]] as [string, Account][]) : []),
];
// Only root can become another user.
if (!account)
  it.skip('a service user without write permission (skipped: the tests do not run as root)', () => undefined);

let release: Release;

beforeAll(() => {
  release = makeRelease();
  chmodSync(release.folder, 0o755);
});
afterAll(() => {
  release.remove();
});

/** Returns every file of the release with its size and time of change. */
const files = () =>
  ['dist', 'prisma', 'scripts', 'assets', '.']
    .flatMap((part) =>
      readdirSync(join(release.folder, part), { recursive: part !== '.', encoding: 'utf8' }).map((name) => {
        const { ino, mtimeMs } = statSync(join(release.folder, part, name));
        return `${part}/${name} ${ino} ${mtimeMs}`;
      }),
    )
    .sort();

describe.each(ACCOUNTS)('as %s', (_, as) => {
  let database: TestDatabase;
  let home: string;
  let environment: NodeJS.ProcessEnv;
  let before: string[];

  beforeAll(async () => {
    before = files();
    database = await createTestDatabase();
    home = mkdtempSync(join(tmpdir(), 'donations-home-'));
    mkdirSync(join(home, 'data'));
    if (as) for (const path of [home, join(home, 'data')]) chownSync(path, as.uid, as.gid);
    environment = {
      PATH: process.env.PATH,
      HOME: home,
      NODE_ENV: 'test',
      ...TEST_SECRETS,
      DATABASE_URL: database.url,
      DATA_DIR: join(home, 'data'),
    };
  });
  afterAll(async () => {
    await database.drop();
    rmSync(home, { recursive: true, force: true });
  });

  const run = (command: string, more: NodeJS.ProcessEnv = {}) =>
    shell(command, { ...environment, ...more }, { ...as, cwd: release.folder });

  it('the service user cannot write to the release', async () => {
    const { code } = await run('touch dist/written && rm dist/written');
    expect(code === 0).toBe(as === undefined);
    before = files();
  });

  it(
    'npm run migrate updates an empty database and then reports nothing to do',
    async () => {
      await sql({ databaseUrl: database.url }, 'DROP SCHEMA public CASCADE');
      await sql({ databaseUrl: database.url }, 'CREATE SCHEMA public');
      const first = await run('npm run --silent migrate');
      expect(first).toEqual({ code: 0, output: expect.stringMatching(/\d+ migration\(s\) applied\.\n$/) });
      expect(await run('npm run --silent migrate')).toEqual({
        code: 0,
        output: 'The database is up to date.\n',
      });
    },
    BUSY_MS,
  );

  it(
    'npm run admin:seed creates an account and admin:remove removes it',
    async () => {
      const who = { ADMIN_EMAIL: 'second@example.org', ADMIN_PASSWORD };
      expect(await run('npm run --silent admin:seed', { ...who, ADMIN_ROLE: 'ACCOUNTANT' })).toMatchObject({
        code: 0,
      });
      expect(
        await run('npm run --silent admin:seed', { ADMIN_EMAIL: 'first@example.org', ADMIN_PASSWORD }),
      ).toMatchObject({ code: 0 });
      const emails = async () =>
        (
          await sql<{ email: string }>(
            { databaseUrl: database.url },
            'SELECT email FROM admin ORDER BY email',
          )
        ).map(({ email }) => email);
      expect(await emails()).toContain('second@example.org');
      expect(await run('npm run --silent admin:remove', who)).toMatchObject({ code: 0 });
      expect(
        await run('npm run --silent admin:seed', { ADMIN_EMAIL: 'first@example.org', ADMIN_PASSWORD }),
      ).toEqual({
        code: 0,
        output: expect.stringContaining('New password for first@example.org'),
      });
    },
    BUSY_MS,
  );

  it(
    'npm run reconcile exits with 0 if nothing is open',
    async () => {
      const { code, output } = await run('npm run --silent reconcile');
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('0 checked') });
      const since = await run('npm run --silent reconcile -- --since 2026-01-01T00:00:00Z');
      expect(since).toMatchObject({ code: 0 });
    },
    BUSY_MS,
  );

  it.each(['npm run --silent start:prod', 'node dist/main.js'])(
    '%s serves requests and stops on SIGTERM',
    async (command) => {
      const port = await freePort();
      const child: ChildProcess = spawn('/bin/sh', ['-c', `exec ${command}`], {
        ...as,
        cwd: release.folder,
        env: { ...environment, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'info' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (text: Buffer) => (printed += text.toString()));
      const url = `http://127.0.0.1:${port}`;
      const status = async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.status;
      try {
        await until(async () => (await status()) === 200, 'a server that is ready', SLOW).catch(
          (error: unknown) => {
            throw new Error(printed, { cause: error });
          },
        );
        const login = await fetch(`${url}/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: 'first@example.org', password: ADMIN_PASSWORD }),
        });
        expect(login.status).toBe(200);
      } finally {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }
      await until(async () => (await status()) === undefined, 'the end of the server', SLOW);
    },
    BUSY_MS,
  );

  it('no command wrote to the release', () => {
    expect(files()).toEqual(before);
  });
});
