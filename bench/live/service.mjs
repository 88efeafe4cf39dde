// The built service as a process of its own, on a database of its own, with an event and somebody to record.
import { fork, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import bcrypt from 'bcrypt';
import pg from 'pg';
import { applyMigrations } from '../../dist/data/schema/migrate.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const PASSWORD = 'only for the bench';

/** @param processes how many serve the same database; more than one need `REDIS_URL` */
export async function startService(processes = 1) {
  if (processes > 1 && !process.env.REDIS_URL) throw new Error('several processes need REDIS_URL');
  const admin = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await admin.connect();
  const name = `bench_live_${randomBytes(5).toString('hex')}`;
  await admin.query(`CREATE DATABASE ${name}`);
  const databaseUrl = Object.assign(new URL(process.env.DATABASE_URL), { pathname: `/${name}` }).href;
  await applyMigrations(databaseUrl);
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-live-'));
  const environment = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    JWT_SECRET: randomBytes(48).toString('base64url'),
    PIN_SECRET: randomBytes(48).toString('base64url'),
    TRUSTED_NETWORKS: '127.0.0.0/8',
    ...(process.env.REDIS_URL ? { REDIS_URL: process.env.REDIS_URL } : {}),
  };
  const running = [];
  for (let count = 0; count < processes; count++) running.push(await startProcess(environment));
  const urls = running.map(({ url }) => url);
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  return {
    urls,
    database,
    ...(await prepare(urls[0], database)),
    cpu: () => running.reduce((sum, { child }) => sum + cpuMilliseconds(child.pid), 0),
    /** Of all its processes together. */
    memory: () => running.reduce((sum, { child }) => sum + (residentMegabytes(child.pid) ?? NaN), 0),
    stop: async () => {
      await database.end();
      for (const { child } of running) child.kill('SIGTERM');
      await Promise.all(running.map(({ child }) => child.exitCode ?? once(child, 'exit')));
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function startProcess(environment) {
  const port = await freePort();
  // Such as `--cpu-prof`, to see where the time goes.
  const options = process.env.BENCH_NODE?.split(' ') ?? [];
  const child = spawn(process.execPath, [...options, here('../../dist/main.js')], {
    env: { ...environment, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (let waited = 0; !(await isUp(url)); waited += 50) {
    if (waited > 15_000 || child.exitCode !== null) throw new Error('the service did not start');
    await pause(50);
  }
  return { child, url };
}

/** An event and a staff token for it. */
async function prepare(url, database) {
  await database.query("INSERT INTO admin (id, email, password_hash, role) VALUES ($1, $2, $3, 'ADMIN')", [
    randomUUID(),
    'bench@example.org',
    bcrypt.hashSync(PASSWORD, 4),
  ]);
  const call = async (path, body, token) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const { accessToken } = await call('/auth/login', { email: 'bench@example.org', password: PASSWORD });
  const event = await call(
    '/events',
    { name: 'Bench Gala', slug: 'bench-gala', goalAmount: 10_000_000 },
    accessToken,
  );
  const staff = await call('/staff', { name: 'Bench Collector' }, accessToken);
  await call(`/events/${event.id}/staff/${staff.id}`, {}, accessToken);
  const session = await call('/auth/staff/login', { code: staff.code, eventId: event.id });
  return {
    event,
    give: () =>
      call(
        '/donations',
        { amount: 2500, type: 'cash', donorName: 'Ada Lovelace', message: 'For the new roof' },
        session.accessToken,
      ),
  };
}

export async function startBare() {
  const child = fork(here('./bare-server.mjs'));
  const [{ url, slug }] = await once(child, 'message');
  let sequence = 0;
  return {
    urls: [url],
    event: { slug },
    cpu: () => cpuMilliseconds(child.pid),
    memory: () => residentMegabytes(child.pid),
    give: async () => {
      const donation = {
        id: randomUUID(),
        eventId: randomUUID(),
        amount: 2500,
        currency: 'eur',
        donorName: 'Ada Lovelace',
        message: 'For the new roof',
        createdAt: new Date().toISOString(),
        sequence: ++sequence,
      };
      await fetch(url, { method: 'POST', body: `42${JSON.stringify(['donation.created', donation])}` });
    },
    stop: async () => void child.kill(),
  };
}

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Resident memory of a process; undefined where /proc does not tell. */
function residentMegabytes(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return undefined;
  }
}

/** What a process has worked, in user and system time, in the ticks of 10 ms that Linux counts; NaN elsewhere. */
function cpuMilliseconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return NaN;
  }
}

async function isUp(url) {
  try {
    return (await fetch(`${url}/health/live`)).ok;
  } catch {
    return false;
  }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}
