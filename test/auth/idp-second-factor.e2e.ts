import { describe, expect, it } from '@jest/globals';
import supertest, { type Response } from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { startApp } from '../support/app.js';
import { as, confirmed } from '../support/bearer.js';
import { createTestDatabase } from '../support/database.js';
import { cookiesOf, createAdmin, sql } from '../support/fixtures.js';
import { startIdentityProvider } from '../support/identity-provider.js';
import { CALLBACK, idpEnvironment, signInByProvider } from '../support/idp-sign-in.js';
import { codeOf, forgetSteps, tokenOf, withSecondFactor, wrongCodeOf } from '../support/second-factor.js';
import { withOpened, withService } from '../support/setup.js';
import { until } from '../support/until.js';

const database = withOpened(() => createTestDatabase());
const provider = withOpened(() => startIdentityProvider(CALLBACK));
const app = withService(() =>
  startApp({ ...idpEnvironment(provider), PUBLIC_URL: 'http://donate.example.org' }, {}, database.url),
);

const codeIn = (response: Response) => (response.body as { code?: string }).code;
const signIn = (service = app) => signInByProvider(service, provider);
let cookies = '';
const exchange = (body: object) =>
  supertest(app.url).post('/auth/idp/exchange').set('Cookie', cookies).send(body);

/** Creates an admin with an authenticator app who signs in at the identity provider. */
async function person(amr?: string[]) {
  const admin = await withSecondFactor(app);
  await provider.become({ sub: newId(), email: admin.email, email_verified: true, amr });
  return admin;
}
/** Returns the one-time code from the redirect to the dashboard. */
async function codeAt(response: Response): Promise<string> {
  cookies = cookiesOf(response);
  expect(response.status).toBe(302);
  const target = new URL(response.headers.location ?? '');
  expect(target.origin + target.pathname).toBe('http://donate.example.org/admin');
  return target.searchParams.get('code') ?? '';
}

describe('the second factor after a sign-in at the identity provider', () => {
  it('is asked for when the page exchanges the sign-in code for a session; the one-time code is accepted after that', async () => {
    const { id, secret } = await person();
    const code = await codeAt(await signIn());
    expect(codeIn(await exchange({ code }).expect(401))).toBe('SECOND_FACTOR_REQUIRED');
    expect(codeIn(await exchange({ code, totp: wrongCodeOf(secret) }).expect(401))).toBe(
      'SECOND_FACTOR_WRONG',
    );
    const session = await exchange({ code, totp: codeOf(secret) }).expect(200);
    await as(app, tokenOf(session)).get('/users').expect(200);
    await forgetSteps(app, id);
    expect(codeIn(await exchange({ code, totp: codeOf(secret) }).expect(401))).toBe('WRONG_CODE');
    const trail = await sql<{ action: string; detail: unknown }>(
      app,
      "SELECT action, detail FROM audit_entry WHERE subject_id = $1 AND action LIKE 'admin.sign_in%' ORDER BY id",
      [id],
    );
    expect(trail.slice(-2)).toEqual([
      { action: 'admin.sign_in_failed', detail: { method: 'second factor' } },
      { action: 'admin.sign_in', detail: { method: 'identity provider', secondFactor: true } },
    ]);
  });

  it('the one-time code of the sign-in expires after five minutes', async () => {
    const { id, secret } = await person();
    const code = await codeAt(await signIn());
    const [row] = await sql<{ seconds: number }>(
      app,
      'SELECT extract(epoch FROM expires_at - now())::int AS seconds FROM sign_in_code WHERE admin_id = $1',
      [id],
    );
    expect(row?.seconds).toBeGreaterThan(240);
    expect(row?.seconds).toBeLessThanOrEqual(300);
    await sql(app, 'UPDATE sign_in_code SET expires_at = now() WHERE admin_id = $1', [id]);
    expect(codeIn(await exchange({ code, totp: codeOf(secret) }).expect(401))).toBe('WRONG_CODE');
  });

  it('the exchange asks for no second factor if the provider reports one', async () => {
    const { id } = await person(['pwd', 'mfa']);
    expect((await signIn()).body).toMatchObject({ user: { id } });
  });

  it('a single factor at the provider does not count as a second factor', async () => {
    await person(['otp']);
    await codeAt(await signIn());
  });

  it('the exchange asks for no second factor if the operator trusts the provider to ask for it', async () => {
    const trusting = await startApp(
      { ...idpEnvironment(provider), IDP_TRUSTED_SECOND_FACTOR: 'true' },
      {},
      database.url,
    );
    try {
      const { id } = await person();
      expect((await signIn(trusting)).body).toMatchObject({ user: { id } });
    } finally {
      await trusting.close();
    }
  });
});

describe('a required second factor', () => {
  it('a second factor at the provider is sufficient, also after renewals; without one the admin may only set one up', async () => {
    const boss = await confirmed(app, (await withSecondFactor(app)).token);
    const require = (requireSecondFactor: boolean) =>
      boss.patch('/settings/global', { auth: { requireSecondFactor } }).expect(200);
    await require(true);
    try {
      const { email } = await createAdmin(app);
      const account = { sub: newId(), email, email_verified: true };
      await provider.become(account);
      const plain = await signIn();
      await until(async () => (await as(app, tokenOf(plain)).get('/users')).status === 403, 'the switch');
      expect(codeIn(await as(app, tokenOf(plain)).get('/users'))).toBe('SECOND_FACTOR_SETUP_REQUIRED');
      await provider.become({ ...account, amr: ['mfa'] });
      const strong = await signIn();
      await as(app, tokenOf(strong)).get('/users').expect(200);
      const renewed = await supertest(app.url)
        .post('/auth/refresh')
        .set('Cookie', cookiesOf(strong))
        .expect(200);
      await as(app, tokenOf(renewed)).get('/users').expect(200);
    } finally {
      await require(false);
    }
  });
});

describe('a disabled account', () => {
  it('a disabled account cannot sign in at the provider and is not linked to a new identity', async () => {
    const { id, email } = await createAdmin(app);
    await provider.become({ sub: newId(), email, email_verified: true });
    expect((await signIn()).status).toBe(200);
    await sql(app, 'UPDATE admin SET disabled_at = now() WHERE id = $1', [id]);
    const refused = await signIn();
    expect([refused.status, codeIn(refused)]).toEqual([403, 'ACCOUNT_DISABLED']);
    const other = await createAdmin(app);
    await sql(app, 'UPDATE admin SET disabled_at = now() WHERE id = $1', [other.id]);
    await provider.become({ sub: newId(), email: other.email, email_verified: true });
    expect(codeIn(await signIn())).toBe('IDP_NO_ADMIN');
  });
});
