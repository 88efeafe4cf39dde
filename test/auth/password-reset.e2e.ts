import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import supertest from 'supertest';
import { comparableEmail } from '../../src/common/text/email-address.js';
import { startApp, type TestApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { ADMIN_PASSWORD, createAdmin, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { login, tokenOf, withSecondFactor } from '../support/second-factor.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { until } from '../support/until.js';

const password = ADMIN_PASSWORD;
const NEXT = 'violet harbour teaspoon';
const UNKNOWN = 'nobody@example.org';
const mail = withOpened(() => MailServer.start());
const app = withService(() =>
  startApp({ ...mail.environment, TRUST_PROXY: 'loopback' }, { mailTimes: FAST_MAIL }),
);
const admin = withAdmin(app);

let requests = 0;
/** Requests a link; each request comes from another address unless one is given. */
const request = (email: string, address = `198.51.100.${++requests}`, at: TestApp = app) =>
  supertest(at.url).post('/auth/password-reset').set('X-Forwarded-For', address).send({ email });
const linksTo = (email: string) =>
  mail.to(email).flatMap(({ text }) => /\/admin#reset=([\w-]+)/.exec(text ?? '')?.[1] ?? []);
async function linkTo(email: string, count = 1): Promise<string> {
  await until(() => linksTo(email).length === count, `link ${count}`);
  return linksTo(email)[count - 1] ?? '';
}
const accept = (token: string, next = NEXT) =>
  supertest(app.url).post('/auth/invitations/accept').send({ token, password: next });
const entries = (action: string) =>
  sql<{ subject_id: string | null }>(
    app,
    `SELECT subject_id FROM audit_entry WHERE action = '${action}' ORDER BY id`,
  );

beforeAll(async () => {
  await admin.patch('/settings/global', { organization: 'Haus am See' }).expect(200);
});

describe('a password reset by e-mail', () => {
  it('sets a new password once, ends all sessions, sends a notice to the owner, and is in the audit', async () => {
    const { id, email } = await createAdmin(app);
    const token = tokenOf(await login(app, { email, password }).expect(200));
    await request(email).expect(202);
    const link = await linkTo(email);
    await login(app, { email, password }).expect(200);
    const [first, second] = await Promise.all([accept(link), accept(link, `${NEXT} too`)]);
    expect([first.status, second.status].sort()).toEqual([200, 404]);
    await as(app, token).get('/auth/me').expect(401);
    await login(app, { email, password }).expect(401);
    await login(app, { email, password: first.status === 200 ? NEXT : `${NEXT} too` }).expect(200);
    await until(
      () => mail.to(email).some(({ text }) => text?.includes('password of your account was changed')),
      'the notice',
    );
    for (const action of ['admin.request_reset', 'admin.reset_password'])
      expect(await entries(action)).toContainEqual({ subject_id: id });
  });

  it('keeps the second factor', async () => {
    const { email } = await withSecondFactor(app);
    await request(email).expect(202);
    await accept(await linkTo(email)).expect(200);
    expect((await login(app, { email, password: NEXT }).expect(401)).body).toMatchObject({
      code: 'SECOND_FACTOR_REQUIRED',
    });
  });

  it('answers before it searches for the account, with the same text for known and unknown addresses', async () => {
    const { email } = await createAdmin(app);
    const blocker = new pg.Client({ connectionString: app.databaseUrl });
    await blocker.connect();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE admin IN ACCESS EXCLUSIVE MODE');
    const [known, unknown] = await Promise.all([request(email), request(UNKNOWN)]);
    await blocker.query('ROLLBACK');
    await blocker.end();
    expect([known.status, known.text]).toEqual([202, unknown.text]);
    await linkTo(email);
    expect(mail.to(UNKNOWN)).toEqual([]);
    await until(
      async () => (await entries('admin.request_reset')).some(({ subject_id: id }) => id === null),
      'the entry',
    );
  });

  it('sends at most three links to an account in an hour, and the last one stays valid', async () => {
    const { email } = await createAdmin(app);
    for (let count = 1; count <= 3; count++) {
      await request(email).expect(202);
      await linkTo(email, count);
    }
    await request(email).expect(202);
    await request(comparableEmail(email).toUpperCase()).expect(202);
    await accept(await linkTo(email, 3)).expect(200);
    expect(linksTo(email)).toHaveLength(3);
  });

  it('refuses the eleventh request of an address in an hour, for known and unknown accounts', async () => {
    const answers = [];
    for (let count = 0; count < 11; count++) answers.push((await request(UNKNOWN, '192.0.2.7')).status);
    expect(answers.slice(0, 10)).toEqual(Array(10).fill(202));
    const refused = await request(UNKNOWN, '192.0.2.7').expect(429);
    expect(refused.body).toMatchObject({ code: 'RESET_LIMIT' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('sends nothing to a disabled account and to an account without a password', async () => {
    const disabled = await createAdmin(app);
    await sql(app, 'UPDATE admin SET disabled_at = now() WHERE id = $1', [disabled.id]);
    const idp = await createAdmin(app);
    await sql(app, 'UPDATE admin SET password_hash = NULL WHERE id = $1', [idp.id]);
    const before = (await entries('admin.request_reset')).length;
    for (const { email } of [disabled, idp]) await request(email).expect(202);
    await until(async () => (await entries('admin.request_reset')).length === before + 2, 'both requests');
    for (const { email } of [disabled, idp]) expect(linksTo(email)).toEqual([]);
  });

  it('the link of a password reset is valid for half an hour', async () => {
    const { id, email } = await createAdmin(app);
    await request(email).expect(202);
    const link = await linkTo(email);
    const [row] = await sql<{ minutes: number }>(
      app,
      'SELECT extract(epoch FROM expires_at - created_at)::int / 60 AS minutes FROM admin_invitation WHERE admin_id = $1',
      [id],
    );
    expect(row?.minutes).toBeCloseTo(30, -0.5);
    await sql(
      app,
      "UPDATE admin_invitation SET expires_at = now() - interval '1 second' WHERE admin_id = $1",
      [id],
    );
    await accept(link).expect(404);
  });
});

describe('without SMTP', () => {
  const silent = withService();

  it('the sign-in methods offer no reset link, and a request for a link is refused', async () => {
    const { body } = await supertest(silent.url).get('/auth/methods').expect(200);
    expect(body).toMatchObject({ password: true, passwordReset: false });
    const refused = await request(UNKNOWN, '192.0.2.9', silent).expect(503);
    expect(refused.body).toMatchObject({ code: 'MAIL_OFF' });
  });
});
