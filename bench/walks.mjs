// Counts the service files that a reader must open to follow one request from the controller to the database
// and the wall. A file counts if V8's coverage shows that one of its functions ran, except functions that
// timers also run without a request. Prints each walk with its target; --files lists the files.
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { io } from 'socket.io-client';
import { startSandbox } from '../dist-sandbox/server/sandbox.js';
import { createApp } from '../dist/server/app.js';
import { applyMigrations } from '../dist/data/schema/migrate.js';
import { loadConfig } from '../dist/server/load-config.js';
import { seedAdmin } from '../dist/operator/admin-seed.js';
import { createEmptyDatabase, dropDatabases, scratchServer } from '../scripts/scratch-server.mjs';

const PREFIX = 'donations_walks_';
/** A time in which each timer with a shorter interval runs at least once. */
const IDLE_MS = 3_000;
const keys = { secretKey: 'sk_test_sandbox', webhookSecret: 'whsec_sandbox' };
const { adminUrl, stop } = await scratchServer();
await dropDatabases(adminUrl, PREFIX);
const databaseUrl = await createEmptyDatabase(adminUrl, `${PREFIX}${process.pid}`);
await applyMigrations(databaseUrl);
const sandbox = await startSandbox({
  stripe: keys,
  paypal: { clientId: 'client', clientSecret: 'secret', webhookId: 'WEBHOOK-1' },
});
const app = await createApp(
  loadConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATABASE_URL: databaseUrl,
    JWT_SECRET: 'walks-jwt-secret-walks-jwt-secret-walks',
    PIN_SECRET: 'walks-pin-secret-walks-pin-secret-walks',
    STRIPE_SECRET_KEY: keys.secretKey,
    STRIPE_WEBHOOK_SECRET: keys.webhookSecret,
    STRIPE_API_URL: sandbox.url,
  }),
);
await app.listen(0, '127.0.0.1');
const url = await app.getUrl();
sandbox.setWebhookUrls({ stripe: `${url}/donations/cardprocessor/webhook` });
sandbox.setDeliveryMode('manual');

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

const json = (token) => ({
  'content-type': 'application/json',
  ...(token && { authorization: `Bearer ${token}` }),
});
async function call(method, path, { token, body, headers } = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { ...json(token), ...headers },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  const type = response.headers.get('content-type') ?? '';
  return type.includes('json') ? await response.json() : await response.arrayBuffer();
}

const email = 'walks@example.org';
const password = 'a password for the walks';
await seedAdmin({ databaseUrl, email, password });
const { accessToken: token } = await call('POST', '/auth/login', { body: { email, password } });
const event = await call('POST', '/events', { token, body: { name: 'Walk', slug: 'walk', goalAmount: 100 } });
const socket = io(url, { transports: ['websocket'] });
await socket.emitWithAck('joinEvent', event.id);

const intent = () =>
  call('POST', '/donations/intent', {
    body: { amount: 2500, currency: 'eur', metadata: { eventId: event.id, donorName: 'Ada' } },
  });
const deliver = async () => {
  await sandbox.stripe.deliveries.flush('oldest-first');
  await sleep(300);
};
const paid = async () => {
  const { clientSecret, donationId } = await intent();
  sandbox.stripe.pay(clientSecret);
  return donationId;
};
const walks = {
  'card donation: intent': { target: 32, run: intent },
  'card donation: webhook to wall': { target: 24, prepare: paid, run: deliver },
  'cash donation to wall': {
    target: 28,
    run: async () => {
      await call('POST', '/donations', { token, body: { amount: 500, type: 'cash', eventId: event.id } });
      await sleep(300);
    },
  },
  'cancel with refund': {
    target: 38,
    prepare: async () => {
      const id = await paid();
      await deliver();
      return id;
    },
    run: (id) => call('POST', `/donations/${id}/cancel`, { token, body: { shouldRefund: true } }),
  },
  'webhook event delivered again': {
    target: 18,
    prepare: async () => {
      await paid();
      await deliver();
      return sandbox.stripe.deliveries.list().at(-1)?.eventId;
    },
    run: (id) => sandbox.stripe.deliveries.deliver(id, 1),
  },
  receipt: {
    target: 30,
    prepare: async () =>
      (await call('POST', '/donations', { token, body: { amount: 500, type: 'cash', eventId: event.id } }))
        .id,
    run: (id) => call('GET', `/export/receipts/${id}`, { token }),
  },
};

/** Returns the functions that ran since the last call, in one list for each file. */
async function ran() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url: file }) => /\/dist\//.test(file) && !/generated|node_modules/.test(file))
    .map(({ url: file, functions }) => ({
      file: file.replace(/.*\/dist\//, ''),
      functions: functions
        .filter(({ ranges }) => ranges[0].count > 0)
        .map(({ ranges }) => `${file}:${ranges[0].startOffset}`),
    }));
}

/** Returns the functions that run without a request: by timers, such as the relay's and the check for slow sockets. */
async function ranIdle() {
  await sleep(1_000);
  await ran();
  await sleep(IDLE_MS);
  return new Set((await ran()).flatMap(({ functions }) => functions));
}

/** Returns the files in which a function ran, without files in which only timers ran functions. */
async function entered(idle) {
  const files = (await ran()).filter(({ functions }) => functions.some((one) => !idle.has(one)));
  return files.map(({ file }) => file).sort();
}

try {
  const idle = await ranIdle();
  for (const [name, { target, prepare, run }] of Object.entries(walks)) {
    let files = [];
    // The first round fills the caches, as in an evening after its start.
    for (let round = 0; round < 2; round++) {
      const given = await prepare?.();
      await sleep(400);
      await ran();
      await run(given);
      files = await entered(idle);
    }
    const verdict = files.length <= target ? 'pass' : 'MISS';
    console.log(`${name.padEnd(34)} ${String(files.length).padStart(3)} files, target ${target}: ${verdict}`);
    if (process.argv.includes('--files')) for (const file of files) console.log(`    ${file}`);
  }
} finally {
  socket.close();
  await app.close();
  await sandbox.close();
  await dropDatabases(adminUrl, PREFIX);
  await stop();
}
