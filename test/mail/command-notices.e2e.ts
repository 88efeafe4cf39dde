import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { removeAdmin } from '../../src/operator/admin-remove.js';
import { commandMail } from '../../src/operator/account-notices.js';
import { endSessions } from '../../src/operator/sessions-end.js';
import { startApp, TEST_SECRETS, type TestApp } from '../support/app.js';
import { ADMIN_PASSWORD, createAdmin, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { login } from '../support/second-factor.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

const mail = withOpened(() => MailServer.start());
const FROM_COMMAND = /From: the command line of the server$/m;
let app: TestApp;

beforeEach(async () => {
  app = await startApp(mail.environment, { mailTimes: FAST_MAIL });
});

afterEach(async () => {
  mail.mode = 'accept';
  await app.close();
});

async function textTo(email: string): Promise<string> {
  await until(() => mail.to(email).length > 0, `an e-mail to ${email}`);
  expect(mail.to(email)).toHaveLength(1);
  return mail.to(email)[0]?.text ?? '';
}

describe('npm run admin:remove', () => {
  it('sends the owner of the removed account one e-mail', async () => {
    const { id, email } = await createAdmin(app);
    const { keys, problem } = commandMail({ ...mail.environment, PIN_SECRET: TEST_SECRETS.PIN_SECRET });
    expect(problem).toBeUndefined();
    mail.mode = 451;
    expect(await removeAdmin(app.databaseUrl, email, keys)).toBe(true);
    const [row] = await sql<{ row: string; together: boolean }>(
      app,
      `SELECT e::text AS row, e.created_at = a.created_at AS together FROM email e, audit_entry a
       WHERE a.action = 'admin.remove' AND a.subject_id = $1`,
      [id],
    );
    expect(row).toEqual({ row: expect.not.stringContaining(email), together: true });
    mail.mode = 'accept';
    const text = await textTo(email);
    expect(text).toContain('Your account was removed.');
    expect(text).toMatch(FROM_COMMAND);
  });

  it('queues no e-mail for an address without an account', async () => {
    const { keys } = commandMail({ ...mail.environment, PIN_SECRET: TEST_SECRETS.PIN_SECRET });
    expect(await removeAdmin(app.databaseUrl, 'nobody@example.org', keys)).toBe(false);
    expect(await sql(app, 'SELECT 1 FROM email')).toEqual([]);
  });
});

describe('npm run sessions:end', () => {
  it('sends one e-mail to each account that was signed in', async () => {
    const [twice, away] = [await createAdmin(app), await createAdmin(app)];
    for (let i = 0; i < 2; i++)
      await login(app, { email: twice.email, password: ADMIN_PASSWORD }).expect(200);
    await endSessions(app.databaseUrl);
    const text = await textTo(twice.email);
    expect(text).toContain('You were signed out of your account on one or more devices.');
    expect(text).toMatch(FROM_COMMAND);
    expect(mail.to(away.email)).toEqual([]);
    await endSessions(app.databaseUrl);
    expect(await sql(app, "SELECT 1 FROM email WHERE kind = 'account_change'")).toHaveLength(1);
  });
});
