import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import supertest from 'supertest';
import { readReceiptNumber } from '../../src/operator/receipts-resume.js';
import { runScript } from '../crash/crashing-service.js';
import { startApp, type TestApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import {
  ADMIN_PASSWORD,
  cookiesOf,
  createAdmin,
  createEvent,
  createStaff,
  sql,
} from '../support/fixtures.js';
import { login, tokenOf } from '../support/second-factor.js';
import { withService } from '../support/setup.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

const run = (script: string, databaseUrl: string, ...given: string[]) =>
  runScript(
    `scripts/${script}.mjs`,
    { PATH: process.env.PATH, NODE_ENV: 'test', DATABASE_URL: databaseUrl },
    given,
  );

describe('sessions after a restored backup', () => {
  let live: TestDatabase;
  let backup: string;
  let app: TestApp | undefined;

  beforeAll(async () => {
    live = await createTestDatabase();
  });
  afterAll(async () => {
    await app?.close();
    await asServer(`DROP DATABASE IF EXISTS ${backup} WITH (FORCE)`);
    await live.drop();
  });

  it('sessions ended after the backup are open again until sessions:end ends all sessions', async () => {
    let original = await startApp({}, {}, live.url);
    const { email } = await createAdmin(original);
    const ended = await login(original, { email, password: ADMIN_PASSWORD }).expect(200);
    const admin = tokenOf(ended);
    const event = await createEvent(original, admin);
    const staff = await createStaff(original, admin, event.id);
    const signedOut = tokenOf(await login(original, { email, password: ADMIN_PASSWORD }).expect(200));
    await original.close();

    backup = `${new URL(live.url).pathname.slice(1)}_backup_${randomBytes(3).toString('hex')}`;
    await asServer(`CREATE DATABASE ${backup} TEMPLATE ${new URL(live.url).pathname.slice(1)}`);
    const backupUrl = new URL(live.url);
    backupUrl.pathname = `/${backup}`;

    // These happen after the backup: a sign-out, a new password, which increases the session version, and new
    // sign-ins.
    original = await startApp({}, {}, live.url);
    await as(original, signedOut).post('/auth/logout').expect(200);
    const next = 'violet harbour teaspoon';
    await as(original, admin).post('/auth/password', { current: ADMIN_PASSWORD, next }).expect(200);
    const since = await login(original, { email, password: next }).expect(200);
    await as(original, admin).get('/auth/me').expect(401);
    await as(original, signedOut).get('/auth/me').expect(401);
    await original.close();

    app = await startApp({}, {}, backupUrl.href);
    const restored = app;
    const me = (token: string) => as(restored, token).get('/auth/me');
    await me(signedOut).expect(200);
    await me(admin).expect(200);
    await me(staff.token).expect(200);
    const wall = await WallClient.connect(restored.url, { auth: { token: admin } });
    const cut = new Promise((resolve) => wall.socket.once('disconnect', resolve));

    const { code, output } = await run('sessions-end', backupUrl.href);
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(
        /^All sessions from before \d{4}-.*Z have ended\. Of these, 2 were renewable until now\./,
      ),
    });
    for (const token of [signedOut, admin, staff.token])
      await until(async () => (await me(token)).status === 401, 'the end of a session', { everyMs: 100 });
    const refresh = (cookie: string) =>
      supertest(restored.url).post('/auth/refresh').set('Cookie', cookie).expect(401);
    await refresh(cookiesOf(ended));
    await refresh(cookiesOf(since));
    expect(await cut).toBe('io server disconnect');

    // After the restore, the session version counts up again to the version in an earlier token. Only the issue time
    // distinguishes the two.
    await sql(restored, 'UPDATE admin SET session_version = session_version + 1');
    await me(tokenOf(since)).expect(401);

    const again = await login(restored, { email, password: ADMIN_PASSWORD }).expect(200);
    await until(
      async () => {
        const renewed = await supertest(restored.url).post('/auth/refresh').set('Cookie', cookiesOf(again));
        return renewed.status === 200 && (await me(tokenOf(renewed))).status === 200;
      },
      'a sign-in after the end of all',
      { everyMs: 400 },
    );
    const [audit] = await sql<{ actor_kind: string; detail: unknown }>(
      restored,
      "SELECT actor_kind, detail FROM audit_entry WHERE action = 'session.end_all'",
    );
    expect(audit).toEqual({ actor_kind: 'system', detail: { renewable: 2 } });
  }, 90_000);

  it('sessions:end rejects arguments', async () => {
    const { code, output } = await run('sessions-end', live.url, '--all');
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('takes no arguments') });
  });
});

describe('receipt numbers after a restored backup', () => {
  const app = withService();
  let token: string;
  const year = new Date().getUTCFullYear();
  const resume = (...given: string[]) => run('receipts-resume', app.databaseUrl, ...given);

  beforeAll(async () => {
    const { email } = await createAdmin(app);
    token = tokenOf(await login(app, { email, password: ADMIN_PASSWORD }).expect(200));
  });

  async function nextReceipt(): Promise<string> {
    const event = await createEvent(app, token);
    const { body } = await as(app, token)
      .post('/donations', { amount: 500, type: 'cash', eventId: event.id })
      .expect(201);
    const { id } = body as { id: string };
    await as(app, token).get(`/export/receipts/${id}`).expect(200);
    const [row] = await sql<{ receipt_number: string }>(
      app,
      'SELECT receipt_number FROM donation WHERE id = $1',
      [id],
    );
    return row?.receipt_number ?? '';
  }

  it('receipts:resume continues after the highest number of a donor, once for each year', async () => {
    expect(await nextReceipt()).toBe(`${year}-000001`);
    const { code, output } = await resume('--after', `${year}-001234`, '--after', `${year - 1}-77`);
    expect({ code, output: output.trim().split('\n') }).toEqual({
      code: 0,
      output: [
        `${year - 1}: the last receipt number in the database was 0; the next is ${year - 1}-000078.`,
        `${year}: the last receipt number in the database was 1; the next is ${year}-001235.`,
      ],
    });
    expect(await nextReceipt()).toBe(`${year}-001235`);
    const audit = await sql<{ subject_id: string; detail: unknown }>(
      app,
      "SELECT subject_id, detail FROM audit_entry WHERE action = 'receipts.resume' ORDER BY id",
    );
    expect(audit).toEqual([
      { subject_id: String(year - 1), detail: { before: 0, after: 77 } },
      { subject_id: String(year), detail: { before: 1, after: 1234 } },
    ]);
  });

  it('receipts:resume never lowers the next number', async () => {
    const { code, output } = await resume(`--after=${year}-000003`);
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringContaining('nothing changed, the last receipt number in the database is 1235'),
    });
    expect(await nextReceipt()).toBe(`${year}-001236`);
  });

  it('receipts:resume refuses a large gap unless the operator confirms it', async () => {
    const refused = await resume('--after', `${year}-012360`);
    expect({ code: refused.code, output: refused.output }).toEqual({
      code: 1,
      output: expect.stringContaining(`${year}-012360 is 11124 numbers ahead of the books`),
    });
    expect(await nextReceipt()).toBe(`${year}-001237`);
    // If one number is invalid, the command changes no year.
    const both = await resume('--after', `${year - 1}-90`, '--after', `${year}-999999`);
    expect(both.code).toBe(1);
    const [last] = await sql<{ last_number: number }>(
      app,
      'SELECT last_number FROM receipt_counter WHERE year = $1',
      [year - 1],
    );
    expect(last?.last_number).toBe(77);
    expect((await resume('--after', `${year}-020000`, '--far')).code).toBe(0);
    expect(await nextReceipt()).toBe(`${year}-020001`);
  });

  it.each([
    [],
    ['--after'],
    ['--after', '1234'],
    ['--after', '26-1'],
    ['--after', `${year}-0`],
    ['--before', 'x'],
  ])('receipts:resume rejects the arguments %j', async (...given) => {
    const { code } = await resume(...given.flat());
    expect(code).toBe(1);
  });

  it('receipts:resume accepts numbers of this year, or of a next year that began in another time zone', () => {
    expect(readReceiptNumber(` ${year + 1}-000001 `)).toEqual({ year: year + 1, number: 1 });
    for (const text of [`${year + 2}-1`, '1999-1', `${year}-99999999999`, `${year}-1x`, '2147483648-1'])
      expect(() => readReceiptNumber(text)).toThrow('is not a receipt number such as');
  });
});

/** Runs a statement outside all databases of the test server. */
async function asServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.TEST_ADMIN_DATABASE_URL });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
