// How many files of the service a reader enters to follow one request from controller to database and wall,
// measured by V8's coverage: a file counts when a function of it ran. Prints a line for each walk; --files lists them.
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { io } from 'socket.io-client';
import { startSandbox } from '../dist-sandbox/server.js';
import { createApp } from '../dist/app.js';
import { applyMigrations } from '../dist/data/migrate.js';
import { loadConfig } from '../dist/load-config.js';
import { seedAdmin } from '../dist/operator/admin-seed.js';
import { createEmptyDatabase, dropDatabases, scratchServer } from '../scripts/scratch-server.mjs';

const PREFIX = 'donations_walks_';
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
  'card donation: intent': { run: intent },
  'card donation: webhook to wall': { prepare: paid, run: deliver },
  'cash donation to wall': {
    run: async () => {
      await call('POST', '/donations', { token, body: { amount: 500, type: 'cash', eventId: event.id } });
      await sleep(300);
    },
  },
  'cancel with refund': {
    prepare: async () => {
      const id = await paid();
      await deliver();
      return id;
    },
    run: (id) => call('POST', `/donations/${id}/cancel`, { token, body: { shouldRefund: true } }),
  },
  'webhook event delivered again': {
    prepare: async () => {
      await paid();
      await deliver();
      return sandbox.stripe.deliveries.list().at(-1)?.eventId;
    },
    run: (id) => sandbox.stripe.deliveries.deliver(id, 1),
  },
  receipt: {
    prepare: async () =>
      (await call('POST', '/donations', { token, body: { amount: 500, type: 'cash', eventId: event.id } }))
        .id,
    run: (id) => call('GET', `/export/receipts/${id}`, { token }),
  },
};

async function entered() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return new Set(
    result
      .filter(({ url: file }) => /\/dist\//.test(file) && !/generated|node_modules/.test(file))
      // The first function of a module is its top level, which ran when it was loaded.
      .filter(({ functions }) => functions.slice(1).some(({ ranges }) => ranges[0].count > 0))
      .map(({ url: file }) => file.replace(/.*\/dist\//, '')),
  );
}

try {
  for (const [name, { prepare, run }] of Object.entries(walks)) {
    let files = new Set();
    // The first round fills the caches, as in a running evening.
    for (let round = 0; round < 2; round++) {
      const given = await prepare?.();
      await sleep(400);
      await entered();
      await run(given);
      files = await entered();
    }
    console.log(`${name.padEnd(34)} ${files.size} files`);
    if (process.argv.includes('--files')) for (const file of [...files].sort()) console.log(`    ${file}`);
  }
} finally {
  socket.close();
  await app.close();
  await sandbox.close();
  await dropDatabases(adminUrl, PREFIX);
  await stop();
}
