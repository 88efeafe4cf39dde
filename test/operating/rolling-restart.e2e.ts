import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../../sandbox/server/sandbox.js';
import { applyMigrations } from '../../src/data/schema/migrate.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { keptTotals, recount } from '../support/books.js';
import { ADMIN_PASSWORD, createAdmin, sql } from '../support/fixtures.js';
import { DonationBook } from '../support/donations.js';
import { type HttpBalancer, startHttpBalancer } from '../support/http-balancer.js';
import { PAYPAL, providerEnvironment, STRIPE } from '../support/payments.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { makeRelease, type Release } from '../support/release.js';
import { until } from '../support/until.js';

/**
 * An upgrade as in docs/operating.md: two servers of the old release run while an expand migration runs; then new servers
 * replace them one by one. The new release has the same code and one more column of `donation`, which the old release does not
 * know.
 */

const EXPAND = '99991231000000_expand_donation_campaign';
const COLUMN = `ALTER TABLE donation ADD COLUMN campaign TEXT;
ALTER TABLE event ADD COLUMN drill_note TEXT NOT NULL DEFAULT 'none';
CREATE TABLE campaign (id UUID PRIMARY KEY, name TEXT NOT NULL);
CREATE INDEX donation_campaign_idx ON donation (campaign) WHERE campaign IS NOT NULL;
`;

let database: TestDatabase;
let sandbox: Sandbox;
let balancer: HttpBalancer;
let book: DonationBook;
let oldRelease: Release;
let newRelease: Release;
const running = new Set<ServerProcess>();
/** All servers of this test, including the stopped ones. */
let started: ServerProcess[] = [];
let stopPaying = () => {};
let requests: ReturnType<typeof drill> | undefined;

// A new database for each attempt, because a migration is permanent.
beforeEach(async () => {
  database = await createTestDatabase();
  book = new DonationBook({ databaseUrl: database.url });
  sandbox = await startSandbox({ stripe: STRIPE, paypal: PAYPAL });
  balancer = await startHttpBalancer();
  sandbox.setWebhookUrls({ stripe: `${balancer.url}/donations/cardprocessor/webhook` });
  [oldRelease, newRelease] = [makeRelease(), makeRelease()];
  newRelease.addMigration(EXPAND, COLUMN);
  newRelease.patch(
    'dist/donations/store/donation-columns.js',
    "field: 'completedAt',\n        announced: false\n    }",
    `field: 'completedAt', announced: false },
    campaign: { type: 'text', nullable: true, begins: 'empty', changes: 'by name', field: null, announced: false }`,
  );
  newRelease.patch(
    'dist/donations/recording/new-donation.js',
    'paid_by: null',
    "paid_by: null, campaign: 'gala'",
  );
}, 60_000);
afterEach(async () => {
  stopPaying();
  await requests?.stop();
  for (const server of running) await server.kill('SIGKILL');
  running.clear();
  started = [];
  await sandbox.close();
  await balancer.close();
  await database.drop();
  oldRelease.remove();
  newRelease.remove();
});

async function start(release: Release): Promise<ServerProcess> {
  const server = await startServerProcess(
    { DATABASE_URL: database.url, LOG_LEVEL: 'info', ...providerEnvironment(sandbox) },
    join(release.folder, 'dist/main.js'),
  );
  running.add(server);
  started.push(server);
  await until(async () => (await fetch(`${server.url}/health/ready`)).ok, 'a server that is ready');
  return server;
}

async function stop(server: ServerProcess): Promise<void> {
  await server.stop();
  running.delete(server);
  expect(server.child.exitCode).toBe(0);
}

const errorsOf = (server: ServerProcess) =>
  server
    .output()
    .split('\n')
    .filter((line) => /"level":(50|60)/.test(line));

const direct = (servers: readonly ServerProcess[]) => {
  balancer.use(servers.map(({ url }) => url));
};

/** Runs `scripts/drills/requests.mjs` against the balancer. */
function drill(event: string, email: string) {
  const child = spawn(
    process.execPath,
    [
      ...['scripts/drills/requests.mjs', '--url', balancer.url, '--event', event],
      ...['--seconds', '300', '--per-minute', '1500', '--intents'],
    ],
    { env: { PATH: process.env.PATH, DRILL_EMAIL: email, DRILL_PASSWORD: ADMIN_PASSWORD } },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (printed += text.toString()));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  return {
    begun: () => until(() => printed.includes('begun'), 'the drill'),
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await exited;
      return { code, printed };
    },
  };
}

/** Simulates donors who pay every payment until the test stops them. */
function donors() {
  const state = { over: false };
  stopPaying = () => {
    state.over = true;
  };
  const paying = (async () => {
    while (!state.over) {
      for (const { id, status } of sandbox.stripe.payments())
        if (status === 'requires_payment_method') sandbox.stripe.pay(id);
      await sleep(50);
    }
  })();
  return async () => {
    state.over = true;
    await paying;
  };
}

const count = async (what: string) =>
  Number(
    (await sql<{ count: string }>({ databaseUrl: database.url }, `SELECT count(*) FROM ${what}`))[0]?.count,
  );

/** Waits until this number of further donations of both kinds is saved. */
async function more(donations: number): Promise<void> {
  const goal = (await count('donation')) + donations;
  await until(async () => (await count('donation')) >= goal, `${donations} more donations`);
}

it('a rolling restart with a migration fails no request and loses no donation', async () => {
  const event = await book.event();
  const { email } = await createAdmin({ databaseUrl: database.url });
  const [first, second] = [await start(oldRelease), await start(oldRelease)];
  direct([first, second]);
  requests = drill(event.slug, email);
  const stopDonors = donors();
  await requests.begun();
  await more(20);

  // The migration runs from the folder of the new release while the old servers work.
  expect(await applyMigrations(database.url, join(newRelease.folder, 'prisma/migrations'))).toEqual([EXPAND]);
  await more(20);
  for (const { url } of [first, second]) expect((await fetch(`${url}/health/ready`)).status).toBe(200);

  // Each server in turn is removed from the balancer, stops, starts with the new release and returns. Meanwhile old and new
  // servers work together.
  direct([second]);
  await stop(first);
  const third = await start(newRelease);
  direct([second, third]);
  await more(20);
  direct([third]);
  await stop(second);
  const fourth = await start(newRelease);
  direct([third, fourth]);
  await more(20);

  // A rollback is possible only if the old release starts on the new schema.
  direct([fourth]);
  await stop(third);
  direct([fourth, await start(oldRelease)]);
  await more(20);

  const { code, printed } = await requests.stop();
  for (const server of started) expect(errorsOf(server)).toEqual([]);
  expect(printed).toMatch(
    /^Requests: \d+, failed: 0\. Donations: \d+ recorded, \d+ started online, 0 lost\. Missing .*: 0\.$/m,
  );
  expect(code).toBe(0);
  await stopDonors();
  for (const { id, status } of sandbox.stripe.payments())
    if (status === 'requires_payment_method') sandbox.stripe.pay(id);
  await sandbox.settled();
  expect(sandbox.stripe.payments().length).toBeGreaterThan(10);
  expect(await count("donation WHERE status <> 'COMPLETED'")).toBe(0);
  const tries = sandbox.stripe.deliveries
    .list()
    .flatMap(({ attempts }) => attempts.map(({ status }) => status));
  for (const server of started) expect(errorsOf(server)).toEqual([]);
  expect([...new Set(tries)]).toEqual([200]);
  // Both releases recorded donations, but only the new release fills the new column.
  for (const filled of ["= 'gala'", 'IS NULL'])
    expect(await count(`donation WHERE type = 'cash' AND campaign ${filled}`)).toBeGreaterThan(10);
  const app = { databaseUrl: database.url };
  expect(await keptTotals(app)).toEqual(await recount(app));
}, 240_000);
