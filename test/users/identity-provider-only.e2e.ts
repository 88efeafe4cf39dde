import { beforeEach, describe, expect, it } from '@jest/globals';
import supertest, { type Response } from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { seedAdmin } from '../../src/operator/admin-seed.js';
import { startApp } from '../support/app.js';
import { type Caller, confirmed } from '../support/bearer.js';
import { createTestDatabase } from '../support/database.js';
import { ADMIN_PASSWORD, createAdmin, sql } from '../support/fixtures.js';
import { startIdentityProvider } from '../support/identity-provider.js';
import { CALLBACK, idpEnvironment, signInByProvider } from '../support/idp-sign-in.js';
import { login, tokenOf } from '../support/second-factor.js';
import { withOpened, withService } from '../support/setup.js';
import { until } from '../support/until.js';

const password = ADMIN_PASSWORD;
const database = withOpened(() => createTestDatabase());
const provider = withOpened(() => startIdentityProvider(CALLBACK));
const app = withService(() => startApp(idpEnvironment(provider), {}, database.url));

beforeEach(async () => {
  await sql(app, 'DELETE FROM admin');
  await sql(app, 'DELETE FROM global_settings');
  await until(async () => (await methods()).password, 'the forgetting of settings', { everyMs: 100 });
});

const codeIn = (response: Response) => (response.body as { code?: string }).code;
const methods = async (service = app) =>
  (await service.http.get('/auth/methods').expect(200)).body as { password: boolean; idp: unknown };
const passwords = (me: Caller, passwordSignIn: boolean) =>
  me.patch('/settings/global', { auth: { passwordSignIn } });

async function byPassword(role?: string) {
  const account = await createAdmin(app, undefined, role);
  const me = await confirmed(app, tokenOf(await login(app, { email: account.email, password }).expect(200)));
  return { ...account, me };
}
async function byProvider(role?: string) {
  const account = await createAdmin(app, undefined, role);
  const identity = { sub: newId(), email: account.email, email_verified: true };
  await provider.become(identity);
  const response = await signInByProvider(app, provider);
  expect(response.status).toBe(200);
  return { ...account, identity, me: await confirmed(app, tokenOf(response)) };
}

describe('disabling passwords', () => {
  it('passwords can be disabled while an admin is bound to the identity provider, and then no password signs in', async () => {
    const boss = await byProvider();
    const other = await byPassword();
    expect(await methods()).toEqual({
      password: true,
      passwordReset: false,
      idp: { url: expect.stringMatching(/^http.*\/auth\/idp$/) },
    });
    const { body: invited } = await boss.me
      .post('/users', { email: 'late@example.org', role: 'ADMIN' })
      .expect(201);
    await passwords(boss.me, false).expect(200);
    expect(await methods()).toMatchObject({ password: false });
    const refused = await login(app, { email: other.email, password }).expect(403);
    expect(codeIn(refused)).toBe('PASSWORD_SIGN_IN_OFF');
    // An address without an account gets the same answer, so that the answer does not reveal accounts.
    expect((await login(app, { email: 'nobody@example.org', password }).expect(403)).body).toEqual(
      refused.body,
    );
    const accepted = await supertest(app.url)
      .post('/auth/invitations/accept')
      .send({ token: (invited as { inviteUrl: string }).inviteUrl.split('#invite=')[1], password })
      .expect(403);
    expect(codeIn(accepted)).toBe('PASSWORD_SIGN_IN_OFF');
    expect((await signInByProvider(app, provider)).status).toBe(200);
    // An invited user also signs in at the provider. The verified address binds the account to the identity.
    await provider.become({ sub: newId(), email: 'late@example.org', email_verified: true });
    expect((await signInByProvider(app, provider)).status).toBe(200);
    const { body } = await boss.me.get('/users').expect(200);
    const late = (body as { data: { email: string }[] }).data.find(
      ({ email }) => email === 'late@example.org',
    );
    expect(late).toMatchObject({ state: 'active', identity: { issuer: provider.issuer } });
  });

  it('passwords stay enabled if only an accountant or a disabled admin is bound', async () => {
    const boss = await byPassword();
    await byProvider('ACCOUNTANT');
    const gone = await byProvider();
    await boss.me.patch(`/users/${gone.id}`, { disabled: true }).expect(200);
    const refused = await passwords(boss.me, false).expect(409);
    expect(codeIn(refused)).toBe('PASSWORD_SIGN_IN_NEEDED');
    expect(await methods()).toMatchObject({ password: true });
    await login(app, { email: boss.email, password }).expect(200);
  });

  it('passwords stay enabled if the admin is bound to another issuer than the configured one', async () => {
    const boss = await byProvider();
    await sql(app, "UPDATE admin SET idp_issuer = 'https://old.example.org'");
    await passwords(boss.me, false).expect(409);
  });

  it('passwords stay enabled without an identity provider, and again once the provider is removed', async () => {
    const boss = await byProvider();
    await passwords(boss.me, false).expect(200);
    const plain = await startApp({}, {}, database.url);
    try {
      expect(await methods(plain)).toEqual({ password: true, passwordReset: false, idp: null });
      const me = await confirmed(
        plain,
        tokenOf(await login(plain, { email: boss.email, password }).expect(200)),
      );
      await passwords(me, true).expect(200);
      expect(codeIn(await passwords(me, false).expect(409))).toBe('PASSWORD_SIGN_IN_NEEDED');
    } finally {
      await plain.close();
    }
  });
});

describe('while passwords are disabled', () => {
  it.each<[string, (me: Caller, id: string) => supertest.Test]>([
    ['unbound', (me, id) => me.delete(`/users/${id}/identity`)],
    ['removed', (me, id) => me.delete(`/users/${id}`)],
    ['disabled', (me, id) => me.patch(`/users/${id}`, { disabled: true })],
    ['made an accountant', (me, id) => me.patch(`/users/${id}`, { role: 'ACCOUNTANT' })],
  ])('the last bound admin cannot be %s, although other users have passwords', async (_, change) => {
    await byPassword();
    const boss = await byProvider();
    await passwords(boss.me, false).expect(200);
    expect(codeIn(await change(boss.me, boss.id).expect(409))).toBe('LAST_ADMIN');
    expect((await signInByProvider(app, provider)).status).toBe(200);
  });

  it('the operator can enable passwords again, with an audit entry', async () => {
    const boss = await byProvider();
    await passwords(boss.me, false).expect(200);
    const { email } = await createAdmin(app);
    const seeded = await seedAdmin({ databaseUrl: database.url, email });
    expect(seeded).toMatchObject({ created: false, passwordsOn: true });
    await until(async () => (await methods()).password, 'passwords', { everyMs: 100 });
    await login(app, { email, password: seeded.password }).expect(200);
    const [row] = await sql<{ detail: unknown }>(
      app,
      "SELECT detail FROM audit_entry WHERE action = 'admin.password' ORDER BY id DESC LIMIT 1",
    );
    expect(row?.detail).toEqual({ role: 'ADMIN', passwordsOn: true });
  });

  it('a new accountant created by the operator does not enable passwords', async () => {
    const boss = await byProvider();
    await passwords(boss.me, false).expect(200);
    const seeded = await seedAdmin({
      databaseUrl: database.url,
      email: 'books@example.org',
      role: 'ACCOUNTANT',
    });
    expect(seeded).toMatchObject({ created: true, passwordsOn: false });
    expect(await methods()).toMatchObject({ password: false });
  });
});

describe('identities', () => {
  it('an admin unbinds an identity: its sessions end, and a later sign-in finds the account only by its address', async () => {
    const boss = await byPassword();
    const { id, identity, me } = await byProvider();
    const { body } = await boss.me.delete(`/users/${id}/identity`).expect(200);
    expect(body).toMatchObject({ id, identity: null });
    await me.get('/auth/me').expect(401);
    await provider.become({ ...identity, email: 'moved@example.org' });
    expect(codeIn(await signInByProvider(app, provider))).toBe('IDP_NO_ADMIN');
    await provider.become(identity);
    expect((await signInByProvider(app, provider)).body).toMatchObject({ user: { id } });
    const audit = await sql<{ action: string; detail: unknown; actor_id: string }>(
      app,
      "SELECT action, detail, actor_id FROM audit_entry WHERE subject_id = $1 AND action LIKE '%bind%' ORDER BY id",
      [id],
    );
    expect(audit).toEqual([
      { action: 'admin.bind_identity', detail: { issuer: provider.issuer }, actor_id: id },
      { action: 'admin.unbind_identity', detail: { issuer: provider.issuer }, actor_id: boss.id },
      { action: 'admin.bind_identity', detail: { issuer: provider.issuer }, actor_id: id },
    ]);
    await boss.me.delete(`/users/${boss.id}/identity`).expect(200);
  });

  it('an identity stays bound while passwords are disabled at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const boss = await byPassword();
      const bound = await byProvider();
      const answers = await Promise.all([
        passwords(boss.me, false),
        boss.me.delete(`/users/${bound.id}/identity`),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      await sql(app, 'DELETE FROM admin');
      await sql(app, 'DELETE FROM global_settings');
      await until(async () => (await methods()).password, 'the forgetting of settings', { everyMs: 100 });
    }
  });
});
