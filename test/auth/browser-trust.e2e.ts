import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/server/load-config.js';
import { originAllowed } from '../../src/common/http/origins.js';
import { startApp, TEST_SECRETS } from '../support/app.js';
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

const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://donations@127.0.0.1/donations',
  ...TEST_SECRETS,
};
const IDP = {
  IDP_CLIENT_ID: 'client',
  IDP_CLIENT_SECRET: 'secret',
  IDP_CALLBACK_URL: 'https://give.example.org/auth/idp/callback',
};

describe('cookies of a service behind https', () => {
  const app = withService(() => startApp({ PUBLIC_URL: 'https://give.example.org' }));
  const setCookies = (response: { headers: Record<string, unknown> }) =>
    response.headers['set-cookie'] as string[];

  it('cookies have the __Secure- prefix, so that a page on plain http cannot set them', async () => {
    const { email } = await createAdmin(app);
    const admin = await app.http.post('/auth/login').send({ email, password: ADMIN_PASSWORD });
    const names = setCookies(admin).map((cookie) => cookie.split('=', 1)[0]);
    expect(names).toEqual(['__Secure-refresh_token', '__Secure-admin_device']);
    for (const cookie of setCookies(admin)) expect(cookie).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
    await app.http.post('/auth/refresh').set('Cookie', cookiesOf(admin)).expect(200);
    const planted = cookiesOf(admin).replaceAll('__Secure-', '');
    await app.http.post('/auth/refresh').set('Cookie', planted).expect(401);

    const token = await adminToken(app);
    const event = await createEvent(app, token);
    const { code } = await createStaff(app, token, event.id);
    const staff = await app.http.post('/auth/staff/login').send({ code, eventId: event.id });
    expect(setCookies(staff)[0]).toMatch(/^__Secure-terminal=/);
  });
});

describe('a refresh token that is sent fifteen times at once', () => {
  const app = withService();

  it('fifteen simultaneous requests with one refresh token get the same next token', async () => {
    const { id, email } = await createAdmin(app);
    const signedIn = await app.http.post('/auth/login').send({ email, password: ADMIN_PASSWORD });
    const cookie = cookiesOf(signedIn);
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => app.http.post('/auth/refresh').set('Cookie', cookie)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 200));
    expect(new Set(answers.map(cookiesOf)).size).toBe(1);
    expect(await sql(app, 'SELECT 1 FROM refresh_token WHERE admin_id = $1', [id])).toHaveLength(2);
  });
});

describe('configuration in production', () => {
  it('a page on localhost is not a trusted origin in production, even without PUBLIC_URL', () => {
    const unset = loadConfig(PRODUCTION);
    expect(originAllowed(unset, 'http://localhost:3000')).toBe(false);
    expect(unset.warnings.join()).toContain('PUBLIC_URL');
    const set = loadConfig({ ...PRODUCTION, PUBLIC_URL: 'https://give.example.org' });
    expect(originAllowed(set, 'https://give.example.org')).toBe(true);
    expect(originAllowed(set, 'http://localhost:3000')).toBe(false);
    expect(
      originAllowed(loadConfig({ ...PRODUCTION, NODE_ENV: 'development' }), 'http://localhost:3000'),
    ).toBe(true);
  });

  it('the address of an identity provider must be https in production', () => {
    expect(() => loadConfig({ ...PRODUCTION, ...IDP, IDP_ISSUER: 'http://idp.example.org' })).toThrow(
      /IDP_ISSUER must be an https address/,
    );
    expect(
      loadConfig({ ...PRODUCTION, ...IDP, IDP_ISSUER: 'https://idp.example.org' }).idp?.issuer.href,
    ).toBe('https://idp.example.org/');
    expect(() =>
      loadConfig({ ...PRODUCTION, ...IDP, NODE_ENV: 'development', IDP_ISSUER: 'http://127.0.0.1:9000' }),
    ).not.toThrow();
  });
});
