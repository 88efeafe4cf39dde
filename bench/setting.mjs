// Creates a database with events and donations, and starts the programs that use it.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createEmptyDatabase, dropDatabases, scratchServer } from '../scripts/scratch-server.mjs';
import { applyMigrations } from '../dist/data/schema/migrate.js';
import { seedAdmin } from '../dist/operator/admin-seed.js';
import { fillBooks } from './growth/fill.mjs';

/** The same options as in the Dockerfile. */
export const NODE_OPTIONS = '--max-semi-space-size=16';
export const WEBHOOK_SECRET = 'whsec_bench_Zk3v9Qm1xT7bL5nR2cW8';
/** Number of earlier events, which the public list contains too. */
const EVENTS = 50;
const PREFIX = 'donations_bench_';
let opened = 0;

/** Creates an empty migrated database. `close` stops all programs that use the database, and deletes it. */
export async function openSetting() {
  const { adminUrl, stop } = await scratchServer();
  const name = `${PREFIX}${process.pid}_${++opened}`;
  const databaseUrl = await createEmptyDatabase(adminUrl, name);
  await applyMigrations(databaseUrl);
  const children = [];
  return {
    databaseUrl,
    start: (file, environment = {}) => start(children, databaseUrl, file, environment),
    sql: async (text, values = []) => {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      try {
        return (await client.query(text, values)).rows;
      } finally {
        await client.end();
      }
    },
    close: async () => {
      for (const { child } of children) child.kill('SIGTERM');
      await Promise.all(
        children.map(({ child }) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))),
      );
      await dropDatabases(adminUrl, name);
      await stop?.();
    },
  };
}

/** Starts a program of this folder. When the program listens, resolves to its address and process id. */
async function start(children, databaseUrl, file, environment) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: (process.env.BENCH_NODE ?? '').split(' ').filter(Boolean),
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      NODE_OPTIONS,
      DATABASE_URL: databaseUrl,
      JWT_SECRET: 'bench-7Qm2Zx9Lk4Vt1Rb8Nc5Wd3Yf6Hg0Js',
      PIN_SECRET: 'bench-Pz6Xv3Bn9Mq1Lw4Ke7Jr2Ht5Gy8Fu',
      STRIPE_SECRET_KEY: 'sk_live_bench',
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      PUBLIC_URL: 'https://give.example.org',
      // All sockets of a crowd have the same address, so the address must be trusted.
      TRUSTED_NETWORKS: '127.0.0.0/8',
      ...environment,
    },
  });
  const program = await new Promise((resolve, reject) => {
    child.once('message', ({ url }) => resolve({ child, url, pid: child.pid }));
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  children.push(program);
  return program;
}

/** Sends a message to a program and waits until the program has stored it. */
export async function tell({ child }, message) {
  const kept = new Promise((resolve) => child.once('message', resolve));
  child.send(message);
  await kept;
}

/**
 * Starts the service with an event and a signed-in staff member.
 * @param donations number of donations in earlier events; the largest event has a twentieth of them
 */
export async function prepare(setting, donations = 0, environment = {}) {
  if (donations > 0) await fill(setting, donations);
  const { email, password } = await seedAdmin({
    databaseUrl: setting.databaseUrl,
    email: 'bench@example.org',
  });
  const service = await setting.start('service.mjs', environment);
  const post = async (path, body, token) => {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: body && JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const { accessToken } = await post('/auth/login', { email, password });
  const newEvent = (slug) =>
    post('/events', { name: 'Bench Gala', slug, goalAmount: 10_000_000, description: 'Dinner' }, accessToken);
  const event = await newEvent('bench');
  const member = await post('/staff', { name: 'Grace' }, accessToken);
  const signIn = async ({ id }) => {
    await post(`/events/${id}/staff/${member.id}`, undefined, accessToken);
    return await post('/auth/staff/login', { code: member.code, eventId: id });
  };
  const staff = await signIn(event);
  return {
    service,
    event,
    newEvent,
    /** Returns the headers of a volunteer at another event. */
    staffAt: async (other) => ({ authorization: `Bearer ${(await signIn(other)).accessToken}` }),
    staffId: member.id,
    asAdmin: { authorization: `Bearer ${accessToken}` },
    asStaff: { authorization: `Bearer ${staff.accessToken}` },
    give: (fields = {}) => post('/donations', { amount: 2500, type: 'cash', ...fields }, staff.accessToken),
  };
}

async function fill({ databaseUrl }, donations) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await fillBooks(client, donations, { events: EVENTS });
  await client.end();
}

/** Checks that the totals equal a recount, because a fast service must not lose money. */
export async function assertBooks(setting) {
  const [{ recount, kept, donations }] = await setting.sql(`SELECT
    (SELECT coalesce(sum(amount - refunded_amount), 0) FROM donation WHERE status = 'COMPLETED') AS recount,
    (SELECT coalesce(sum(total_raised), 0) FROM event_total) AS kept, (SELECT count(*) FROM donation) AS donations`);
  if (recount !== kept) throw new Error(`The totals are wrong: ${kept} stored, ${recount} counted`);
  return { donations: Number(donations), total: kept };
}
