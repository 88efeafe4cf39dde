import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { awaitDatabase } from '../../src/data/await-database.js';
import { applyMigrations } from '../../src/data/schema/migrate.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/redis.js';
import { describeWithTool } from '../support/tools.js';
import { until } from '../support/until.js';

/** PgBouncer refuses to run as root, so it runs as another user. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

describeWithTool('pgbouncer', 'PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await database.drop();
  });

  /** Starts a pooler. Returns the address of the database through this pooler. */
  async function pooled(more: string): Promise<string> {
    const { hostname, port, username, password, pathname } = new URL(database.url);
    const own = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'pooler-'));
    chmodSync(folder, 0o755);
    writeFileSync(
      join(folder, 'pooler.ini'),
      `[databases]
       ${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}
       [pgbouncer]
       listen_addr = 127.0.0.1
       listen_port = ${own}
       unix_socket_dir =
       auth_type = any
       pool_mode = transaction
       ${more}`.replace(/^ +/gm, ''),
    );
    children.push(spawn('pgbouncer', [join(folder, 'pooler.ini')], { stdio: 'ignore', ...NOBODY }));
    const url = new URL(database.url);
    url.port = String(own);
    await until(async () => {
      const client = new pg.Client({ connectionString: url.href });
      return await client.connect().then(
        () => client.end().then(() => true),
        () => false,
      );
    }, 'the pooler');
    return url.href;
  }

  it.each([
    ['with its default settings', ''],
    [
      'configured to accept our parameters',
      'ignore_startup_parameters = options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout',
    ],
  ])('a start through PgBouncer %s fails with a clear error', async (_how, more) => {
    const url = await pooled(more);
    await expect(awaitDatabase(url, 10_000, () => undefined)).rejects.toThrow(
      /^The database in DATABASE_URL is not usable: a pooler such as PgBouncer in transaction mode loses locks/,
    );
  });

  it('the operator commands report the pooler too', async () => {
    await expect(applyMigrations(await pooled(''))).rejects.toThrow(
      /^The database is unreachable: a pooler such as PgBouncer in transaction mode loses locks/,
    );
  });

  it('a direct connection reports no pooler', async () => {
    await awaitDatabase(database.url, 10_000, () => undefined);
  });
});
