import { describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { AccessTokens } from '../../src/auth/tokens.js';
import { startApp } from '../support/app.js';
import { as, type Caller, confirmed } from '../support/bearer.js';
import { ADMIN_PASSWORD, cookiesOf, createAdmin, sql } from '../support/fixtures.js';
import { startIdentityProvider } from '../support/identity-provider.js';
import { CALLBACK, idpEnvironment, signInByProvider } from '../support/idp-sign-in.js';
import { codeOf, login, tokenOf, withSecondFactor } from '../support/second-factor.js';
import { withOpened, withService } from '../support/setup.js';

const password = ADMIN_PASSWORD;
const codeIn = ({ body }: { body: unknown }) => (body as { code?: string }).code;

const provider = withOpened(() => startIdentityProvider(CALLBACK));
const app = withService(() => startApp(idpEnvironment(provider)));

async function signedIn(email?: string) {
  const account = email === undefined ? await createAdmin(app) : { id: '', email };
  const session = await login(app, { email: account.email, password }).expect(200);
  return { ...account, token: tokenOf(session), me: as(app, tokenOf(session)) };
}
const accounts = () =>
  sql(
    app,
    `SELECT id, role, name, password_hash, totp_sealed, idp_subject, disabled_at, session_version FROM admin ORDER BY id`,
  );
const settings = async () => (await app.http.get('/settings/global').expect(200)).body as unknown;

interface Operation {
  readonly tags: readonly string[];
  readonly parameters?: readonly { name: string; in: string }[];
}

describe('a session without a confirmation', () => {
  it.each<[string, (me: Caller, other: string) => supertest.Test]>([
    ['set up a second factor', (me) => me.post('/auth/totp')],
    ['confirm a second factor', (me) => me.post('/auth/totp/confirm', { code: '123456' })],
    ['switch off the second factor', (me) => me.post('/auth/totp/disable', {})],
    ['end another sign-in', (me) => me.delete(`/auth/sessions/${newId()}`)],
    ['invite a user', (me) => me.post('/users', { email: 'thief@example.org', role: 'ADMIN' })],
    ['create a password link', (me, other) => me.post(`/users/${other}/invite`)],
    ['change a role', (me, other) => me.patch(`/users/${other}`, { role: 'ACCOUNTANT' })],
    ['disable a user', (me, other) => me.patch(`/users/${other}`, { disabled: true })],
    ['remove a user', (me, other) => me.delete(`/users/${other}`)],
    ['end the sign-ins of another user', (me, other) => me.delete(`/users/${other}/sessions`)],
    ['unlink an identity', (me, other) => me.delete(`/users/${other}/identity`)],
    ['reset the second factor of another user', (me, other) => me.delete(`/users/${other}/second-factor`)],
    ['disable password sign-in', (me) => me.patch('/settings/global', { auth: { passwordSignIn: false } })],
    [
      'switch off the required second factor',
      (me) => me.patch('/settings/global', { organization: 'Thief', auth: { requireSecondFactor: true } }),
    ],
    [
      'limit staff to enrolled terminals',
      (me) => me.patch('/settings/global', { auth: { enrolledTerminalsOnly: true } }),
    ],
  ])('a session without a confirmation cannot %s', async (_, change) => {
    const [thief, other] = [await signedIn(), await withSecondFactor(app)];
    const before = [await accounts(), await settings()];
    expect(codeIn(await change(thief.me, other.id).expect(403))).toBe('IDENTITY_NOT_CONFIRMED');
    expect([await accounts(), await settings()]).toEqual(before);
  });

  it('a session without a confirmation cannot switch off the required second factor or reset that setting', async () => {
    const { token } = await withSecondFactor(app);
    const me = await confirmed(app, token);
    await me.patch('/settings/global', { auth: { requireSecondFactor: true } }).expect(200);
    try {
      for (const auth of [{ requireSecondFactor: false }, { requireSecondFactor: null }, null])
        expect(codeIn(await as(app, token).patch('/settings/global', { auth }).expect(403))).toBe(
          'IDENTITY_NOT_CONFIRMED',
        );
    } finally {
      await me.patch('/settings/global', { auth: { requireSecondFactor: false } }).expect(200);
    }
  });

  it('a session without a confirmation changes all other settings and may send unchanged sign-in settings', async () => {
    const { me } = await signedIn();
    const { auth } = (await settings()) as { auth: object };
    await me.patch('/settings/global', { organization: 'Haus am See', auth }).expect(200);
    await me.patch('/settings/global', { auth: null, organization: null }).expect(200);
  });

  it('a recovery code or app code does not replace the password when an admin switches off the second factor', async () => {
    const { id, token, secret, recoveryCodes } = await withSecondFactor(app);
    const me = as(app, token);
    for (const totp of [recoveryCodes[0], codeOf(secret)]) {
      await me.post('/auth/totp/disable', { totp }).expect(400);
      await me
        .post('/auth/totp/disable', {})
        .set('X-Confirmation', totp ?? '')
        .expect(403);
    }
    const [row] = await sql<{ on: boolean }>(
      app,
      'SELECT totp_confirmed_at IS NOT NULL AS on FROM admin WHERE id = $1',
      [id],
    );
    expect(row).toEqual({ on: true });
  });

  it('every route that changes accounts or users needs a confirmation, as the API description says', async () => {
    const { body } = await app.http.get('/docs/openapi.json').expect(200);
    const { paths } = body as { paths: Record<string, Record<string, Operation>> };
    const open = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(
          ([method, { tags }]) => method !== 'get' && tags.some((one) => /^(Own account|Users)$/.test(one)),
        )
        .filter(([, { parameters = [] }]) => !parameters.some(({ name }) => name === 'X-Confirmation'))
        .map(([method]) => `${method} ${path}`),
    );
    // These routes ask for the password in their bodies.
    expect(open.sort()).toEqual(['post /auth/confirm', 'post /auth/password', 'post /auth/totp/disable']);
  });
});

describe('confirmation by password', () => {
  it('a confirmation allows changes only for its own account and its own sign-in', async () => {
    const [mine, other] = [await signedIn(), await signedIn()];
    const { body } = await mine.me.post('/auth/confirm', { password }).expect(200);
    const { confirmation, expiresAt } = body as { confirmation: string; expiresAt: string };
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(590_000);
    const begin = (token: string) => as(app, token, { 'X-Confirmation': confirmation }).post('/auth/totp');
    await begin(mine.token).expect(200);
    await begin(other.token).expect(403);
    await begin((await signedIn(mine.email)).token).expect(403);
    // A confirmation is not an access token, and an access token is not a confirmation.
    await as(app, confirmation).get('/auth/me').expect(401);
    await as(app, mine.token, { 'X-Confirmation': mine.token }).post('/auth/totp').expect(403);
  });

  it('a confirmation expires after ten minutes', async () => {
    const { id, token, me } = await signedIn();
    const { sessionId } = (await me.get('/auth/me').expect(200)).body as { sessionId: string };
    const tokens = app.app.get(AccessTokens, { strict: false });
    const of = (seconds: number) => tokens.signFor('confirmation', { sub: id, sid: sessionId }, seconds);
    await as(app, token, { 'X-Confirmation': of(-1) })
      .post('/auth/totp')
      .expect(403);
    await as(app, token, { 'X-Confirmation': of(5) })
      .post('/auth/totp')
      .expect(200);
  });

  it('a wrong password gets no confirmation, and guesses are delayed like guesses at the sign-in', async () => {
    const { email, me } = await signedIn();
    for (let guess = 0; guess < 5; guess++)
      expect(codeIn(await me.post('/auth/confirm', { password: 'wrong' }).expect(403))).toBe(
        'PASSWORD_WRONG',
      );
    await me.post('/auth/confirm', { password }).expect(429);
    await login(app, { email, password }).expect(429);
  });
});

describe('confirmation at the identity provider', () => {
  async function person() {
    const admin = await createAdmin(app);
    await sql(app, 'UPDATE admin SET password_hash = NULL WHERE id = $1', [admin.id]);
    await provider.become({ sub: newId(), email: admin.email, email_verified: true });
    return admin;
  }
  const begin = (token: string) => as(app, token).post('/auth/totp');

  it('a fresh sign-in at the identity provider confirms changes for ten minutes, also after a renewal', async () => {
    const { id } = await person();
    const session = await signInByProvider(app, provider, '/auth/idp/again');
    await begin(tokenOf(session)).expect(200);
    const renewed = await supertest(app.url)
      .post('/auth/refresh')
      .set('Cookie', cookiesOf(session))
      .expect(200);
    await begin(tokenOf(renewed)).expect(200);
    await sql(
      app,
      "UPDATE refresh_token SET idp_confirmed_at = idp_confirmed_at - interval '10 minutes' WHERE admin_id = $1",
      [id],
    );
    expect(codeIn(await begin(tokenOf(renewed)).expect(403))).toBe('IDENTITY_NOT_CONFIRMED');
  });

  it('a sign-in that the identity provider may have answered without the person confirms nothing', async () => {
    await person();
    const session = await signInByProvider(app, provider);
    expect(codeIn(await begin(tokenOf(session)).expect(403))).toBe('IDENTITY_NOT_CONFIRMED');
    const { body } = await as(app, tokenOf(session)).post('/auth/confirm', { password }).expect(409);
    expect((body as { code: string }).code).toBe('PASSWORD_NOT_SET');
  });

  it('a confirmation at the identity provider is requested with prompt and max_age', async () => {
    const { headers } = await app.http.get('/auth/idp/again').expect(302);
    const { searchParams } = new URL(headers.location ?? '');
    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '0']);
    const plain = await app.http.get('/auth/idp').expect(302);
    expect(plain.headers.location).not.toMatch(/prompt|max_age/);
  });
});

describe('confirmation when password sign-in is disabled', () => {
  it('a password confirms nothing when password sign-in is disabled', async () => {
    const boss = await createAdmin(app);
    await provider.become({ sub: newId(), email: boss.email, email_verified: true });
    const me = as(app, tokenOf(await signInByProvider(app, provider, '/auth/idp/again')));
    await me.patch('/settings/global', { auth: { passwordSignIn: false } }).expect(200);
    try {
      expect(codeIn(await me.post('/auth/confirm', { password }).expect(403))).toBe('PASSWORD_SIGN_IN_OFF');
    } finally {
      await me.patch('/settings/global', { auth: { passwordSignIn: null } }).expect(200);
    }
  });
});
