import { describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { as, confirmed } from '../support/bearer.js';
import {
  ADMIN_PASSWORD,
  adminToken,
  cookiesOf,
  createAdmin,
  createEvent,
  createStaff,
  sql,
} from '../support/fixtures.js';
import { login, tokenOf, withSecondFactor } from '../support/second-factor.js';
import { withService } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

const password = ADMIN_PASSWORD;
const NEXT = 'violet harbour teaspoon';
const codeIn = (body: unknown) => (body as { code?: string }).code;

const app = withService();

async function signedIn(email?: string) {
  const account = email === undefined ? await createAdmin(app) : { id: '', email };
  const session = await login(app, { email: account.email, password }).expect(200);
  return { ...account, cookie: cookiesOf(session), token: tokenOf(session), me: as(app, tokenOf(session)) };
}
const refresh = (cookie: string) => supertest(app.url).post('/auth/refresh').set('Cookie', cookie);

describe('GET /auth/me', () => {
  it('an admin reads the own account with the permissions of the role', async () => {
    const { id, email, me } = await signedIn();
    const { body } = await me.get('/auth/me').expect(200).expect('Cache-Control', 'no-store');
    expect(body).toEqual({
      user: { id, email, role: 'ADMIN', name: null },
      capabilities: expect.arrayContaining(['users:invite', 'donations:cancel', 'account:manage']),
      secondFactor: { enabled: false, required: false },
      emailIsOn: false,
      sessionId: expect.any(String),
    });
  });

  it('accountants and staff read the own account with the permissions of their role only', async () => {
    const admin = await adminToken(app);
    const accountant = as(app, await adminToken(app, 'ACCOUNTANT'));
    const { capabilities } = (await accountant.get('/auth/me').expect(200)).body as {
      capabilities: string[];
    };
    expect(capabilities).toContain('audit:read');
    expect(capabilities.filter((name) => /users|cancel|create|update/.test(name))).toEqual([]);
    const event = await createEvent(app, admin);
    const staff = await createStaff(app, admin, event.id);
    const { body } = await as(app, staff.token).get('/auth/me').expect(200);
    expect(body).toEqual({
      user: { id: staff.id, email: null, role: 'STAFF', name: staff.name },
      capabilities: expect.arrayContaining(['donations:record', 'account:read']),
      secondFactor: { enabled: false, required: false },
      event: { id: event.id, slug: event.slug, name: 'Summer Gala' },
      sessionId: expect.any(String),
    });
    await as(app, staff.token).get('/auth/sessions').expect(403);
    await as(app, staff.token).post('/auth/password', { current: 'x', next: 'y' }).expect(403);
  });
});

describe('POST /auth/password', () => {
  it('a password change needs the old password, ends all other sign-ins and their sockets, and keeps the current one', async () => {
    const mine = await signedIn();
    const other = await signedIn(mine.email);
    const wall = await WallClient.connect(app.url, { auth: { token: other.token } });
    const cut = new Promise((resolve) => wall.socket.once('disconnect', resolve));
    const { body } = await mine.me.post('/auth/password', { current: password, next: NEXT }).expect(200);
    expect(body).toEqual({
      accessToken: expect.any(String),
      user: { id: mine.id, email: mine.email, role: 'ADMIN' },
    });
    await as(app, (body as { accessToken: string }).accessToken)
      .get('/auth/me')
      .expect(200);
    await refresh(mine.cookie).expect(200);
    await other.me.get('/auth/me').expect(401);
    await refresh(other.cookie).expect(401);
    expect(await cut).toBe('io server disconnect');
    // A copy of an older token of this sign-in is invalid too.
    await mine.me.get('/auth/me').expect(401);
    await login(app, { email: mine.email, password }).expect(401);
    await login(app, { email: mine.email, password: NEXT }).expect(200);
    const audit = await sql<{ row: string }>(
      app,
      "SELECT a::text AS row FROM audit_entry a WHERE action = 'admin.password' AND actor_id = $1",
      [mine.id],
    );
    expect(audit).toHaveLength(1);
    for (const secret of [password, NEXT]) expect(audit[0]?.row).not.toContain(secret);
  });

  it('a password change refuses a wrong old password, a weak new one and the same one, and keeps the session', async () => {
    const { me } = await signedIn();
    const change = (current: string, next: string) => me.post('/auth/password', { current, next });
    expect(codeIn((await change('wrong', NEXT).expect(403)).body)).toBe('PASSWORD_WRONG');
    expect(codeIn((await change(password, 'short').expect(400)).body)).toBe('PASSWORD_TOO_WEAK');
    expect(codeIn((await change(password, password).expect(400)).body)).toBe('PASSWORD_TOO_WEAK');
    await change(password, 'x'.repeat(73)).expect(400);
    await me.post('/auth/password', { current: password }).expect(400);
    await me.get('/auth/me').expect(200);
  });

  it('guesses of the old password are counted together with guesses at the sign-in', async () => {
    const { email, me } = await signedIn();
    const guess = () => me.post('/auth/password', { current: 'wrong', next: NEXT });
    for (let wrong = 0; wrong < 3; wrong++) await guess().expect(403);
    for (let wrong = 0; wrong < 2; wrong++) await login(app, { email, password: 'wrong' }).expect(401);
    const waiting = await guess().expect(429);
    expect(codeIn(waiting.body)).toBe('SIGN_IN_BACKOFF');
    await login(app, { email, password }).expect(429);
  });

  it('a password change stops a sign-in that started with the old password', async () => {
    for (let round = 0; round < 4; round++) {
      const { email, me } = await signedIn();
      const [late] = await Promise.all([
        login(app, { email, password }),
        me.post('/auth/password', { current: password, next: NEXT }).expect(200),
      ]);
      if (late.status === 200) {
        await as(app, tokenOf(late)).get('/auth/me').expect(401);
        await refresh(cookiesOf(late)).expect(401);
      } else expect(late.status).toBe(401);
    }
  });

  it('a password change is refused for an account without a password', async () => {
    const { id, me } = await signedIn();
    await sql(app, 'UPDATE admin SET password_hash = NULL WHERE id = $1', [id]);
    const { body } = await me.post('/auth/password', { current: 'x', next: NEXT }).expect(409);
    expect(codeIn(body)).toBe('PASSWORD_NOT_SET');
  });
});

describe('the own sessions', () => {
  it('the list of sessions shows address, client and the current session', async () => {
    const { email, me } = await signedIn();
    const phone = await supertest(app.url)
      .post('/auth/login')
      .set(
        'User-Agent',
        'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile/15E148 Safari/604.1',
      )
      .send({ email, password })
      .expect(200);
    await refresh(cookiesOf(phone)).set('User-Agent', 'curl/8.5.0').expect(200);
    const { body } = await me.get('/auth/sessions').expect(200);
    const { data } = body as { data: Record<string, unknown>[] };
    expect(data.map(({ current, client }) => ({ current, client }))).toEqual([
      { current: false, client: 'curl' },
      { current: true, client: null },
    ]);
    expect(data[0]).toEqual({
      id: expect.any(String),
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      address: '127.0.0.1',
      client: 'curl',
      current: false,
    });
    expect(Date.parse(String(data[0]?.lastUsedAt))).toBeGreaterThan(Date.parse(String(data[0]?.createdAt)));
  });

  it('an account ends its own sessions one by one, but no session of another account', async () => {
    const mine = await signedIn();
    const sure = await confirmed(app, mine.token);
    const other = await signedIn(mine.email);
    const stranger = await signedIn();
    const idOf = async ({ me }: typeof mine) =>
      ((await me.get('/auth/me').expect(200)).body as { sessionId: string }).sessionId;
    for (const id of [await idOf(stranger), newId(), 'x'])
      expect(codeIn((await sure.delete(`/auth/sessions/${id}`).expect(404)).body)).toBe('SESSION_NOT_FOUND');
    await stranger.me.get('/auth/me').expect(200);
    const id = await idOf(other);
    const { body } = await sure.delete(`/auth/sessions/${id}`).expect(200);
    expect(body).toEqual({ id, deleted: true });
    await other.me.get('/auth/me').expect(401);
    await refresh(other.cookie).expect(401);
    await sure.delete(`/auth/sessions/${id}`).expect(404);
    await sure.delete(`/auth/sessions/${await idOf(mine)}`).expect(200);
    await mine.me.get('/auth/me').expect(401);
  });

  it('an account signs out everywhere else and continues with the token of the answer, with an audit entry', async () => {
    const mine = await signedIn();
    const sure = await confirmed(app, mine.token);
    const [other, stranger] = [await signedIn(mine.email), await signedIn()];
    await mine.me.delete('/auth/sessions').expect(403);
    const { body } = await sure.delete('/auth/sessions').expect(200);
    const now = as(app, (body as { accessToken: string }).accessToken);
    expect(((await now.get('/auth/sessions').expect(200)).body as { data: unknown[] }).data).toHaveLength(1);
    await other.me.get('/auth/me').expect(401);
    await refresh(other.cookie).expect(401);
    await refresh(mine.cookie).expect(200);
    await stranger.me.get('/auth/me').expect(200);
    const [entry] = await sql(
      app,
      "SELECT subject_id, actor_id FROM audit_entry WHERE action = 'session.end_others'",
    );
    expect(entry).toMatchObject({ actor_id: expect.any(String) });
  });

  it('the list of sessions does not contain sessions that were signed out', async () => {
    const mine = await signedIn();
    const other = await signedIn(mine.email);
    await other.me.post('/auth/logout').expect(200);
    const { data } = (await mine.me.get('/auth/sessions').expect(200)).body as { data: unknown[] };
    expect(data).toHaveLength(1);
  });
});

describe('GET /auth/methods', () => {
  it('everyone can read the sign-in methods of this service', async () => {
    const { body } = await app.http.get('/auth/methods').expect(200);
    expect(body).toEqual({ password: true, passwordReset: false, idp: null });
  });
});

describe('an account without the required second factor', () => {
  it('an account without the required second factor may only set one up', async () => {
    const boss = await confirmed(app, (await withSecondFactor(app)).token);
    const { email } = await createAdmin(app);
    await boss.patch('/settings/global', { auth: { requireSecondFactor: true } }).expect(200);
    try {
      const me = as(app, tokenOf(await login(app, { email, password }).expect(200)));
      for (const path of ['/donations', '/events', '/staff']) {
        const { body } = await me.get(path).expect(403);
        expect(codeIn(body)).toBe('SECOND_FACTOR_SETUP_REQUIRED');
      }
      await me.get('/auth/me').expect(200);
    } finally {
      await boss.patch('/settings/global', { auth: { requireSecondFactor: false } }).expect(200);
    }
  });
});
