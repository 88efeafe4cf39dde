import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../../sandbox/server/sandbox.js';
import { applyMigrations } from '../../src/data/schema/migrate.js';
import { expectSettledBooks } from '../money/invariants.js';
import { UNPUBLISHED } from '../../src/outbox/outbox.sql.js';
import { TEST_SECRETS } from '../support/app.js';
import { documentedCommands, shell } from '../support/documented.js';
import { ADMIN_PASSWORD, createAdmin, type EventFixture, sql } from '../support/fixtures.js';
import { PAYPAL, providerEnvironment, STRIPE } from '../support/payments.js';
import {
  describeWithPostgresPrograms,
  type PostgresServer,
  startPostgresServer,
} from '../support/postgres-server.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { freePort } from '../support/redis.js';
import { until } from '../support/until.js';

/** Runs "Backups" and "Restoring" of docs/operating.md literally: the test reads the commands from the page. */

const PAGE = 'docs/operating.md';

describeWithPostgresPrograms('an evening with a restored backup', () => {
  let postgres: PostgresServer;
  let sandbox: Sandbox;
  let server: ServerProcess | undefined;
  let port: string;
  let folder: string;
  let admin: string;
  let token: string;
  let event: EventFixture;
  /** Name of the current production database. */
  let database = 'donations';
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    [postgres, sandbox] = [
      await startPostgresServer(),
      await startSandbox({ stripe: STRIPE, paypal: PAYPAL }),
    ];
    folder = mkdtempSync(join(tmpdir(), 'donations-restore-'));
    port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    sandbox.setWebhookUrls({
      stripe: `${url}/donations/cardprocessor/webhook`,
      paypal: `${url}/donations/wallet/webhook`,
    });
    symlinkSync(resolve('scripts'), join(folder, 'scripts'));
    expect(await documented('First start in production', /create\.sh/)).toEqual({ code: 0, output: '' });
    await applyMigrations(url_());
    environment = { ...providerEnvironment(sandbox), DATA_DIR: join(folder, 'data') };
    await start();
    admin = (await createAdmin({ databaseUrl: url_() })).email;
    token = await signIn();
    const slug = 'winter-gala';
    event = (await call('POST', '/events', { name: 'Winter Gala', slug, goalAmount: 1 })) as never;
  }, 120_000);
  afterAll(async () => {
    await server?.kill('SIGKILL');
    await sandbox.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const url_ = () => postgres.url(database, 'donations');
  const books = () => ({ databaseUrl: url_(), sandbox });

  async function start(more: NodeJS.ProcessEnv = {}): Promise<void> {
    server = await startServerProcess({ ...environment, PORT: port, DATABASE_URL: url_(), ...more });
  }
  const stop = () => server?.stop();

  /** Runs commands of the page in the operator's folder, with the environment of the server. */
  const documented = async (heading: string, which: RegExp) => {
    const commands = documentedCommands(PAGE, heading).filter((command) => which.test(command));
    expect(commands).toHaveLength(1);
    const given = { ...postgres.environment, ...environment, DATABASE_URL: url_() };
    return await shell(commands.join('\n'), given, { cwd: folder });
  };

  async function call(method: string, path: string, body?: object, headers: object = {}): Promise<unknown> {
    const response = await request(method, path, body, headers);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : await response.json();
  }
  const request = (method: string, path: string, body?: object, headers: object = {}) =>
    fetch(`${server?.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  const signIn = async () =>
    (
      (await call('POST', '/auth/login', { email: admin, password: ADMIN_PASSWORD })) as {
        accessToken: string;
      }
    ).accessToken;

  interface Donation {
    readonly id: string;
    readonly status: string;
    readonly amount: number;
    readonly type: string;
    readonly refundedAmount: number;
    readonly receiptNumber: string | null;
  }
  const donations = async () =>
    ((await call('GET', `/donations?eventId=${event.id}&limit=200`)) as { data: Donation[] }).data;

  /** Creates a paid donation. Returns its id and its payment. */
  async function pay(method: 'card' | 'wallet', amount: number): Promise<{ id: string; paymentId: string }> {
    const intent = (await call('POST', '/donations/intent', {
      ...{ amount, method, currency: 'eur' },
      metadata: { eventId: event.id },
    })) as { donationId: string; clientSecret?: string; orderId?: string };
    const paymentId = intent.orderId ?? String(intent.clientSecret).replace(/_secret_.*$/, '');
    if (method === 'card') sandbox.stripe.pay(paymentId);
    else {
      sandbox.paypal.approve(paymentId);
      await call('POST', `/donations/wallet/${paymentId}/capture`);
    }
    const isPaid = async () =>
      (await donations()).some(({ id, status }) => id === intent.donationId && status === 'COMPLETED');
    await until(isPaid, `a paid donation by ${method}`);
    return { id: intent.donationId, paymentId };
  }
  const giveBack = (id: string, amount: number) =>
    call(
      'POST',
      `/donations/${id}/cancel`,
      { shouldRefund: true, amount },
      { 'idempotency-key': `${id} ${amount}` },
    );
  const operator = (command: string) => {
    const given = { ...environment, PATH: process.env.PATH, NODE_ENV: 'test', DATABASE_URL: url_() };
    return shell(`npm run --silent ${command}`, { ...given, ...TEST_SECRETS });
  };
  const reconcile = (since: Date) => operator(`reconcile -- --since ${since.toISOString()}`);
  /** Issues a receipt. Returns its number. */
  const receipt = async (id: string) => {
    expect((await request('GET', `/export/receipts/${id}`)).status).toBe(200);
    return (await donations()).find((one) => one.id === id)?.receiptNumber ?? '';
  };
  const isSignedIn = async (access: string) => {
    const authorization = `Bearer ${access}`;
    return (await request('GET', '/audit', undefined, { authorization })).status === 200;
  };
  const raised = async () =>
    ((await call('GET', `/events/${event.slug}`)) as { totalRaised: number }).totalRaised;

  it('donations, refunds and disputes of the restored server equal the records of the providers, and the pages show the same logos', async () => {
    mkdirSync(join(folder, 'data/assets'), { recursive: true });
    const logo = readFileSync('docs/pictures/wall-light.png');
    writeFileSync(join(folder, 'data/assets/logo.png'), logo);

    // The evening begins, and its backup is made.
    const [card, wallet] = [await pay('card', 5000), await pay('wallet', 4000)];
    await call('POST', '/donations', { amount: 800, type: 'cash', eventId: event.id });
    const [earlier, leaver] = [await receipt(card.id), await signIn()];
    expect(await isSignedIn(leaver)).toBe(true);
    const backupAt = new Date(Date.now() - 1_000);
    expect(await documented('Backups', /backup\.sh/)).toMatchObject({ code: 0 });

    // These happen after the backup: donations of both kinds, refunds, a dispute, and cash that also waits on
    // a terminal.
    const [lateCard, lateWallet] = [await pay('card', 3000), await pay('wallet', 2000)];
    const issued = await receipt(lateCard.id);
    expect(issued > earlier).toBe(true);
    await call('POST', '/auth/logout', undefined, { authorization: `Bearer ${leaver}` });
    expect(await isSignedIn(leaver)).toBe(false);
    await giveBack(card.id, 1000);
    await giveBack(lateCard.id, 500);
    sandbox.paypal.refund(wallet.paymentId, { amount: 700 });
    const disputed = await pay('card', 900);
    sandbox.stripe.loseDispute(sandbox.stripe.openDispute(disputed.paymentId).id);
    const queued = { amount: 600, type: 'cash', eventId: event.id };
    const key = { 'idempotency-key': '7d3e1a52-6f0b-4c1d-9b7e-0a1b2c3d4e5f' };
    await call('POST', '/donations', queued, key);
    await sandbox.settled();
    const payments = [card, wallet, lateCard, lateWallet, disputed].map(({ paymentId }) => paymentId);
    await until(
      async () => (await raised()) === 5000 + 4000 + 800 + 3000 + 2000 + 600 - 1000 - 500 - 700,
      'the total',
    );
    const before = await raised();
    await expectSettledBooks(books(), event.id, payments);

    // The disk fails. While the server is stopped, donors pay and providers send webhooks.
    await stop();
    rmSync(join(folder, 'data'), { recursive: true });
    mkdirSync(join(folder, 'data'));
    sandbox.stripe.refund(lateCard.paymentId, { amount: 100 });

    expect(await documented('Restoring', /restore\.sh/)).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'data/assets/logo.png'))).toEqual(logo);
    database = 'donations_restored';

    // The operator first starts a test copy, which does not contact the providers.
    await start({ RESTORED_COPY: 'true' });
    expect(await raised()).toBe(5000 + 4000 + 800);
    const intent = { amount: 100, currency: 'eur', metadata: { eventId: event.id } };
    expect((await request('POST', '/donations/intent', intent)).status).toBe(503);
    expect(sandbox.stripe.payments()).toHaveLength(3);
    // The backup does not contain the later sign-out and the later receipt.
    expect(await isSignedIn(leaver)).toBe(true);
    await stop();
    expect(await operator(`receipts:resume -- --after ${issued}`)).toMatchObject({ code: 0 });
    expect(await operator('sessions:end')).toMatchObject({ code: 0 });

    // Then the operator starts the new production database.
    await start();
    for (const ended of [leaver, token]) expect(await isSignedIn(ended)).toBe(false);
    // The end of the sessions also ends sign-ins of the same second. So the next sign-in waits.
    await sleep(1_100);
    token = await signIn();
    const first = await reconcile(backupAt);
    expect(first.output).toMatch(/ [1-9]\d* healed/);
    expect(first.code).toBe(1);
    const again = await reconcile(backupAt);
    expect(again.output).toMatch(/ 0 healed/);

    // The metadata of a payment contain its event, so no admin has to assign the payment.
    const items = (await call('GET', '/review-items')) as { kind: string }[];
    expect(items.filter(({ kind }) => kind === 'unmatched_payment')).toEqual([]);
    // The terminal sends its waiting records.
    await call('POST', '/donations', queued, key);
    await call('POST', '/donations', queued, key);

    await expectSettledBooks(books(), event.id, payments);
    expect(await raised()).toBe(before - 100);
    const kept = await donations();
    expect(
      kept.map(({ amount, refundedAmount, status }) => `${amount} ${refundedAmount} ${status}`).sort(),
    ).toEqual([
      '2000 0 COMPLETED',
      '3000 600 COMPLETED',
      '4000 700 COMPLETED',
      '5000 1000 COMPLETED',
      '600 0 COMPLETED',
      '800 0 COMPLETED',
      '900 900 REFUNDED',
    ]);
    expect(items.filter(({ kind }) => kind === 'dispute')).toHaveLength(1);
    // The next donation works as before, and its receipt gets an unused number.
    const next = await pay('card', 1500);
    expect((await receipt(next.id)) > issued).toBe(true);
    expect(await raised()).toBe(before - 100 + 1500);
    expect(await sql(books(), UNPUBLISHED)).toEqual([]);
  }, 240_000);
});
