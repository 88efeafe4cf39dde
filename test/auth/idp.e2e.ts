import { describe, expect, it } from '@jest/globals';
import supertest, { type Response } from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { removeAdmin } from '../../src/operator/admin-remove.js';
import { seedAdmin } from '../../src/operator/admin-seed.js';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { createTestDatabase } from '../support/database.js';
import { cookiesOf, createAdmin, sql } from '../support/fixtures.js';
import { CLIENT, startIdentityProvider } from '../support/identity-provider.js';
import { CALLBACK, idpEnvironment } from '../support/idp-sign-in.js';
import { withOpened, withService } from '../support/setup.js';

const SUCCESS = 'https://dashboard.example.org/signed-in?from=idp';

const database = withOpened(() => createTestDatabase());
const provider = withOpened(() => startIdentityProvider(CALLBACK));
const start = (more: NodeJS.ProcessEnv = {}) =>
  startApp({ ...idpEnvironment(provider), ...more }, {}, database.url);
/** A service without dashboard pages: the callback returns the session as its answer. */
const app = withService(start);
/** A service with a dashboard: the callback redirects the browser to the dashboard. */
const withDashboard = withService(() => start({ IDP_SUCCESS_URL: SUCCESS }));

/** Follows all redirects of the browser: to the identity provider, through its pages, and back to the service. */
async function signIn(
  service = app,
  change: (back: URL, cookie: string) => string = (_, cookie) => cookie,
): Promise<Response> {
  const started = await service.http.get('/auth/idp').expect(302);
  const back = await provider.visit(started.headers.location ?? '');
  const cookie = change(back, cookiesOf(started));
  return await service.http.get(`/auth/idp/callback${back.search}`).set('Cookie', cookie);
}
const newPerson = async () => {
  const admin = await createAdmin(app);
  const account = { sub: newId(), email: admin.email, email_verified: true };
  await provider.become(account);
  return { admin, account };
};
const codeOf = (response: Response) => (response.body as { code?: string }).code;

describe('GET /auth/idp', () => {
  it('a sign-in redirects the browser to the identity provider with state, PKCE and a nonce', async () => {
    const response = await app.http.get('/auth/idp').expect(302);
    const target = new URL(response.headers.location ?? '');
    expect(target.origin).toBe(provider.issuer);
    expect(Object.fromEntries(target.searchParams)).toEqual({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: CALLBACK,
      scope: 'openid email',
      state: expect.stringMatching(/^[\w-]{32}$/),
      nonce: expect.stringMatching(/^[\w-]{32}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(response.headers['set-cookie']?.[0]).toMatch(
      /^idp_state=.*Max-Age=600; Path=\/auth\/idp; .*HttpOnly; SameSite=Lax$/,
    );
  });
});

describe('GET /auth/idp/callback', () => {
  it('signs in the admin whose verified e-mail address the provider sends', async () => {
    const { admin } = await newPerson();
    const response = await signIn();
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      accessToken: expect.any(String),
      user: { id: admin.id, email: admin.email, role: 'ADMIN' },
    });
    const { accessToken } = response.body as { accessToken: string };
    await as(app, accessToken).get('/staff').expect(200);
    await app.http.post('/auth/refresh').set('Cookie', cookiesOf(response)).expect(200);
  });

  it('links the admin to the identity; later sign-ins use the subject, not the e-mail address', async () => {
    const { admin, account } = await newPerson();
    await signIn();
    await provider.become({ ...account, email: 'moved@example.org' });
    expect((await signIn()).body).toMatchObject({ user: { id: admin.id } });
    // The provider gave the old e-mail address to another person.
    await provider.become({ ...account, sub: newId() });
    const stranger = await signIn();
    expect(stranger.status).toBe(403);
    expect(codeOf(stranger)).toBe('IDP_NO_ADMIN');
    const audit = await sql<{ detail: unknown }>(
      app,
      "SELECT detail FROM audit_entry WHERE action = 'admin.bind_identity' AND subject_id = $1",
      [admin.id],
    );
    expect(audit).toEqual([{ detail: { issuer: provider.issuer } }]);
  });

  it('an accountant who signs in at the identity provider gets the role ACCOUNTANT', async () => {
    const { id, email } = await createAdmin(app, undefined, 'ACCOUNTANT');
    await provider.become({ sub: newId(), email, email_verified: true });
    const response = await signIn();
    expect(response.body).toMatchObject({ user: { id, email, role: 'ACCOUNTANT' } });
    const { accessToken } = response.body as { accessToken: string };
    await as(app, accessToken).get('/donations').expect(200);
    await as(app, accessToken).get('/staff').expect(403);
    const audit = await sql<{ actor_kind: string }>(
      app,
      "SELECT actor_kind FROM audit_entry WHERE action = 'admin.bind_identity' AND subject_id = $1",
      [id],
    );
    expect(audit).toEqual([{ actor_kind: 'accountant' }]);
  });

  it('an unknown identity at the provider gets no account', async () => {
    await provider.become({ sub: newId(), email: 'nobody@example.org', email_verified: true });
    const response = await signIn();
    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({ statusCode: 403, error: 'Forbidden', code: 'IDP_NO_ADMIN' });
  });

  it.each([{ email_verified: false }, { email_verified: undefined }, { email: undefined }])(
    'refuses an e-mail address that the provider does not verify: %j',
    async (change) => {
      const { account } = await newPerson();
      await provider.become({ ...account, ...change });
      expect((await signIn()).status).toBe(403);
    },
  );

  it('the callback answers 403 when the person cancels at the identity provider', async () => {
    await provider.become({});
    const response = await signIn();
    expect(response.status).toBe(403);
    expect(codeOf(response)).toBe('IDP_DENIED');
  });

  it.each([
    ['?error=server_error&error_description=%3Cscript%3E', 'IDP_ERROR'],
    ['?error=x&error=y', 'IDP_ERROR'],
    ['', 'IDP_ANSWER_INCOMPLETE'],
    ['?code=a', 'IDP_ANSWER_INCOMPLETE'],
    ['?code=a&code=b&state=c', 'IDP_ANSWER_INCOMPLETE'],
    ['?code=a&state=b', 'IDP_STATE_UNKNOWN'],
  ])('the callback answers 400 to the query "%s" without repeating its text', async (query, code) => {
    const { body } = await app.http.get(`/auth/idp/callback${query}`).expect(400);
    expect(body).toMatchObject({ statusCode: 400, error: 'Bad Request', code });
    expect(JSON.stringify(body)).not.toContain('script');
  });

  it('refuses a callback for a sign-in that another browser started', async () => {
    await newPerson();
    expect(codeOf(await signIn(app, () => ''))).toBe('IDP_STATE_UNKNOWN');
    const other = await app.http.get('/auth/idp').expect(302);
    expect(codeOf(await signIn(app, () => cookiesOf(other)))).toBe('IDP_STATE_UNKNOWN');
    const forged = await signIn(app, (_, cookie) => `${cookie.slice(0, -3)}abc`);
    expect(codeOf(forged)).toBe('IDP_STATE_UNKNOWN');
  });

  it('the callback refuses a code that the identity provider does not know or that was used', async () => {
    await newPerson();
    const made = await signIn(app, (back, cookie) => {
      back.searchParams.set('code', 'made-up');
      return cookie;
    });
    expect(made.status).toBe(401);
    expect(codeOf(made)).toBe('IDP_REJECTED');
    let again: { search: string; cookie: string } | undefined;
    await signIn(app, (back, cookie) => {
      again = { search: back.search, cookie };
      return cookie;
    });
    const replayed = await app.http
      .get(`/auth/idp/callback${again?.search ?? ''}`)
      .set('Cookie', again?.cookie ?? '')
      .expect(401);
    expect(codeOf(replayed)).toBe('IDP_REJECTED');
  });

  it('the sign-in answers 503 while the identity provider is unreachable', async () => {
    const gone = await start({ IDP_ISSUER: 'http://127.0.0.1:9' });
    const response = await gone.http.get('/auth/idp').expect(503);
    await gone.close();
    expect(codeOf(response)).toBe('IDP_UNAVAILABLE');
    expect(response.headers['retry-after']).toBeDefined();
  });
});

describe('POST /auth/idp/exchange', () => {
  let cookies = '';
  const exchange = (code: unknown, browser = cookies) =>
    supertest(withDashboard.url).post('/auth/idp/exchange').set('Cookie', browser).send({ code });
  const codeFromRedirect = async () => {
    const response = await signIn(withDashboard);
    cookies = cookiesOf(response);
    expect(response.status).toBe(302);
    const target = new URL(response.headers.location ?? '');
    expect(`${target.origin}${target.pathname}`).toBe('https://dashboard.example.org/signed-in');
    expect(target.searchParams.get('from')).toBe('idp');
    return target.searchParams.get('code') ?? '';
  };

  it('exchanges the one-time code of the dashboard address for a session once', async () => {
    const { admin } = await newPerson();
    const code = await codeFromRedirect();
    const answers = await Promise.all([exchange(code), exchange(code), exchange(code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const session = answers.find(({ status }) => status === 200);
    expect(session?.body).toEqual({
      accessToken: expect.any(String),
      user: { id: admin.id, email: admin.email, role: 'ADMIN' },
    });
    expect(cookiesOf(session ?? { headers: {} })).toContain('refresh_token=');
  });

  it('accepts the one-time code only from the browser that signed in; other browsers do not use it up', async () => {
    await newPerson();
    const code = await codeFromRedirect();
    const mine = cookies;
    await newPerson();
    await codeFromRedirect();
    for (const browser of ['', cookies, 'idp_code=x', '__Secure-idp_code=x'])
      expect(codeOf(await exchange(code, browser).expect(401))).toBe('WRONG_CODE');
    await exchange(code, mine).expect(200);
  });

  it('the exchange refuses a one-time code after one minute, and an invalid code', async () => {
    await newPerson();
    const code = await codeFromRedirect();
    await sql(app, "UPDATE sign_in_code SET expires_at = now() - interval '1 second'");
    await exchange(code).expect(401);
    await exchange('nonsense').expect(401);
    await exchange(undefined).expect(400);
    await exchange(1).expect(400);
  });
});

describe('sign-in without a configured identity provider', () => {
  it('all three identity provider routes answer 404', async () => {
    const plain = await startApp({}, {}, database.url);
    const answers = [
      await plain.http.get('/auth/idp'),
      await plain.http.get('/auth/idp/callback?code=a&state=b'),
      await plain.http.post('/auth/idp/exchange').send({ code: 'x' }),
    ];
    await plain.close();
    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body).toEqual({
        statusCode: 404,
        message: 'Sign-in with an identity provider is not configured',
        error: 'Not Found',
        code: 'IDP_NOT_CONFIGURED',
      });
    }
  });
});

describe('a single-tenant issuer that sends no email_verified', () => {
  it('its e-mail addresses are accepted if the operator trusts the issuer, except when email_verified is false', async () => {
    const trusting = await start({ IDP_TRUSTED_EMAIL_ISSUER: provider.issuer });
    try {
      const { admin, account } = await newPerson();
      await provider.become({ ...account, email_verified: false });
      expect((await signIn(trusting)).status).toBe(403);
      await provider.become({ ...account, email_verified: undefined });
      expect((await signIn(trusting)).body).toMatchObject({ user: { id: admin.id } });
    } finally {
      await trusting.close();
    }
  });

  it('the trusted issuer must be the configured issuer and have a single tenant', async () => {
    const startWith = (issuer: string, trusted: string) =>
      start({ IDP_ISSUER: issuer, IDP_TRUSTED_EMAIL_ISSUER: trusted });
    const many = 'https://login.microsoftonline.com/common/v2.0';
    await expect(startWith(many, many)).rejects.toThrow('must belong to one tenant');
    await expect(startWith(provider.issuer, 'https://other.example')).rejects.toThrow(
      'must be identical to IDP_ISSUER',
    );
  });
});

describe('an account with a new owner', () => {
  it('the identity of the previous owner cannot sign in to the account', async () => {
    const { admin, account } = await newPerson();
    expect((await signIn()).status).toBe(200);
    await provider.become({ ...account, email: 'left@example.org' });
    expect((await signIn()).body).toMatchObject({ user: { id: admin.id } });
    await seedAdmin({ databaseUrl: database.url, email: admin.email });
    expect(codeOf(await signIn())).toBe('IDP_NO_ADMIN');
  });

  it('a removed account keeps no identity and no session', async () => {
    const { admin } = await newPerson();
    const response = await signIn();
    const { accessToken } = response.body as { accessToken: string };
    expect(await removeAdmin(database.url, admin.email.toUpperCase())).toBe(true);
    expect(codeOf(await signIn())).toBe('IDP_NO_ADMIN');
    await app.http.post('/auth/refresh').set('Cookie', cookiesOf(response)).expect(401);
    for (let tries = 0; tries < 100; tries++) {
      const { status } = await as(app, accessToken).get('/staff');
      if (status === 401) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await as(app, accessToken).get('/staff').expect(401);
    expect(await removeAdmin(database.url, admin.email)).toBe(false);
  });
});
