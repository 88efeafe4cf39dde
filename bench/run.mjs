// The hot paths of the service against bare node:http + pg doing the same on the same database, in turn, in
// one run. Prints requests per second, latency and the ratio; the ratio is the claim.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import pg from 'pg';
import { createEmptyDatabase, dropDatabases, scratchServer } from '../scripts/scratch-server.mjs';
import { applyMigrations } from '../dist/data/migrate.js';
import { seedAdmin } from '../dist/operator/admin-seed.js';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CONNECTIONS = 64;
const PREFIX = 'donations_bench_';

const { adminUrl, stop } = await scratchServer();
await dropDatabases(adminUrl, PREFIX);
const databaseUrl = await createEmptyDatabase(adminUrl, `${PREFIX}${process.pid}`);
const children = [];
try {
  await applyMigrations(databaseUrl);
  const setting = await prepare();
  const bare = await start('bare.mjs', { BENCH_EVENT: setting.eventId, BENCH_STAFF: setting.staffId });
  const paths = [
    { name: 'public list', request: { path: '/events/public' } },
    { name: 'guarded list', request: { path: '/donations', headers: setting.headers } },
    {
      name: 'record a donation',
      request: {
        method: 'POST',
        path: '/donations',
        headers: { ...setting.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: 2500, type: 'cash', donorName: 'Ada Lovelace' }),
      },
    },
  ];
  const rows = [];
  for (const { name, request } of paths) {
    const pairs = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const theirs = await load(bare, request);
      const ours = await load(setting.service, request);
      // The first round warms both up.
      if (round > 0) pairs.push({ ours, theirs, ratio: ours.requests.average / theirs.requests.average });
    }
    const middle = pairs.sort((a, b) => a.ratio - b.ratio)[Math.floor(pairs.length / 2)];
    rows.push({
      path: name,
      'service req/s': Math.round(middle.ours.requests.average),
      'bare req/s': Math.round(middle.theirs.requests.average),
      ratio: Number(middle.ratio.toFixed(2)),
      'service p50 ms': middle.ours.latency.p50,
      'service p99 ms': middle.ours.latency.p99,
      'bare p99 ms': middle.theirs.latency.p99,
    });
  }
  console.table(rows);
  await assertBooks();
} finally {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))));
  await dropDatabases(adminUrl, PREFIX);
  await stop();
}

/** Starts a program of this folder on the database; resolves to its address. */
async function start(file, environment = {}) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      DATABASE_URL: databaseUrl,
      JWT_SECRET: 'bench-7Qm2Zx9Lk4Vt1Rb8Nc5Wd3Yf6Hg0Js',
      PIN_SECRET: 'bench-Pz6Xv3Bn9Mq1Lw4Ke7Jr2Ht5Gy8Fu',
      ...environment,
    },
  });
  children.push(child);
  return await new Promise((resolve, reject) => {
    child.once('message', ({ url }) => resolve(url));
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
}

/** An event with a staff member signed in, and 5 000 donations so that lists are full. */
async function prepare() {
  const { email, password } = await seedAdmin({ databaseUrl, email: 'bench@example.org' });
  const service = await start('service.mjs');
  const call = async (path, body, token) => {
    const response = await fetch(service + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: body && JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const { accessToken } = await call('/auth/login', { email, password });
  let event;
  for (let i = 0; i < 20; i++)
    event = await call(
      '/events',
      { name: `Gala ${i}`, slug: `gala-${i}`, goalAmount: 1_000_000 },
      accessToken,
    );
  const member = await call('/staff', { name: 'Grace' }, accessToken);
  await call(`/events/${event.id}/staff/${member.id}`, undefined, accessToken);
  const staff = await call('/auth/staff/login', { code: member.code, eventId: event.id });
  const donation = { amount: 100, type: 'cash', donorName: 'Donor' };
  for (let i = 0; i < 100; i++)
    await Promise.all(Array.from({ length: 50 }, () => call('/donations', donation, staff.accessToken)));
  return {
    service,
    eventId: event.id,
    staffId: member.id,
    headers: { authorization: `Bearer ${staff.accessToken}` },
  };
}

async function load(url, request) {
  const result = await autocannon({
    url: url + request.path,
    ...request,
    connections: CONNECTIONS,
    duration: SECONDS,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${request.path}: ${result.non2xx} refused, ${result.errors} failed`);
  return result;
}

/** Speed that loses money is none: totals must equal a recount. */
async function assertBooks() {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(`SELECT
    (SELECT sum(amount - refunded_amount) FROM donation WHERE status = 'COMPLETED') AS recount,
    (SELECT sum(total_raised) FROM event_total) AS kept, (SELECT count(*) FROM donation) AS donations`);
  await client.end();
  const [{ recount, kept, donations }] = rows;
  if (recount !== kept) throw new Error(`totals are wrong: ${kept} kept, ${recount} counted`);
  console.log(`${donations} donations recorded; totals equal the recount (${kept}).`);
}
