import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';

describe('embedded PostgreSQL', () => {
  let folder: string;
  let started: ChildProcess[] = [];
  const cluster = (name: string) => join(folder, 'postgres', 'cluster', name);

  const start = async () => {
    const child = spawn(process.execPath, ['scripts/embedded-postgres.mjs', join(folder, 'postgres')]);
    started.push(child);
    let output = '';
    child.stderr.on('data', (text: Buffer) => (output += text.toString()));
    const [url] = (await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => ['']),
    ])) as [Buffer | string];
    return { child, url: url.toString().trim(), errors: () => output };
  };
  const query = async (url: string, sql: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const end = async (child: ChildProcess, signal: NodeJS.Signals) => {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  const serverPid = () => Number.parseInt(readFileSync(cluster('postmaster.pid'), 'utf8'), 10);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'donations-embedded-'));
    // A folder like one of `mktemp -d`. If root runs the test, the user that runs PostgreSQL cannot enter this folder.
    chmodSync(folder, 0o700);
  });

  afterAll(async () => {
    started = started.filter((child) => child.exitCode === null && child.signalCode === null);
    await Promise.all(started.map((child) => end(child, 'SIGTERM')));
    rmSync(folder, { recursive: true, force: true });
  });

  it('embedded PostgreSQL creates a UTF-8 database, and ends with the program that started it', async () => {
    const { child, url } = await start();
    expect(
      await query(url, "SELECT lower('ÉЖ') AS text, current_setting('server_encoding') AS encoding"),
    ).toEqual([{ text: 'éж', encoding: 'UTF8' }]);
    await query(url, 'CREATE TABLE kept AS SELECT 7 AS x');
    await end(child, 'SIGTERM');
    expect(existsSync(cluster('postmaster.pid'))).toBe(false);
  });

  it('embedded PostgreSQL starts again with its data after a kill, although the lock file names another process', async () => {
    const first = await start();
    process.kill(serverPid(), 'SIGKILL');
    await once(first.child, 'exit');
    const lock = readFileSync(cluster('postmaster.pid'), 'utf8');
    writeFileSync(cluster('postmaster.pid'), lock.replace(/^\d+/, String(process.pid)));
    const second = await start();
    expect(await query(second.url, 'SELECT x FROM kept')).toEqual([{ x: 7 }]);
    await end(second.child, 'SIGTERM');
  });

  it('embedded PostgreSQL stops after the program that started it was killed', async () => {
    const { child, url } = await start();
    await end(child, 'SIGKILL');
    const deadline = Date.now() + 10_000;
    while (existsSync(cluster('postmaster.pid')) && Date.now() < deadline) await sleep(50);
    expect(existsSync(cluster('postmaster.pid'))).toBe(false);
    await expect(query(url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('embedded PostgreSQL refuses data that is in use or from another version, with a clear error', async () => {
    const { child } = await start();
    const second = await start();
    expect(second.errors()).toMatch(/Process \d+ is already running the database in/);
    await end(child, 'SIGTERM');
    const version = readFileSync(cluster('PG_VERSION'), 'utf8');
    writeFileSync(cluster('PG_VERSION'), '9\n');
    const third = await start();
    expect(third.errors()).toMatch(/was made by PostgreSQL 9, but this release contains PostgreSQL \d+/);
    writeFileSync(cluster('PG_VERSION'), version);
  });
});
