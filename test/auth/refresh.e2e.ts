import { describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import {
  ADMIN_PASSWORD,
  adminToken,
  cookiesOf,
  createAdmin,
  createEvent,
  createStaff,
  sql,
} from '../support/fixtures.js';
import { withService } from '../support/setup.js';

const app = withService(() => startApp({ CORS_ORIGINS: 'https://dashboard.example.org' }));

async function signIn() {
  const { id, email } = await createAdmin(app);
  const response = await app.http.post('/auth/login').send({ email, password: ADMIN_PASSWORD }).expect(200);
  return { id, email, response, cookie: cookiesOf(response), token: accessToken(response) };
}
const accessToken = (response: Response) => (response.body as { accessToken: string }).accessToken;
const refresh = (cookie: string) => app.http.post('/auth/refresh').set('Cookie', cookie);
const staffList = (token: string) => as(app, token).get('/staff');
/** Two tabs may renew at the same time, so an old token stays valid for a short grace period. Ends this period. */
const letGracePass = (adminId: string) =>
  sql(app, "UPDATE refresh_token SET used_at = used_at - interval '11 seconds' WHERE admin_id = $1", [
    adminId,
  ]);

describe('the refresh token of an admin', () => {
  it('the refresh cookie is HttpOnly, SameSite=Strict and limited to /auth', async () => {
    const { response } = await signIn();
    expect(response.headers['set-cookie']?.[0]).toMatch(
      /^refresh_token=[\w-]{43}; Path=\/auth; Expires=.*; HttpOnly; SameSite=Strict$/,
    );
  });

  it('the refresh cookie is Secure if the service is reached by https', async () => {
    const secure = await startApp({ PUBLIC_URL: 'https://give.example.org' }, {}, app.databaseUrl);
    const { email } = await createAdmin(app);
    const response = await secure.http.post('/auth/login').send({ email, password: ADMIN_PASSWORD });
    await secure.close();
    expect(response.headers['set-cookie']?.[0]).toMatch(/Path=\/auth; .*HttpOnly; Secure; SameSite=Strict$/);
  });

  it('the database stores only a hash of the refresh token', async () => {
    const { id, cookie } = await signIn();
    const rows = await sql<{ row: string }>(
      app,
      'SELECT t::text AS row FROM refresh_token t WHERE admin_id = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(cookie.slice('refresh_token='.length));
  });

  it('staff get no refresh token', async () => {
    const admin = await adminToken(app);
    const event = await createEvent(app, admin);
    const { code } = await createStaff(app, admin, event.id);
    const response = await app.http.post('/auth/staff/login').send({ code, eventId: event.id }).expect(200);
    expect(cookiesOf(response)).not.toContain('refresh_token');
  });
});

describe('POST /auth/refresh', () => {
  it('a renewal returns a new access token and the next refresh cookie', async () => {
    const { id, email, cookie } = await signIn();
    const response = await refresh(cookie).expect(200);
    expect(response.body).toEqual({ accessToken: expect.any(String), user: { id, email, role: 'ADMIN' } });
    expect(cookiesOf(response)).not.toBe(cookie);
    await staffList(accessToken(response)).expect(200);
    await refresh(cookiesOf(response)).expect(200);
  });

  it('a renewal answers 401 without a refresh cookie or with an unknown one', async () => {
    await app.http.post('/auth/refresh').expect(401);
    const { body } = await refresh(`refresh_token=${'x'.repeat(43)}`).expect(401);
    expect(body).toMatchObject({ error: 'Unauthorized', code: 'SESSION_ENDED' });
  });

  it('a refresh token that is used twice ends the whole sign-in, because it may be stolen', async () => {
    const { id, cookie } = await signIn();
    const renewed = await refresh(cookie).expect(200);
    await letGracePass(id);
    const reused = await refresh(cookie).expect(401);
    expect(reused.headers['set-cookie']?.[0]).toMatch(/^refresh_token=;/);
    await refresh(cookiesOf(renewed)).expect(401);
    await staffList(accessToken(renewed)).expect(401);
    const audit = await sql(
      app,
      "SELECT 1 FROM audit_entry WHERE action = 'session.token_reused' AND subject_id = $1",
      [id],
    );
    expect(audit).toHaveLength(1);
  });

  it('a stolen refresh token does not end other sign-ins of the same admin', async () => {
    const first = await signIn();
    const second = await app.http
      .post('/auth/login')
      .send({ email: first.email, password: ADMIN_PASSWORD })
      .expect(200);
    await refresh(first.cookie).expect(200);
    await letGracePass(first.id);
    await refresh(first.cookie).expect(401);
    await refresh(cookiesOf(second)).expect(200);
    await staffList(accessToken(second)).expect(200);
  });

  it('two tabs that renew the session at the same time both succeed', async () => {
    const { cookie } = await signIn();
    const answers = await Promise.all([refresh(cookie), refresh(cookie), refresh(cookie)]);
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      await refresh(cookiesOf(answer)).expect(200);
    }
  });

  it('a renewal answers 401 after the refresh token has expired', async () => {
    const { id, cookie } = await signIn();
    await sql(app, "UPDATE refresh_token SET expires_at = now() - interval '1 second' WHERE admin_id = $1", [
      id,
    ]);
    await refresh(cookie).expect(401);
  });

  it('a renewal refuses pages of other origins and accepts pages of listed origins', async () => {
    const { cookie } = await signIn();
    await refresh(cookie).set('Origin', 'https://evil.example.net').expect(403);
    await refresh(cookie).set('Origin', 'https://dashboard.example.org').expect(200);
  });
});

describe('POST /auth/logout', () => {
  const logout = () => app.http.post('/auth/logout');

  it('signing out ends the access token and the refresh token of this sign-in', async () => {
    const { cookie, token } = await signIn();
    const response = await logout().auth(token, { type: 'bearer' }).set('Cookie', cookie).expect(200);
    expect(response.body).toEqual({ signedOut: true });
    expect(response.headers['set-cookie']?.[0]).toMatch(
      /^refresh_token=; Path=\/auth; Expires=Thu, 01 Jan 1970/,
    );
    await refresh(cookie).expect(401);
    await staffList(token).expect(401);
  });

  it('signing out ends the refresh token even if only the access token is sent', async () => {
    const { cookie, token } = await signIn();
    await logout().auth(token, { type: 'bearer' }).expect(200);
    await refresh(cookie).expect(401);
  });

  it('the refresh cookie alone is enough to sign out after the access token has expired', async () => {
    const { cookie, token } = await signIn();
    await logout().set('Cookie', cookie).expect(200);
    await staffList(token).expect(401);
  });

  it('a staff member who signs out does not sign out the admin in the same browser', async () => {
    const { cookie, token } = await signIn();
    const event = await createEvent(app, token);
    const member = await createStaff(app, token, event.id);
    await logout().auth(member.token, { type: 'bearer' }).set('Cookie', cookie).expect(200);
    await refresh(cookie).expect(200);
  });

  it('signing out answers 401 without any token', async () => {
    await logout().expect(401);
  });

  it('signing out during a renewal leaves no valid token', async () => {
    for (let round = 0; round < 10; round++) {
      const { cookie, token } = await signIn();
      const [renewed] = await Promise.all([
        refresh(cookie),
        logout().auth(token, { type: 'bearer' }).set('Cookie', cookie).expect(200),
      ]);
      if (renewed.status === 200) await refresh(cookiesOf(renewed)).expect(401);
    }
  });
});
