import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { seedAdmin } from '../../src/operator/admin-seed.js';
import { startApp, type TestApp } from '../support/app.js';
import { as, type Caller, confirmed } from '../support/bearer.js';
import { ADMIN_PASSWORD, adminToken, cookiesOf, createAdmin, createEvent, sql } from '../support/fixtures.js';
import { login, tokenOf, withSecondFactor } from '../support/second-factor.js';
import { withService } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

const NEW_PASSWORD = 'violet harbour teaspoon';
const password = ADMIN_PASSWORD;

const app = withService(() => startApp({ PUBLIC_URL: 'http://donate.example.org' }));
let admin: Caller;
let adminId: string;

beforeAll(async () => {
  const account = await createAdmin(app);
  adminId = account.id;
  admin = await confirmed(app, tokenOf(await login(app, { email: account.email, password })));
});

interface UserBody {
  id: string;
  email: string;
  state: string;
  inviteUrl: string;
  [field: string]: unknown;
}
const codeIn = (body: unknown) => (body as { code?: string }).code;
const newEmail = () => `person-${newId()}@example.org`;
const invite = async (fields: object = {}): Promise<UserBody> =>
  (await admin.post('/users', { email: newEmail(), role: 'ACCOUNTANT', ...fields }).expect(201))
    .body as UserBody;
const tokenIn = (url: string) => url.split('#invite=')[1] ?? '';
const accept = (token: string, secret = NEW_PASSWORD) =>
  supertest(app.url).post('/auth/invitations/accept').send({ token, password: secret });
const stateOf = async (id: string) => {
  const { body } = await admin.get('/users').expect(200);
  return (body as { data: UserBody[] }).data.find((user) => user.id === id);
};
const auditOf = (id: string) =>
  sql<{ action: string; detail: unknown; actor_id: string | null }>(
    app,
    'SELECT action, detail, actor_id FROM audit_entry WHERE subject_id = $1 ORDER BY id',
    [id],
  );
async function signedIn(role = 'ADMIN') {
  const account = await createAdmin(app, undefined, role);
  const session = await login(app, { email: account.email, password }).expect(200);
  return { ...account, cookie: cookiesOf(session), token: tokenOf(session), me: as(app, tokenOf(session)) };
}

describe('invitations', () => {
  it('an invitation creates an account, and its owner activates the account once with the link', async () => {
    const invited = await invite({ email: ' New.Person@Example.ORG ', name: 'Grace Hopper' });
    expect(invited).toEqual({
      id: expect.any(String),
      email: 'new.person@example.org',
      name: 'Grace Hopper',
      role: 'ACCOUNTANT',
      state: 'invited',
      secondFactor: false,
      identity: null,
      createdAt: expect.any(String),
      lastSignInAt: null,
      invitationExpiresAt: expect.any(String),
      inviteUrl: expect.stringMatching(/^http:\/\/donate\.example\.org\/admin#invite=[\w-]{43}$/),
      emailed: false,
    });
    const lasts = Date.parse(String(invited.invitationExpiresAt)) - Date.now();
    expect(Math.round(lasts / 3_600_000)).toBe(72);
    await login(app, { email: invited.email, password: NEW_PASSWORD }).expect(401);
    const { body } = await accept(tokenIn(invited.inviteUrl)).expect(200);
    expect(body).toEqual({ id: invited.id, email: invited.email, role: 'ACCOUNTANT', name: 'Grace Hopper' });
    const session = await login(app, { email: 'NEW.person@example.org', password: NEW_PASSWORD }).expect(200);
    const me = await as(app, tokenOf(session)).get('/auth/me').expect(200);
    expect(me.body).toMatchObject({ user: { name: 'Grace Hopper', role: 'ACCOUNTANT' } });
    expect(codeIn((await accept(tokenIn(invited.inviteUrl)).expect(404)).body)).toBe('INVITATION_NOT_FOUND');
    expect(await stateOf(invited.id)).toMatchObject({
      state: 'active',
      lastSignInAt: expect.any(String),
      invitationExpiresAt: null,
    });
    expect((await auditOf(invited.id)).map(({ action, actor_id }) => [action, actor_id])).toEqual([
      ['admin.create', adminId],
      // These actions happened before the owner used the link.
      ['admin.sign_in_failed', null],
      ['admin.accept_invitation', invited.id],
      ['admin.sign_in', invited.id],
    ]);
  });

  it('stores no invitation token in plain text', async () => {
    const { id, inviteUrl } = await invite();
    const rows = await sql<{ row: string; token_digest: Buffer }>(
      app,
      'SELECT i::text AS row, token_digest FROM admin_invitation i WHERE admin_id = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(tokenIn(inviteUrl));
    expect(rows[0]?.token_digest).toEqual(createHash('sha256').update(tokenIn(inviteUrl)).digest());
    const audit = JSON.stringify(await auditOf(id));
    expect(audit).not.toContain(tokenIn(inviteUrl));
    expect(audit).not.toContain('@');
  });

  it('two simultaneous uses of an invitation set one password', async () => {
    const { email, inviteUrl } = await invite();
    const secrets = ['violet harbour teaspoon', 'copper lantern window'];
    const answers = await Promise.all(secrets.map((secret) => accept(tokenIn(inviteUrl), secret)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    const signIns = await Promise.all(secrets.map((secret) => login(app, { email, password: secret })));
    expect(signIns.map(({ status }) => status)).toEqual(
      answers.map(({ status }) => (status === 200 ? 200 : 401)),
    );
  });

  it('an invitation refuses a weak password and stays valid', async () => {
    const { email, inviteUrl } = await invite();
    for (const weak of ['short', 'password1234', `${email.split('@')[0] ?? ''}!`]) {
      const { body } = await accept(tokenIn(inviteUrl), weak).expect(400);
      expect(codeIn(body)).toBe('PASSWORD_TOO_WEAK');
    }
    await accept(tokenIn(inviteUrl), 'ü'.repeat(37)).expect(400);
    await accept(tokenIn(inviteUrl)).expect(200);
  });

  it('an expired invitation activates no account; a new invitation works and replaces the earlier ones', async () => {
    const { id, email, inviteUrl } = await invite();
    await sql(
      app,
      "UPDATE admin_invitation SET expires_at = now() - interval '1 second' WHERE admin_id = $1",
      [id],
    );
    await accept(tokenIn(inviteUrl)).expect(404);
    expect(await stateOf(id)).toMatchObject({ state: 'invited' });
    const again = (await admin.post(`/users/${id}/invite`).expect(200)).body as UserBody;
    const third = (await admin.post(`/users/${id}/invite`).expect(200)).body as UserBody;
    await accept(tokenIn(again.inviteUrl)).expect(404);
    await accept(tokenIn(third.inviteUrl)).expect(200);
    await login(app, { email, password: NEW_PASSWORD }).expect(200);
  });

  it('refuses an existing address in any case, also for two simultaneous invitations', async () => {
    const { email } = await createAdmin(app);
    for (const same of [email, email.toUpperCase()])
      expect(codeIn((await admin.post('/users', { email: same, role: 'ADMIN' }).expect(409)).body)).toBe(
        'EMAIL_TAKEN',
      );
    const fresh = newEmail();
    const answers = await Promise.all(
      [fresh, fresh.toUpperCase()].map((one) => admin.post('/users', { email: one, role: 'ADMIN' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it.each([
    [{ role: 'ADMIN' }],
    [{ email: 'no address', role: 'ADMIN' }],
    [{ email: 'a@example.org' }],
    [{ email: 'a@example.org', role: 'STAFF' }],
    [{ email: 'a@example.org', role: 'ADMIN', password: 'x' }],
    [{ email: 7, role: 'ADMIN' }],
    [{ email: 'a@example.org', role: 'ADMIN', name: 'a\u0000b' }],
  ])('an invitation with %j answers 400', async (body) => {
    await admin.post('/users', body).expect(400);
  });

  it('a disabled account gets no new invitation, and its earlier invitation no longer works', async () => {
    const { id, inviteUrl } = await invite();
    await admin.patch(`/users/${id}`, { disabled: true }).expect(200);
    await accept(tokenIn(inviteUrl)).expect(404);
    expect(codeIn((await admin.post(`/users/${id}/invite`).expect(409)).body)).toBe('USER_DISABLED');
  });

  it('an invitation from before the account was disabled stays invalid after it is enabled', async () => {
    const { id, inviteUrl } = await invite();
    await accept(tokenIn(inviteUrl)).expect(200);
    const forgotten = (await admin.post(`/users/${id}/invite`).expect(200)).body as UserBody;
    await admin.patch(`/users/${id}`, { disabled: true }).expect(200);
    await admin.patch(`/users/${id}`, { disabled: false }).expect(200);
    await accept(tokenIn(forgotten.inviteUrl)).expect(404);
    const later = (await admin.post(`/users/${id}/invite`).expect(200)).body as UserBody;
    await accept(tokenIn(later.inviteUrl)).expect(200);
  });

  it('a password change invalidates an unused reset link', async () => {
    const { id, email, inviteUrl } = await invite();
    await accept(tokenIn(inviteUrl)).expect(200);
    const { inviteUrl: forgotten } = (await admin.post(`/users/${id}/invite`).expect(200)).body as UserBody;
    const { body } = await login(app, { email, password: NEW_PASSWORD }).expect(200);
    const next = `${NEW_PASSWORD} and another`;
    await as(app, (body as { accessToken: string }).accessToken)
      .post('/auth/password', { current: NEW_PASSWORD, next })
      .expect(200);
    await accept(tokenIn(forgotten)).expect(404);
    await login(app, { email, password: next }).expect(200);
  });

  it('a reset link keeps the old password until its use, ends sessions, and requires the second factor', async () => {
    const { id, email, token, secret } = await withSecondFactor(app);
    const { inviteUrl } = (await admin.post(`/users/${id}/invite`).expect(200)).body as UserBody;
    await as(app, token).get('/auth/me').expect(200);
    await accept(tokenIn(inviteUrl)).expect(200);
    await as(app, token).get('/auth/me').expect(401);
    await login(app, { email, password }).expect(401);
    const asked = await login(app, { email, password: NEW_PASSWORD }).expect(401);
    expect(codeIn(asked.body)).toBe('SECOND_FACTOR_REQUIRED');
    expect(secret).not.toBe('');
  });

  it.each(['', 'x', 'x'.repeat(43)])('refuses the invitation token %j', async (token) => {
    const { status } = await accept(token);
    expect(status).toBe(token === '' ? 400 : 404);
  });
});

describe('disabled users', () => {
  it('a disabled user loses access token, refresh cookie, open socket and password at once', async () => {
    const { id, email, cookie, me, token } = await signedIn();
    const event = await createEvent(app, token);
    const wall = await WallClient.connect(app.url, { auth: { token } });
    await wall.join(event.id);
    const cut = new Promise((resolve) => wall.socket.once('disconnect', resolve));
    const { body } = await admin.patch(`/users/${id}`, { disabled: true }).expect(200);
    expect(body).toMatchObject({ id, state: 'disabled' });
    await me.get('/auth/me').expect(401);
    expect(await cut).toBe('io server disconnect');
    await supertest(app.url).post('/auth/refresh').set('Cookie', cookie).expect(401);
    const refused = await login(app, { email, password }).expect(401);
    const unknown = await login(app, { email: 'nobody@example.org', password }).expect(401);
    expect(refused.body).toEqual(unknown.body);
    const [last] = (await auditOf(id)).slice(-1);
    expect(last).toMatchObject({
      action: 'admin.sign_in_failed',
      detail: { method: 'password', disabled: true },
    });
  });

  it('an enabled user signs in with the old password, and the old sessions stay ended', async () => {
    const { id, email, me } = await signedIn();
    await admin.patch(`/users/${id}`, { disabled: true }).expect(200);
    await admin.patch(`/users/${id}`, { disabled: true }).expect(200);
    await admin.patch(`/users/${id}`, { disabled: false }).expect(200);
    await me.get('/auth/me').expect(401);
    await login(app, { email, password }).expect(200);
    const changes = (await auditOf(id)).filter(({ action }) => action === 'admin.update');
    expect(changes.map(({ detail }) => detail)).toEqual([
      { disabled: { before: false, after: true } },
      { disabled: { before: true, after: false } },
    ]);
  });

  it('the operator can enable a user, with an audit entry', async () => {
    const { id, email } = await withSecondFactor(app);
    await admin.patch(`/users/${id}`, { disabled: true }).expect(200);
    const seeded = await seedAdmin({ databaseUrl: app.databaseUrl, email, password: NEW_PASSWORD });
    expect(seeded).toMatchObject({
      created: false,
      enabled: true,
      secondFactorReset: true,
      passwordsOn: false,
    });
    await login(app, { email, password: NEW_PASSWORD }).expect(200);
    const [row] = await sql<{ detail: unknown }>(
      app,
      "SELECT detail FROM audit_entry WHERE action = 'admin.password' AND subject_id = $1",
      [id],
    );
    expect(row?.detail).toEqual({ role: 'ADMIN', enabled: true, secondFactorReset: true });
  });

  it('a sign-in that began earlier does not finish after the account was disabled', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, email } = await createAdmin(app);
      const [session] = await Promise.all([
        login(app, { email, password }),
        admin.patch(`/users/${id}`, { disabled: true }).expect(200),
      ]);
      if (session.status === 200) await as(app, tokenOf(session)).get('/auth/me').expect(401);
      else expect(session.status).toBe(401);
    }
  });
});

describe('user accounts', () => {
  it('a new role ends the sessions of a user, a new name does not', async () => {
    const { id, email, me } = await signedIn('ACCOUNTANT');
    await admin.patch(`/users/${id}`, { name: 'Grace Hopper' }).expect(200);
    await me.get('/auth/me').expect(200);
    const { body } = await admin.patch(`/users/${id}`, { role: 'ADMIN' }).expect(200);
    expect(body).toMatchObject({ role: 'ADMIN', name: 'Grace Hopper' });
    await me.get('/auth/me').expect(401);
    const again = as(app, tokenOf(await login(app, { email, password }).expect(200)));
    await again.get('/users').expect(200);
    const changes = (await auditOf(id)).filter(({ action }) => action === 'admin.update');
    expect(changes.map(({ detail }) => detail)).toEqual([
      { renamed: true },
      { role: { before: 'ACCOUNTANT', after: 'ADMIN' } },
    ]);
    await admin.patch(`/users/${id}`, { name: null }).expect(200);
    expect(await stateOf(id)).toMatchObject({ name: null });
  });

  it('a removed user loses password, sessions and cookie, and the audit log stays', async () => {
    const { id, email, cookie, me } = await signedIn();
    await me.get('/donations/export').expect(200);
    const { body } = await admin.delete(`/users/${id}`).expect(200);
    expect(body).toEqual({ id, deleted: true });
    await me.get('/auth/me').expect(401);
    await supertest(app.url).post('/auth/refresh').set('Cookie', cookie).expect(401);
    await login(app, { email, password }).expect(401);
    await admin.delete(`/users/${id}`).expect(404);
    const [entry] = await sql<{ actor_id: string }>(
      app,
      "SELECT actor_id FROM audit_entry WHERE action = 'donations.export' AND actor_id = $1",
      [id],
    );
    expect(entry).toEqual({ actor_id: id });
  });

  it('an admin lists and ends the sessions of a user, with sockets', async () => {
    const first = await signedIn();
    await supertest(app.url)
      .post('/auth/login')
      .set('User-Agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0')
      .send({ email: first.email, password })
      .expect(200);
    const listed = await admin.get(`/users/${first.id}/sessions`).expect(200);
    const { data } = listed.body as { data: Record<string, unknown>[] };
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({ client: 'Firefox on Linux', address: '127.0.0.1', current: false });
    const wall = await WallClient.connect(app.url, { auth: { token: first.token } });
    const cut = new Promise((resolve) => wall.socket.once('disconnect', resolve));
    const { body } = await admin.delete(`/users/${first.id}/sessions`).expect(200);
    expect(body).toEqual({ id: first.id, ended: 2 });
    await first.me.get('/auth/me').expect(401);
    expect(await cut).toBe('io server disconnect');
    await supertest(app.url).post('/auth/refresh').set('Cookie', first.cookie).expect(401);
    expect((await admin.get(`/users/${first.id}/sessions`).expect(200)).body).toEqual({ data: [] });
    await login(app, { email: first.email, password }).expect(200);
  });

  it('an admin removes the second factor of a user who lost the phone', async () => {
    const { id, email, token } = await withSecondFactor(app, 'ACCOUNTANT');
    expect(await stateOf(id)).toMatchObject({ secondFactor: true });
    const { body } = await admin.delete(`/users/${id}/second-factor`).expect(200);
    expect(body).toMatchObject({ id, secondFactor: false });
    await as(app, token).get('/auth/me').expect(401);
    await login(app, { email, password }).expect(200);
    expect((await auditOf(id)).filter(({ action }) => action === 'admin.second_factor_off')).toEqual([
      { action: 'admin.second_factor_off', detail: {}, actor_id: adminId },
    ]);
    await admin.delete(`/users/${id}/second-factor`).expect(200);
  });

  it('admins cannot reset their own password or second factor without the password', async () => {
    const { id, email, token } = await withSecondFactor(app, 'ADMIN');
    const me = await confirmed(app, token);
    for (const own of [id, id.toUpperCase()]) {
      expect(codeIn((await me.post(`/users/${own}/invite`).expect(409)).body)).toBe('OWN_ACCOUNT');
      expect(codeIn((await me.delete(`/users/${own}/second-factor`).expect(409)).body)).toBe('OWN_ACCOUNT');
    }
    expect(await stateOf(id)).toMatchObject({ secondFactor: true, invitationExpiresAt: null });
    await me.get('/auth/me').expect(200);
    // Without the authenticator app, the owner cannot sign in with the password alone. Another admin can still remove the
    // second factor.
    await login(app, { email, password }).expect(401);
    await admin.delete(`/users/${id}/second-factor`).expect(200);
    await login(app, { email, password }).expect(200);
  });

  it.each(['patch', 'delete', 'invite', 'sessions', 'end', 'identity', 'second-factor'])(
    'an unknown user answers 404: %s',
    async (what) => {
      for (const id of [newId(), 'no-id', "x'--"]) {
        const path = `/users/${encodeURIComponent(id)}`;
        const answers = {
          patch: () => admin.patch(path, { name: 'x' }),
          delete: () => admin.delete(path),
          invite: () => admin.post(`${path}/invite`),
          sessions: () => admin.get(`${path}/sessions`),
          end: () => admin.delete(`${path}/sessions`),
          identity: () => admin.delete(`${path}/identity`),
          'second-factor': () => admin.delete(`${path}/second-factor`),
        };
        const { status, body } = await answers[what as keyof typeof answers]();
        expect({ status, code: codeIn(body) }).toEqual({ status: 404, code: 'USER_NOT_FOUND' });
      }
    },
  );

  it('accepts a whole user object with changes', async () => {
    const { id } = await signedIn();
    const whole = await stateOf(id);
    const { body } = await admin.patch(`/users/${id}`, { ...whole, name: 'Grace Hopper' }).expect(200);
    expect(body).toEqual({ ...whole, name: 'Grace Hopper' });
    const refused = await admin.patch(`/users/${id}`, { ...whole, state: 'invited', email: 'x@example.org' });
    expect(refused.body).toMatchObject({
      statusCode: 400,
      code: 'READ_ONLY_FIELD',
      message: 'email, state cannot be changed',
    });
  });

  it('refuses invalid changes of a user', async () => {
    const { id } = await signedIn();
    for (const body of [
      { role: 'STAFF' },
      { role: null },
      { disabled: 'true' },
      { disabled: null },
      { email: 'x@y.z' },
    ])
      await admin.patch(`/users/${id}`, body).expect(400);
    await admin.patch(`/users/${id}`, {}).expect(200);
  });

  it('an accountant can neither see nor change users', async () => {
    const { id } = await signedIn();
    const accountant = as(app, await adminToken(app, 'ACCOUNTANT'));
    await accountant.get('/users').expect(403);
    await accountant.post('/users', { email: newEmail(), role: 'ADMIN' }).expect(403);
    await accountant.patch(`/users/${id}`, { role: 'ACCOUNTANT' }).expect(403);
    await accountant.delete(`/users/${id}/sessions`).expect(403);
    expect(await stateOf(id)).toMatchObject({ role: 'ADMIN' });
  });
});

describe('the last admin', () => {
  const small = withService();
  let one: { id: string; email: string; me: Caller };

  beforeAll(async () => {
    const account = await createAdmin(small);
    const session = await login(small, { email: account.email, password }).expect(200);
    one = { ...account, me: await confirmed(small, tokenOf(session)) };
    // Two accounts without the rights of an admin: an accountant, and an admin who has not accepted the invitation.
    await createAdmin(small, undefined, 'ACCOUNTANT');
    await one.me.post('/users', { email: newEmail(), role: 'ADMIN' }).expect(201);
  });

  it.each<[string, (me: Caller, id: string) => supertest.Test]>([
    ['removed', (me, id) => me.delete(`/users/${id}`)],
    ['disabled', (me, id) => me.patch(`/users/${id}`, { disabled: true })],
    ['made an accountant', (me, id) => me.patch(`/users/${id}`, { role: 'ACCOUNTANT' })],
    ['disabled and renamed', (me, id) => me.patch(`/users/${id}`, { disabled: true, name: 'Gone' })],
  ])('the last admin cannot be %s', async (_, change) => {
    const { body } = await change(one.me, one.id).expect(409);
    expect(codeIn(body)).toBe('LAST_ADMIN');
    await one.me.get('/auth/me').expect(200);
    const { body: users } = await one.me.get('/users').expect(200);
    const kept = (users as { data: UserBody[] }).data.find(({ id }) => id === one.id);
    expect(kept).toMatchObject({ role: 'ADMIN', state: 'active', name: null });
  });

  it('one admin is left when two demote, disable or remove each other at the same moment', async () => {
    const changes: ((me: Caller, id: string) => supertest.Test)[] = [
      (me, id) => me.patch(`/users/${id}`, { role: 'ACCOUNTANT' }),
      (me, id) => me.patch(`/users/${id}`, { disabled: true }),
      (me, id) => me.delete(`/users/${id}`),
    ];
    for (let round = 0; round < 9; round++) {
      const arena = await startRound(small, one.id);
      const [change] = changes.slice(round % 3);
      const answers = await Promise.all([
        change?.(arena.first.me, arena.second.id),
        change?.(arena.second.me, arena.first.id),
      ]);
      // The service refused the other request because of the rule, or because its session had ended.
      const statuses = answers.map((answer) => answer?.status).sort();
      expect([
        [200, 401],
        [200, 403],
        [200, 409],
      ]).toContainEqual(statuses);
      const [left] = await sql<{ admins: number }>(
        small,
        "SELECT count(*)::int AS admins FROM admin WHERE role = 'ADMIN' AND disabled_at IS NULL AND password_hash IS NOT NULL",
      );
      expect(left?.admins).toBe(1);
      await sql(small, "UPDATE admin SET role = 'ADMIN', disabled_at = NULL WHERE id = $1", [one.id]);
    }
  });
});

/** Creates two admins. No third account can sign in as admin. */
async function startRound(app: TestApp, aside: string) {
  await sql(app, "DELETE FROM admin WHERE role = 'ADMIN' AND id <> $1", [aside]);
  const people = await Promise.all(
    [1, 2].map(async () => {
      const account = await createAdmin(app);
      const session = await login(app, { email: account.email, password }).expect(200);
      return { ...account, me: await confirmed(app, tokenOf(session)) };
    }),
  );
  await sql(app, 'UPDATE admin SET disabled_at = now() WHERE id = $1', [aside]);
  const [first, second] = people;
  if (!first || !second) throw new Error('two people are missing');
  return { first, second };
}
