import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { fillBooks } from '../../bench/growth/fill.mjs';
import { type Sandbox, startSandbox } from '../../sandbox/server/sandbox.js';
import { newId } from '../../src/common/crypto/ids.js';
import {
  ON_SCHEDULE,
  ReconciliationService,
} from '../../src/payments/reconciliation/reconciliation.service.js';
import { UNPUBLISHED } from '../../src/outbox/outbox.sql.js';
import { startApp, type TestApp } from '../support/app.js';
import { as, type Caller } from '../support/bearer.js';
import { createTestDatabase } from '../support/database.js';
import { adminToken, createStaff, sql } from '../support/fixtures.js';
import { PAYPAL, providerEnvironment, STRIPE } from '../support/payments.js';
import { captureStatements, isAboutBooks, pretendToBe, type Sent, wholeReads } from '../support/plans.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

/**
 * In an evening, no statement may read a whole table of ten million donations. The planner gets the statistics of such a
 * database (test/support/plans.ts). `GROWTH_DATABASE_URL` selects a database that bench/growth/fill.mjs has really filled.
 */

const DONATIONS = 20_000;
const TEN_MILLION = 10_000_000;
const GIVEN = process.env.GROWTH_DATABASE_URL;

let app: TestApp;
let sandbox: Sandbox;
let client: pg.Client;
let drop: () => Promise<void> = () => Promise.resolve();
let sent: Map<string, Sent>;

beforeAll(async () => {
  const database = GIVEN === undefined ? await createTestDatabase() : undefined;
  if (database) drop = () => database.drop();
  const url = GIVEN ?? database?.url ?? '';
  client = new pg.Client({ connectionString: url });
  await client.connect();
  if (database) {
    await fillBooks(client, DONATIONS);
    await pretendToBe(client, TEN_MILLION / DONATIONS);
  }
  sandbox = await startSandbox({ stripe: STRIPE, paypal: PAYPAL });
  app = await startApp(providerEnvironment(sandbox), {}, url);
  sandbox.setWebhookUrls({
    stripe: `${app.url}/donations/cardprocessor/webhook`,
    paypal: `${app.url}/donations/wallet/webhook`,
  });
  const capture = captureStatements();
  try {
    await evening();
  } finally {
    capture.stop();
  }
  ({ sent } = capture);
}, 300_000);
afterAll(async () => {
  await sandbox.close();
  await app.close();
  await client.end();
  await drop();
});

/** Statements that must read every donation. An admin starts them, one at a time, with a time limit. */
const ABOUT_ALL = new Set(['explain_all']);

/** Sends all requests that donors, staff, admins, walls, providers and the service itself send in an evening. */
async function evening(): Promise<void> {
  const access = await adminToken(app);
  const admin = as(app, access);
  const [event] = await sql<{ id: string; slug: string }>(
    app,
    "SELECT id, slug FROM event WHERE slug = 'gala-0'",
  );
  if (!event) throw new Error('the test donations were not created');
  const staff = await createStaff(app, access, event.id);
  const wall = await WallClient.connect(app.url);
  await wall.join({ eventId: event.id, since: 0 });

  await lists(admin, event.id, staff.id);
  await lists(as(app, staff.token), event.id);
  await admin.get(`/pledge-rounds/conversion?eventId=${event.id}`).expect(200);
  const fields = { amount: 500, type: 'cash', eventId: event.id, donorEmail: 'ada@example.org' };
  const { body: cash } = await admin.post('/donations', fields).set('idempotency-key', 'k-1').expect(201);
  await admin.post('/donations', fields).set('idempotency-key', 'k-1').expect(201);
  const { body: pledge } = await admin.post('/donations', { ...fields, type: 'pledge' }).expect(201);
  await admin.post(`/donations/${idOf(pledge)}/fulfil`, { type: 'cash' });
  await admin.patch(`/donations/${idOf(cash)}`, { donorName: 'Grace Hopper' }).expect(200);

  for (const method of ['card', 'wallet']) {
    const { body } = await app.http
      .post('/donations/intent')
      .send({
        amount: 700,
        currency: 'eur',
        method,
        metadata: { eventId: event.id, donorEmail: 'a@example.org' },
      })
      .expect(201);
    const { clientSecret, orderId, donationId } = body as Record<string, string>;
    if (orderId === undefined) sandbox.stripe.pay(String(clientSecret).replace(/_secret_.*$/, ''));
    else {
      sandbox.paypal.approve(orderId);
      await app.http.post(`/donations/wallet/${orderId}/capture`);
    }
    await sandbox.settled();
    await admin
      .post(`/donations/${donationId}/cancel`, { shouldRefund: true, amount: 100 })
      .set('idempotency-key', `back-${method}`);
    await admin.get(`/donations/${donationId}/history`).expect(200);
    await admin.get(`/export/receipts/${donationId}`).expect(200);
    await sandbox.settled();
  }
  await admin.get('/audit').expect(200);
  await admin.get('/review-items').expect(200);
  for (const path of ['/events', '/events/public', `/events/${event.slug}`])
    await admin.get(path).expect(200);
  const soon = new Date(Date.now() - 60_000).toISOString();
  await admin.get(`/donations/export?eventId=${event.id}&from=${soon}`);
  await wall.until(() => wall.donations.length > 0, 'the wall');
  wall.close();
  await until(async () => {
    return (await sql(app, UNPUBLISHED)).length === 0;
  }, 'the relay');
  await app.app.get(ReconciliationService).run({ ...ON_SCHEDULE, settleAfterMs: 0 });
}

/** Reads the lists with every filter and every sort order, on the first and later pages. */
async function lists(caller: Caller, eventId: string, staffId?: string): Promise<void> {
  const from = new Date(Date.now() - 30 * 24 * 3_600_000).toISOString();
  const filters: Record<string, string>[] = [
    {},
    { eventId },
    { status: 'PENDING' },
    { type: 'wallet' },
    { eventId, status: 'COMPLETED' },
    { eventId, type: 'card' },
    { search: 'ada.ba' },
    { eventId, search: 'grace.do' },
    { from },
    { roundId: newId() },
    { eventId, roundId: newId(), pledge: 'open' },
    { eventId, pledge: 'kept_at_till,kept_online' },
    { eventId, paddle: '117' },
    { paddle: '117' },
    ...(staffId === undefined ? [] : [{ staffId }]),
  ];
  for (const filter of filters)
    for (const sort of ['-createdAt', 'createdAt', '-amount', 'amount']) {
      const query = new URLSearchParams({ limit: '50', sort, ...filter }).toString();
      const { body } = await caller.get(`/donations?${query}`).expect(200);
      const { nextCursor } = body as { nextCursor: string | null };
      if (nextCursor !== null)
        await caller.get(`/donations?${query}&cursor=${encodeURIComponent(nextCursor)}`).expect(200);
    }
}

const idOf = (body: unknown) => (body as { id: string }).id;

/** Returns the named statements of all modules. */
async function writtenStatements(): Promise<(Sent & { readonly name: string })[]> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.sql.ts'),
  );
  const found = await Promise.all(
    files.map(async (file) => {
      const exported = (await import(resolve(join('src', file)))) as Record<string, unknown>;
      return Object.values(exported).flat();
    }),
  );
  return found
    .flat()
    .filter(
      (one): one is { name: string; text: string } =>
        typeof one === 'object' && one !== null && 'text' in one && 'name' in one,
    )
    .map(({ name, text }) => ({ name, text }));
}

describe('ten million donations', () => {
  it('no statement sent in an evening reads a whole table', async () => {
    const asked = [...sent.values()].filter(isAboutBooks);
    expect(asked.length).toBeGreaterThan(60);
    const found: string[] = [];
    for (const statement of asked) {
      const reads = await wholeReads(client, { ...statement, values: statement.values ?? [] });
      if (reads.length > 0) found.push(`${statement.text}\n  ${reads.join('\n  ')}`);
    }
    expect(found).toEqual([]);
  });

  it('the generic plan of no named statement reads a whole table', async () => {
    const named = (await writtenStatements()).filter((one) => isAboutBooks(one) && !ABOUT_ALL.has(one.name));
    expect(named.length).toBeGreaterThan(60);
    const found: string[] = [];
    for (const statement of named) {
      const reads = await wholeReads(client, { text: statement.text });
      if (reads.length > 0) found.push(`${statement.name}: ${reads.join('; ')}`);
    }
    expect(found).toEqual([]);
  });

  it('the check finds a statement that reads a whole table', async () => {
    for (const text of [
      "SELECT id FROM donation WHERE donor_email = 'ada@example.org'",
      'SELECT donation_id FROM donation_history ORDER BY reason LIMIT 1',
      'SELECT count(*) FROM donation',
    ])
      expect(await wholeReads(client, { text, values: [] })).toHaveLength(1);
    expect(await wholeReads(client, { text: 'SELECT id FROM donation LIMIT 5', values: [] })).toEqual([]);
  });
});
