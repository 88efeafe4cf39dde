import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../../sandbox/server/sandbox.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ADMIN_PASSWORD, createAdmin, sql } from '../support/fixtures.js';
import { MailServer } from '../support/mail-server.js';
import { PAYPAL, providerEnvironment, STRIPE } from '../support/payments.js';
import { someAddress } from '../support/pledges.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { until } from '../support/until.js';

const DONORS = 40;
const TWO_MINUTES_MS = 120_000;

let database: TestDatabase;
let sandbox: Sandbox;
let mail: MailServer;
let servers: ServerProcess[];
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  database = await createTestDatabase();
  sandbox = await startSandbox({ stripe: STRIPE, paypal: PAYPAL });
  mail = await MailServer.start();
  environment = { ...providerEnvironment(sandbox), ...mail.environment, DATABASE_URL: database.url };
  servers = await Promise.all([startServerProcess(environment), startServerProcess(environment)]);
}, 90_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await mail.stop();
  await sandbox.close();
  await database.drop();
});

it('two servers send the thanks for pledges and the e-mails about tributes within two minutes and never twice, although both are killed while they send', async () => {
  const [server] = servers;
  const call = async (path: string, body: object, headers: Record<string, string> = {}) =>
    (await (
      await fetch(`${server?.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    ).json()) as Record<string, string>;
  const { email } = await createAdmin({ databaseUrl: database.url });
  const login = await call('/auth/login', { email, password: ADMIN_PASSWORD });
  const signedIn = { authorization: `Bearer ${login.accessToken}` };
  const event = await call(
    '/events',
    { name: 'Gala', slug: 'gala', goalAmount: 1_000_000, status: 'active' },
    signedIn,
  );
  const donors = Array.from({ length: DONORS }, someAddress);
  for (const donorEmail of donors)
    await call(
      '/donations',
      { type: 'pledge', amount: 5_000, eventId: event.id, donorEmail },
      { ...signedIn, 'Idempotency-Key': crypto.randomUUID() },
    );
  const received = () => donors.map((to) => mail.to(to).length);
  // The persons of tributes also get one e-mail, a minute after the donation.
  const told = Array.from({ length: DONORS }, someAddress);
  for (const notifyEmail of told)
    await call(
      '/donations',
      {
        type: 'cash',
        amount: 5_000,
        eventId: event.id,
        tribute: { kind: 'memory', name: 'Anna', notifyEmail },
      },
      { ...signedIn, 'Idempotency-Key': crypto.randomUUID() },
    );
  const toldOnce = () => told.map((to) => mail.to(to).length);
  const arrived = (counts = received()) => counts.filter((count) => count > 0).length;
  await until(() => arrived(toldOnce()) >= DONORS / 4, 'the first e-mails', { timeoutMs: TWO_MINUTES_MS });
  await Promise.all(servers.map((one) => one.kill('SIGKILL')));
  servers = await Promise.all([startServerProcess(environment), startServerProcess(environment)]);
  // At most one e-mail was being sent at the kill. It is not sent again.
  await until(() => arrived() + arrived(toldOnce()) >= 2 * DONORS - 1, 'the remaining e-mails', {
    timeoutMs: TWO_MINUTES_MS,
  });
  await until(
    async () =>
      (
        await sql(
          { databaseUrl: database.url },
          "SELECT 1 FROM email WHERE state = 'queued' AND claimed_until IS NULL",
        )
      ).length === 0,
    'an empty queue',
  );
  expect(Math.max(...received())).toBe(1);
  expect(Math.max(...toldOnce())).toBe(1);
  const steps = await sql<{ count: number }>(
    { databaseUrl: database.url },
    "SELECT count(*)::int AS count FROM pledge_contact WHERE step = 'thanks'",
  );
  expect(steps).toEqual([{ count: DONORS }]);
}, 300_000);
