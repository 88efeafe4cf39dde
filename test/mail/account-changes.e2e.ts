import { beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { seedAdmin } from '../../src/operator/admin-seed.js';
import { startApp } from '../support/app.js';
import { as, type Caller, confirmed } from '../support/bearer.js';
import { createTestDatabase } from '../support/database.js';
import { ADMIN_PASSWORD, createAdmin, sql } from '../support/fixtures.js';
import { startIdentityProvider } from '../support/identity-provider.js';
import { CALLBACK, idpEnvironment, signInByProvider } from '../support/idp-sign-in.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { login, tokenOf, withSecondFactor } from '../support/second-factor.js';
import { withOpened, withService } from '../support/setup.js';
import { until } from '../support/until.js';

const password = ADMIN_PASSWORD;
const NEXT = 'violet harbour teaspoon';
const mail = withOpened(() => MailServer.start());
const provider = withOpened(() => startIdentityProvider(CALLBACK));
const app = withService(() =>
  startApp({ ...mail.environment, ...idpEnvironment(provider) }, { mailTimes: FAST_MAIL }),
);
let boss: Caller;

beforeAll(async () => {
  const { email } = await createAdmin(app);
  boss = await confirmed(app, tokenOf(await login(app, { email, password }).expect(200)));
  await boss.patch('/settings/global', { organization: 'Haus am See' }).expect(200);
});

const SUBJECT = 'Your access to Haus am See was changed';
const noticesTo = (email: string) => mail.to(email).filter(({ subject }) => subject === SUBJECT);
async function notice(email: string, words: RegExp): Promise<string> {
  await until(() => noticesTo(email).some(({ text }) => words.test(text ?? '')), `an e-mail: ${words}`);
  return noticesTo(email).find(({ text }) => words.test(text ?? ''))?.text ?? '';
}
async function signedIn() {
  const account = await createAdmin(app);
  const token = tokenOf(await login(app, { email: account.email, password }).expect(200));
  return { ...account, token, me: await confirmed(app, token) };
}

describe('account change e-mails', () => {
  it('notifies the account owner when the second factor is set up, disabled, or replaced by a recovery code', async () => {
    const { email, token, recoveryCodes } = await withSecondFactor(app);
    await notice(email, /A second factor was set up/);
    await login(app, { email, password, totp: recoveryCodes[0] }).expect(200);
    await notice(email, /A recovery code was used/);
    await as(app, token).post('/auth/totp/disable', { password }).expect(200);
    await notice(email, /second factor of your account was turned off/);
    expect(noticesTo(email)).toHaveLength(3);
  });

  it('notifies the account owner when the password changes, in the account or by a link', async () => {
    const { id, email, me } = await signedIn();
    await me.post('/auth/password', { current: password, next: NEXT }).expect(200);
    await notice(email, /password of your account was changed/);
    const { body } = await boss.post(`/users/${id}/invite`).expect(200);
    const token = (body as { inviteUrl: string }).inviteUrl.split('#invite=')[1];
    await supertest(app.url)
      .post('/auth/invitations/accept')
      .send({ token, password: `${NEXT} again` })
      .expect(200);
    await until(() => noticesTo(email).length === 2, 'the second e-mail');
  });

  it('notifies the account owner when the owner or an admin ends sessions, with the IP address of the change', async () => {
    const { id, email, me } = await signedIn();
    const other = tokenOf(await login(app, { email, password }).expect(200));
    const { sessionId } = (await as(app, other).get('/auth/me').expect(200)).body as { sessionId: string };
    await me.delete(`/auth/sessions/${sessionId}`).set('User-Agent', 'curl/8.5.0').expect(200);
    expect(await notice(email, /You were signed out of your account/)).toMatch(/From: 127\.0\.0\.1 · curl/);
    await boss.delete(`/users/${id}/sessions`).expect(200);
    await until(() => noticesTo(email).length === 2, 'the second e-mail');
  });

  it('notifies the account owner when an identity is bound and unbound', async () => {
    const { id, email } = await createAdmin(app);
    await provider.become({ sub: newId(), email, email_verified: true });
    expect((await signInByProvider(app, provider)).status).toBe(200);
    await notice(email, /identity provider was linked to your account/);
    await boss.delete(`/users/${id}/identity`).expect(200);
    await notice(email, /identity provider was unlinked/);
  });

  it('notifies the account owner when an admin changes the role, disables, enables or removes the account, or resets the second factor', async () => {
    const { id, email } = await withSecondFactor(app);
    await boss.patch(`/users/${id}`, { role: 'ACCOUNTANT' }).expect(200);
    await notice(email, /role of your account was changed/);
    await boss.patch(`/users/${id}`, { disabled: true }).expect(200);
    await notice(email, /was disabled/);
    await boss.patch(`/users/${id}`, { disabled: false }).expect(200);
    await notice(email, /was enabled again/);
    await boss.delete(`/users/${id}/second-factor`).expect(200);
    await notice(email, /turned off/);
    await boss.delete(`/users/${id}`).expect(200);
    await notice(email, /was removed/);
    expect(noticesTo(email)).toHaveLength(6);
  });

  it('npm run admin:seed sends one e-mail for each change, without secrets of the server', async () => {
    const { id, email } = await withSecondFactor(app);
    await boss.patch(`/users/${id}`, { disabled: true }).expect(200);
    await notice(email, /was disabled/);
    await sql(app, "UPDATE admin SET idp_issuer = 'https://idp.example', idp_subject = id WHERE id = $1", [
      id,
    ]);
    await seedAdmin({ databaseUrl: app.databaseUrl, email, role: 'ACCOUNTANT' });
    for (const words of [
      /password of your/,
      /role of your account was changed/,
      /turned off/,
      /was unlinked/,
      /enabled again/,
    ])
      expect(await notice(email, words)).toMatch(/From: the command line of the server$/m);
    await seedAdmin({ databaseUrl: app.databaseUrl, email, role: 'ACCOUNTANT' });
    const passwords = () => noticesTo(email).filter(({ text }) => text?.includes('password of your'));
    await until(() => passwords().length === 2, 'the second e-mail about the password');
    // The other two e-mails of the account reported the second factor and the disabled account.
    expect(noticesTo(email)).toHaveLength(2 + 4 + 2);
  });

  it('writes the e-mail in each of the six languages, with the address and text sealed until it is sent', async () => {
    const { id, email } = await signedIn();
    const subjects = {
      de: 'Ihr Zugang zu Haus am See wurde geändert',
      fr: 'Votre accès à Haus am See a été modifié',
      es: 'Su acceso a Haus am See ha cambiado',
      it: 'Il suo accesso a Haus am See è cambiato',
      nl: 'Uw toegang tot Haus am See is gewijzigd',
    };
    for (const [locale, subject] of Object.entries(subjects)) {
      await boss.patch('/settings/global', { locales: { default: locale, supported: [locale] } }).expect(200);
      await boss.delete(`/users/${id}/sessions`).expect(200);
      await until(() => mail.to(email).some((one) => one.subject === subject), subject);
    }
    await boss.patch('/settings/global', { locales: { default: 'en', supported: ['en'] } }).expect(200);
    mail.mode = 451;
    await boss.delete(`/users/${id}/sessions`).expect(200);
    const rows = await sql<{ row: string }>(
      app,
      "SELECT e::text AS row FROM email e WHERE kind = 'account_change' AND state = 'queued'",
    );
    mail.mode = 'accept';
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(email);
    expect(rows[0]?.row).not.toContain('sessionsEnded');
  });
});

describe('account changes without SMTP_URL', () => {
  it('account changes succeed and queue no e-mail', async () => {
    const silent = await startApp();
    try {
      await withSecondFactor(silent);
      expect(await sql(silent, 'SELECT 1 FROM email')).toEqual([]);
    } finally {
      await silent.close();
    }
  });

  it('npm run admin:seed queues the e-mail without an address and sends it once SMTP is configured', async () => {
    const database = await createTestDatabase();
    const silent = await startApp({}, {}, database.url);
    try {
      const email = 'owner@example.org';
      await seedAdmin({ databaseUrl: database.url, email });
      expect(await sql(silent, 'SELECT 1 FROM email')).toEqual([]);
      await seedAdmin({ databaseUrl: database.url, email });
      const rows = await sql<{ row: string; together: boolean }>(
        silent,
        'SELECT e::text AS row, e.xmin = admin.xmin AS together FROM email e, admin',
      );
      expect(rows).toEqual([{ row: expect.not.stringContaining('owner'), together: true }]);
      const late = await startApp(mail.environment, { mailTimes: FAST_MAIL }, database.url);
      await until(() => mail.to(email).length === 1, 'the e-mail');
      await late.close();
      expect(mail.to(email)[0]?.text).toContain('password of your account was changed');
    } finally {
      await silent.close();
      await database.drop();
    }
  });

  it('drops the e-mail of npm run admin:seed when the account was removed meanwhile', async () => {
    const { id, email } = await createAdmin(app);
    mail.mode = 451;
    await seedAdmin({ databaseUrl: app.databaseUrl, email });
    await sql(app, 'DELETE FROM admin WHERE id = $1', [id]);
    const left = () => sql(app, 'SELECT 1 FROM email WHERE subject LIKE $1', [`${id}:%`]);
    await until(async () => (await left()).length === 0, 'dropping it');
    mail.mode = 'accept';
    expect(noticesTo(email)).toEqual([]);
  });
});
