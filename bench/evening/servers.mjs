// The servers of the evening and their faults: a PostgreSQL, a Redis, a payment sandbox and two processes of the
// service.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { guard, startProgram } from '../../scripts/children.mjs';
import { freePort, startEmbeddedPostgres } from '../../scripts/embedded-postgres.mjs';
import { createEmptyDatabase } from '../../scripts/scratch-server.mjs';
import { cpuOf, cpuOfFamily } from '../measure.mjs';
import { exchange } from './client.mjs';

const root = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const STRIPE = { secretKey: 'sk_test_sandbox', webhookSecret: 'whsec_sandbox' };
const PAYPAL = { clientId: 'client', clientSecret: 'secret', webhookId: 'WEBHOOK-1' };
export const ADMIN = { email: 'evening@example.org', password: 'a long password for one evening' };
const START_MS = 120_000;
const POLL_MS = 25;

export async function startServers() {
  const folder = mkdtempSync(join(tmpdir(), 'donations-evening-'));
  const stops = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    // PostgreSQL is as durable as in production, because a restart must not lose answered requests, and commits must have their
    // real cost.
    const cluster = { dataDir: join(folder, 'postgres'), maxConnections: 100 };
    let postgres = await startEmbeddedPostgres(cluster);
    stops.push(() => postgres.stop());
    const { port } = postgres;
    const databaseUrl = await createEmptyDatabase(postgres.url, 'evening');
    const operator = { ...process.env, DATABASE_URL: databaseUrl };
    execFileSync(process.execPath, [root('scripts/migrate.mjs')], { env: operator });
    execFileSync(process.execPath, [root('scripts/admin-seed.mjs')], {
      env: { ...operator, ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
    });

    const redisPort = await freePort();
    let redis = await startRedis(redisPort, folder);
    stops.push(() => end(redis, 'SIGKILL'));

    const sandbox = await startSandbox();
    stops.push(() => end(sandbox.child, 'SIGTERM'));

    const log = join(folder, 'service.log');
    const environment = {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      LOG_LEVEL: 'warn',
      HOST: '127.0.0.1',
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl,
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      JWT_SECRET: 'evening-7Qm2Zx9Lk4Vt1Rb8Nc5Wd3Yf6Hg0Js',
      PIN_SECRET: 'evening-Pz6Xv3Bn9Mq1Lw4Ke7Jr2Ht5Gy8Fu',
      PUBLIC_URL: 'https://give.example.org',
      // Like a proxy, clients set their address in a header. Tills and phones are in halls with trusted networks.
      TRUST_PROXY: 'loopback',
      TRUSTED_NETWORKS: '10.0.0.0/8',
      ...sandboxEnvironment(sandbox, folder),
    };
    const ports = [await freePort(), await freePort()];
    const urls = ports.map((one) => `http://127.0.0.1:${one}`);
    const start = (index) => startService({ ...environment, PORT: String(ports[index]) }, log);
    const services = await Promise.all(ports.map((_, index) => start(index)));
    stops.push(() => Promise.all(services.map((service) => service.stop())));

    // Each provider sends its webhooks to one of the two processes, as a load balancer would distribute them.
    await sandbox.ask('POST', '/sandbox/webhook-urls', {
      stripe: `${urls[0]}/donations/cardprocessor/webhook`,
      paypal: `${urls[1]}/donations/wallet/webhook`,
    });
    return {
      urls,
      sandbox,
      /** Returns the processor time that each server has used so far, in ms. */
      cpu: () => {
        const [postmaster] = readFileSync(join(cluster.dataDir, 'cluster/postmaster.pid'), 'utf8').split(
          '\n',
        );
        return {
          service: services.reduce((sum, { child }) => sum + cpuOf(child.pid), 0),
          database: cpuOfFamily(postmaster),
          redis: cpuOf(redis.pid),
          sandbox: cpuOf(sandbox.child.pid),
        };
      },
      log: () => tailOf(log),
      stop,
      sql: (text, values) => query(databaseUrl, text, values),
      async restartDatabase(awayMs) {
        await postgres.stop();
        await sleep(awayMs);
        postgres = await startEmbeddedPostgres({ ...cluster, port });
      },
      async takeRedisAway(awayMs) {
        await end(redis, 'SIGKILL');
        await sleep(awayMs);
        redis = await startRedis(redisPort, folder);
      },
      /** Stops a process while the load balancer still uses it, and starts it again at the same address. */
      async replaceService(index) {
        await services[index].stop();
        services[index] = await start(index);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startRedis(port, folder) {
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  child.once('error', (error) => {
    throw new Error(`The evening needs redis-server: ${error.message}`);
  });
  guard(child, 'KILL');
  for await (const text of child.stdout) if (String(text).includes('Ready to accept connections')) break;
  return child;
}

async function startSandbox() {
  const child = fork(fileURLToPath(new URL('sandbox.mjs', import.meta.url)), [
    JSON.stringify({ stripe: STRIPE, paypal: PAYPAL }),
  ]);
  const [{ url, caPem }] = await once(child, 'message');
  const ask = async (method, path, body = {}) => {
    const headers = { 'content-type': 'application/json' };
    const { status, error, answer } = await exchange(
      url + path,
      { method, headers },
      method === 'GET' ? undefined : JSON.stringify(body),
    );
    if (status !== 200) {
      const text = `sandbox ${path}: ${error ?? `${status} ${JSON.stringify(answer)}`}`;
      throw Object.assign(new Error(text), { status });
    }
    return answer;
  };
  return { child, url, caPem, ask };
}

function sandboxEnvironment({ url, caPem }, folder) {
  const caFile = join(folder, 'paypal-ca.pem');
  writeFileSync(caFile, caPem);
  return {
    STRIPE_SECRET_KEY: STRIPE.secretKey,
    STRIPE_WEBHOOK_SECRET: STRIPE.webhookSecret,
    STRIPE_API_URL: url,
    PAYPAL_CLIENT_ID: PAYPAL.clientId,
    PAYPAL_CLIENT_SECRET: PAYPAL.clientSecret,
    PAYPAL_WEBHOOK_ID: PAYPAL.webhookId,
    PAYPAL_API_URL: url,
    PAYPAL_CA_FILE: caFile,
  };
}

async function startService(environment, log) {
  const service = startProgram(root('dist/main.js'), { env: environment, stdout: openSync(log, 'a') });
  const url = `http://127.0.0.1:${environment.PORT}`;
  for (const until = Date.now() + START_MS; ; await sleep(POLL_MS)) {
    if (await isReady(url)) return service;
    if (service.child.exitCode !== null || Date.now() > until)
      throw new Error(`The service did not start (${service.child.exitCode}):\n${tailOf(log)}`);
  }
}

/** Returns the end of a log, without stack traces. */
const tailOf = (file) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-20)
    .map((line) => line.slice(0, 300))
    .join('\n');

async function isReady(url) {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false;
  }
}

async function end(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

async function query(databaseUrl, text, values) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
