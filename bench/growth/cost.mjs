// Processor time per request: the time of the service, the database and Redis, each divided by the number of requests. Other
// work on the machine changes this value much less than requests per second.
// DATABASE_URL=… REDIS_URL=… node bench/growth/cost.mjs [requests, 2000]
// Linux only (/proc). fill.mjs must have filled the database, on this machine, on a server without other users.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import pg from 'pg';
import { io } from 'socket.io-client';

const REQUESTS = Number(process.argv[2] ?? 2_000);
const AT_ONCE = 16;
const WALLS = 200;
const TICKS = 100;
const EMAIL = 'cost@example.org';
const PASSWORD = 'a long password for the cost bench';

const { DATABASE_URL, REDIS_URL } = process.env;
if (!DATABASE_URL || !REDIS_URL) throw new Error('Set DATABASE_URL and REDIS_URL');

process.env.ADMIN_EMAIL = EMAIL;
const { seedAdmin } = await import('../../dist/operator/admin-seed.js');
await seedAdmin({ databaseUrl: DATABASE_URL, email: EMAIL, password: PASSWORD });
const service = fork(new URL('../service.mjs', import.meta.url), {
  env: {
    ...process.env,
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    PIN_SECRET: 'pin-Yp8w2Nf6eK4tB1mV9zX3qH7rC5dJ0sGl',
    JWT_SECRET: 'jwt-Zk3v9Qm1xT7bL5nR2cW8yD4hF6gS0aUj',
  },
});
const [{ url }] = await once(service, 'message');
const redis = new Redis(REDIS_URL);
const client = new pg.Client({ connectionString: DATABASE_URL });
await client.connect();
const postmaster = (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
const parent = parentOf(postmaster);

const call = async (method, path, body, token) => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
};
const { accessToken: token } = await call('POST', '/auth/login', { email: EMAIL, password: PASSWORD });
const { rows: events } = await client.query(
  "SELECT id, slug FROM event WHERE slug LIKE 'gala-%' ORDER BY slug LIMIT 50",
);
const event = (n) => events[n % events.length];
const record = (n) =>
  call('POST', '/donations', { amount: 500, type: 'cash', eventId: event(n).id, donorName: 'Ada' }, token);

const rows = [];
await measure('`GET /events/:slug`', (n) => call('GET', `/events/${event(n).slug}`));
await measure('`GET /donations`, a page of 50 of one event', (n) =>
  call('GET', `/donations?eventId=${event(n).id}&limit=50`, undefined, token),
);
await measure(
  '`GET /donations`, a search over all',
  () => call('GET', '/donations?search=barbara.do&limit=50', undefined, token),
  REQUESTS / 10,
);
await measure('`POST /donations`, 50 events', record);
await measure('`POST /donations`, one event', () => record(0));
const walls = await Promise.all(Array.from({ length: WALLS }, wall));
await measure(`\`POST /donations\`, one event, ${WALLS} walls`, () => record(0), REQUESTS / 4);
for (const one of walls) one.close();

const pad = (text, width) => String(text).padEnd(width);
console.log(`\n| ${pad('request', 46)} | service | database | Redis   | commands of Redis |`);
for (const { name, ms, commands } of rows)
  console.log(
    `| ${pad(name, 46)} | ${ms.map((one) => `${one.toFixed(2)} ms`).join(' | ')} | ${commands.toFixed(1)} |`,
  );
await redis.quit();
await client.end();
service.kill('SIGTERM');
await once(service, 'exit');

async function measure(name, work, count = REQUESTS) {
  for (let n = 0; n < 100; n++) await work(n);
  const before = await used();
  let next = 0;
  const line = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
  // Waits for the relay and the walls, so that the measured time includes their work after the answer.
  await new Promise((done) => setTimeout(done, 1_000));
  const after = await used();
  const per = (what) => ((after[what] - before[what]) * 1_000) / count;
  rows.push({
    name,
    ms: [per('service'), per('database'), per('redis')],
    commands: (after.commands - before.commands) / count,
  });
  console.log(name, rows.at(-1));
}

/** Returns the seconds of processor time so far, and the number of commands. */
async function used() {
  const info = await redis.info();
  const field = (name) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
  return {
    service: secondsOf(service.pid),
    database: readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === parent)
      .reduce((sum, pid) => sum + secondsOf(pid), 0),
    redis: field('used_cpu_sys') + field('used_cpu_user'),
    commands: field('total_commands_processed'),
  };
}

/** "pid (name) state ppid …" */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
function parentOf(pid) {
  return Number(statOf(pid)[1] ?? 0);
}
function secondsOf(pid) {
  const stat = statOf(pid);
  return stat.length > 0 ? (Number(stat[11]) + Number(stat[12])) / TICKS : 0;
}

async function wall() {
  const socket = io(url, { transports: ['websocket'] });
  await once(socket, 'connect');
  await socket.emitWithAck('joinEvent', event(0).id);
  return socket;
}
