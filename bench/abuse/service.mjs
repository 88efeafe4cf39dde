// Starts the built service and the payment sandbox as processes, on a separate database, with an event in progress.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { applyMigrations } from '../../dist/data/schema/migrate.js';
import { seedAdmin } from '../../dist/operator/admin-seed.js';
import { guard } from '../../scripts/children.mjs';
import { createEmptyDatabase, dropDatabases, scratchServer } from '../../scripts/scratch-server.mjs';

const PREFIX = 'donations_abuse_';
/** Number of admins who sign in repeatedly. The rate limits apply to each person, so several admins are necessary. */
const PEOPLE = 8;
/** First part of the addresses of the hall, where tills and walls are. */
export const VENUE = '10.20.0.';

/** @param profileDir folder for the service's CPU profile; the service writes it when it stops */
export async function startEvening({ profileDir } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-abuse-'));
  const { adminUrl, stop: stopServer } = await scratchServer();
  const databaseUrl = await createEmptyDatabase(adminUrl, `${PREFIX}${process.pid}`);
  const children = [];
  const stop = async () => {
    await Promise.all(children.map(endOf));
    await dropDatabases(adminUrl, `${PREFIX}${process.pid}`);
    await stopServer?.();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const program = (file, env, stdout, options = []) => {
    const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
    const child = spawn(process.execPath, [...options, path], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', stdout, 'inherit'],
    });
    guard(child, 'TERM');
    children.push(child);
    return child;
  };
  try {
    await applyMigrations(databaseUrl);
    const signedIn = await seedAdmin({ databaseUrl, email: 'bench@example.org' });
    const [port, metricsPort] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const caFile = join(dataDir, 'ca.pem');
    const sandbox = program(
      'dist-sandbox/main.js',
      {
        SANDBOX_PORT: '0',
        SANDBOX_CA_FILE: caFile,
        STRIPE_WEBHOOK_URL: `${url}/donations/cardprocessor/webhook`,
      },
      'pipe',
    );
    const [line] = await once(createInterface(sandbox.stdout), 'line');
    const sandboxUrl = /http:\S+/.exec(line)[0];
    const service = program(
      'dist/main.js',
      {
        NODE_ENV: 'production',
        LOG_LEVEL: 'error',
        PUBLIC_URL: 'https://gala.example.org',
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        TRUST_PROXY: '1',
        TRUSTED_NETWORKS: `${VENUE}0/24`,
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        JWT_SECRET: randomBytes(48).toString('base64url'),
        PIN_SECRET: randomBytes(48).toString('base64url'),
        STRIPE_SECRET_KEY: 'sk_test_sandbox',
        STRIPE_WEBHOOK_SECRET: 'whsec_sandbox',
        STRIPE_API_URL: sandboxUrl,
        STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
      },
      'ignore',
      profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [],
    );
    for (let waited = 0; !(await isUp(url)); waited += 50) {
      if (waited > 30_000 || service.exitCode !== null) throw new Error('The service did not start');
      await pause(50);
    }
    const watched = { servicePid: service.pid, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
    return { url, databaseUrl, ...watched, ...(await prepare(url, databaseUrl, signedIn)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends a request from an address. `status` is 0 if there was no answer. */
export async function ask(url, { address, method = 'GET', token, cookie, body, limitMs = 10_000 }) {
  try {
    const answer = await fetch(url, {
      method: body === undefined ? method : 'POST',
      signal: AbortSignal.timeout(limitMs),
      headers: {
        'x-forwarded-for': address,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const cookies = answer.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
    return { status: answer.status, bytes, cookie: cookies.join('; ') };
  } catch {
    return { status: 0, bytes: Buffer.alloc(0), cookie: '' };
  }
}

/**
 * Creates an event with a till and an admin, another event whose donor names no font can shape, and an attacker with a valid
 * PIN.
 */
async function prepare(url, databaseUrl, { email, password }) {
  let calls = 0;
  const call = async (path, body, token) => {
    // Each call has its own address, because the service limits sign-ins per address.
    const answer = await ask(url + path, { address: `81.3.${calls++}.1`, body, token });
    if (answer.status >= 300 || answer.status === 0)
      throw new Error(`${path}: ${answer.status} ${answer.bytes}`);
    return { ...JSON.parse(answer.bytes), cookie: answer.cookie };
  };
  const admin = await call('/auth/login', { email, password });
  const eventOf = (slug) => call('/events', { name: slug, slug, goalAmount: 10_000_000 }, admin.accessToken);
  const till = async (event, name) => {
    const { id, code } = await call('/staff', { name }, admin.accessToken);
    await call(`/events/${event.id}/staff/${id}`, {}, admin.accessToken);
    const { accessToken, cookie } = await call('/auth/staff/login', { code, eventId: event.id });
    return { code, token: accessToken, cookie };
  };
  const event = await eventOf('gala');
  const other = await eventOf('attacked');
  const tills = await Promise.all(Array.from({ length: PEOPLE }, (_, n) => till(event, `Grace ${n}`)));
  const insider = await till(event, 'Mallory');
  const attacking = await till(other, 'Trudy');
  const admins = await moreAdmins(databaseUrl, email, (name) =>
    call('/auth/login', { email: name, password }),
  );
  for (const donorName of ['Moshe אׁ', 'ꦗꦮꦶꦱ꧀ꦮꦫ', 'ଓଡ଼ିଆ ନାମ', 'བོད་སྐད་', 'ສະບາຍດີ', 'שָׁלוֹם'])
    for (let n = 0; n < 5; n++)
      await call('/donations', { amount: 100, type: 'cash', donorName }, attacking.token);
  return { password, admins, attackingAdmin: admin, event, other, tills, insider, attacking };
}

/** Creates admins with the same password. Each signs in once on a separate device. */
async function moreAdmins(databaseUrl, email, signIn) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const emails = Array.from({ length: PEOPLE }, (_, n) => `admin-${n}@example.org`);
  await client
    .query(
      `INSERT INTO admin (id, email, password_hash, role)
       SELECT gen_random_uuid(), made.address, password_hash, role
         FROM admin, unnest($2::text[]) AS made (address) WHERE email = $1`,
      [email, emails],
    )
    .finally(() => client.end());
  const admins = [];
  for (const name of emails) admins.push({ ...(await signIn(name)), email: name });
  return admins;
}

async function endOf(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await exited;
  clearTimeout(hard);
}

const isUp = async (url) => (await ask(`${url}/health/live`, { address: `${VENUE}9` })).status === 200;

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}
