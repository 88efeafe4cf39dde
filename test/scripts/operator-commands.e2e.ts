import { type ExecFileException, execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

describe('operator commands', () => {
  let database: TestDatabase;
  let folder: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'donations-operator-'));
  });

  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await database.drop();
  });

  const run = (cwd: string, command: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const options = {
        cwd,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          DATABASE_URL: database.url,
          DATA_DIR: join(folder, 'data'),
          ...env,
        },
      };
      execFile(command, args, options, (error: ExecFileException | null, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr });
      });
    });

  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  };

  /** Returns every file of a folder with its inode and time of change. */
  const files = (root: string) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => {
        const { ino, mtimeMs } = statSync(join(root, name));
        return `${name} ${ino} ${mtimeMs}`;
      });

  const copy = (...names: string[]) => {
    for (const name of names) cpSync(name, join(folder, name), { recursive: true });
    symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));
  };

  it('operator commands use the build of a running server without writing to it', async () => {
    await query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const before = [...files('dist'), ...files('src/data/generated')];
    const migrated = await run('.', 'npm', ['run', '--silent', 'migrate']);
    expect(migrated).toMatchObject({ code: 0, stderr: '' });
    expect(migrated.stdout).toMatch(/^applied \d+_init\n[^]*\d+ migration\(s\) applied\.\n$/);
    const seeded = await run('.', 'npm', ['run', '--silent', 'admin:seed'], {
      ADMIN_EMAIL: 'admin@example.org',
    });
    expect(seeded).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Account admin@example.org created/),
    });
    const reconciled = await run('.', 'npm', ['run', '--silent', 'reconcile'], { NODE_ENV: 'test' });
    expect(reconciled).toMatchObject({ code: 0, stdout: expect.stringContaining('0 checked') });
    expect([...files('dist'), ...files('src/data/generated')]).toEqual(before);
  });

  it.each(['migrate', 'admin-seed', 'reconcile', 'doctor'])(
    'the command %s reports a missing build and missing sources',
    async (name) => {
      copy('scripts', 'package.json');
      const { code, stderr } = await run(folder, process.execPath, [`scripts/${name}.mjs`]);
      expect(code).toBe(name === 'admin-seed' ? 1 : 2);
      expect(stderr).toMatch(/^The service is not built: .*dist\/main\.js is missing\./);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    },
  );

  it('a command builds first in a checkout without a build', async () => {
    copy(
      'scripts',
      'package.json',
      'prisma',
      'src',
      'sandbox',
      'web',
      'tsconfig.json',
      'tsconfig.build.json',
      '.swcrc',
    );
    const { code, stdout, stderr } = await run(folder, process.execPath, ['scripts/migrate.mjs']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'The database is up to date.\n' });
    expect(stderr).toContain('building');
    expect(existsSync(join(folder, 'dist/main.js'))).toBe(true);
  });

  it('npm run migrate names the missing variable', async () => {
    const { code, stderr } = await run('.', process.execPath, ['scripts/migrate.mjs'], { DATABASE_URL: '' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^DATABASE_URL is not set/);
  });

  it('npm run migrate rejects arguments', async () => {
    await query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const { code, stderr } = await run('.', process.execPath, ['scripts/migrate.mjs', '--help']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^This command takes no arguments/),
    });
    expect(await query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });

  it.each([
    ['admin-seed'],
    ['admin-remove'],
    ['sessions-end'],
    ['receipts-resume', '--after', '2026-000001'],
  ])('the command %s reports a database without migrations', async (name, ...args) => {
    await query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const { code, stderr } = await run('.', process.execPath, [`scripts/${name}.mjs`, ...args], {
      ADMIN_EMAIL: 'admin@example.org',
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'The database lacks tables of this release. Run "npm run migrate" first.\n',
    });
  });

  it.each([
    [
      'e-mail is on and PIN_SECRET is missing',
      { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'a@example.org' },
      1,
    ],
    ['e-mail is off', {}, 0],
  ])('admin:remove names the missing secret only where e-mail needs it: %s', async (_case, env, lines) => {
    const admin = { ADMIN_EMAIL: 'admin@example.org' };
    await run('.', process.execPath, ['scripts/admin-seed.mjs'], admin);
    const { code, stdout } = await run('.', process.execPath, ['scripts/admin-remove.mjs'], {
      ...admin,
      ...env,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Account admin@example.org removed/);
    const secret = /^No e-mail to its owner was queued: PIN_SECRET, which encrypts it, is not set here\.$/gm;
    expect(stdout.match(secret) ?? []).toHaveLength(lines);
    expect(await query('SELECT 1 FROM email')).toEqual([]);
  });

  it('npm run reconcile refuses a schema of another release', async () => {
    await query(
      "UPDATE _prisma_migrations SET migration_name = '99991231235959_new' WHERE finished_at IS NOT NULL AND migration_name LIKE '%_init'",
    );
    const { code, stderr } = await run('.', process.execPath, ['scripts/reconcile.mjs'], {
      NODE_ENV: 'test',
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^The database schema is newer than this release\. This release does not contain: 99991231235959_new\./,
    );
  });
});
