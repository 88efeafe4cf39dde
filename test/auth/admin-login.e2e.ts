import { describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { seedAdmin } from '../../src/operator/admin-seed.js';
import { PasswordHashes } from '../../src/auth/passwords.js';
import { as } from '../support/bearer.js';
import { ADMIN_PASSWORD, cookiesOf, createAdmin, sql } from '../support/fixtures.js';
import { withService } from '../support/setup.js';

const app = withService();
const login = (body: object) => app.http.post('/auth/login').send(body);

describe('POST /auth/login', () => {
  it('an admin sign-in returns an access token and the admin user object', async () => {
    const { id, email } = await createAdmin(app);
    const { body } = await login({ email, password: ADMIN_PASSWORD }).expect(200);
    expect(body).toEqual({
      accessToken: expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/),
      user: { id, email, role: 'ADMIN' },
    });
  });

  it('the sign-in ignores upper and lower case in the e-mail address', async () => {
    const { email } = await createAdmin(app);
    await login({ email: ` ${email.toUpperCase()} `, password: ADMIN_PASSWORD }).expect(200);
  });

  it('the sign-in returns the same 401 for a wrong password and for an unknown e-mail address', async () => {
    const { email } = await createAdmin(app);
    const wrong = await login({ email, password: 'not the password' }).expect(401);
    const unknown = await login({ email: 'nobody@example.org', password: 'not the password' }).expect(401);
    expect(wrong.body).toEqual({
      statusCode: 401,
      message: 'Wrong e-mail or password',
      error: 'Unauthorized',
      code: 'WRONG_CREDENTIALS',
    });
    expect(unknown.body).toEqual(wrong.body);
  });

  it('the sign-in hashes the password for an unknown e-mail address too, so that both answers take equally long', async () => {
    const matches = jest.spyOn(app.app.get(PasswordHashes), 'matches');
    await login({ email: 'nobody-either@example.org', password: 'not the password' }).expect(401);
    expect(matches).toHaveBeenCalledWith('not the password', undefined, 'strangers');
    matches.mockRestore();
  });

  it.each([
    ['no password', { email: 'a@example.org' }, 'password must be a non-empty string'],
    ['no e-mail', { password: 'x' }, 'email must be a string'],
    ['a number as password', { email: 'a@example.org', password: 1 }, 'password must be a non-empty string'],
    ['an object as e-mail', { email: { not: '' }, password: 'x' }, 'email must be a string'],
    ['an unknown field', { email: 'a@example.org', password: 'x', admin: true }, 'admin is not a known'],
    [
      'a password that bcrypt would truncate',
      { email: 'a@example.org', password: 'ü'.repeat(37) },
      'at most 72 bytes',
    ],
  ])('the admin sign-in answers 400 to %s', async (_, body, message) => {
    const response = await login(body).expect(400);
    expect(response.body).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    expect((response.body as { message: string }).message).toContain(message);
  });

  it('five failed sign-ins delay only the same account at the same address', async () => {
    const { email } = await createAdmin(app);
    const other = await createAdmin(app);
    for (let failure = 1; failure <= 5; failure++) await login({ email, password: 'wrong' }).expect(401);
    const response = await login({ email, password: ADMIN_PASSWORD }).expect(429);
    expect(response.body).toMatchObject({
      statusCode: 429,
      error: 'Too Many Requests',
      code: 'SIGN_IN_BACKOFF',
    });
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    await login({ email: other.email, password: ADMIN_PASSWORD }).expect(200);
  });

  it('failed sign-ins that arrive at the same time are all counted', async () => {
    const { email } = await createAdmin(app);
    const answers = await Promise.all(Array.from({ length: 20 }, () => login({ email, password: 'wrong' })));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  it('a successful sign-in resets the count of failed ones', async () => {
    const { email } = await createAdmin(app);
    for (let round = 1; round <= 3; round++) {
      for (let failure = 1; failure <= 4; failure++) await login({ email, password: 'wrong' }).expect(401);
      await login({ email, password: ADMIN_PASSWORD }).expect(200);
    }
  });
});

describe('admin:seed', () => {
  const NOTHING_UNUSUAL = { enabled: false, secondFactorReset: false, passwordsOn: false };
  const email = 'Operator@Example.org';

  it('admin:seed creates an admin with a generated password and stores a bcrypt hash of cost 12', async () => {
    const seeded = await seedAdmin({ databaseUrl: app.databaseUrl, email });
    expect(seeded).toEqual({
      email: 'operator@example.org',
      password: expect.any(String),
      created: true,
      ...NOTHING_UNUSUAL,
    });
    await login({ email, password: seeded.password }).expect(200);
    const [row] = await sql<{ password_hash: string }>(
      app,
      "SELECT password_hash FROM admin WHERE email = 'operator@example.org'",
    );
    expect(bcrypt.getRounds(row?.password_hash ?? '')).toBe(12);
  });

  it('admin:seed gives an existing admin a new password and ends all sessions', async () => {
    const first = await seedAdmin({ databaseUrl: app.databaseUrl, email: 'again@example.org' });
    const signedIn = await login({ email: first.email, password: first.password }).expect(200);
    const { accessToken } = signedIn.body as { accessToken: string };
    const password = 'a much better password';
    const second = await seedAdmin({ databaseUrl: app.databaseUrl, email: first.email, password });
    expect(second).toEqual({ email: first.email, password, created: false, ...NOTHING_UNUSUAL });
    await login({ email: first.email, password: first.password }).expect(401);
    await login({ email: first.email, password }).expect(200);
    await as(app, accessToken).get('/staff').expect(401);
    await app.http.post('/auth/refresh').set('Cookie', cookiesOf(signedIn)).expect(401);
  });

  it.each([
    ['too short', 'short'],
    ['longer than 72 bytes', 'x'.repeat(73)],
  ])('admin:seed refuses a password that is %s', async (_, password) => {
    await expect(seedAdmin({ databaseUrl: app.databaseUrl, email, password })).rejects.toThrow(RangeError);
  });

  it('admin:seed refuses an invalid e-mail address', async () => {
    await expect(seedAdmin({ databaseUrl: app.databaseUrl, email: 'admin' })).rejects.toThrow('e-mail');
  });
});
