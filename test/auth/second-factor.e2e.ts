import { beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { startApp } from '../support/app.js';
import { as, type Caller, confirmed } from '../support/bearer.js';
import { ADMIN_PASSWORD, adminToken, cookiesOf, createAdmin, createEvent, sql } from '../support/fixtures.js';
import {
  codeOf,
  forgetSteps,
  login,
  tokenOf,
  withSecondFactor,
  wrongCodeOf,
} from '../support/second-factor.js';
import { withService } from '../support/setup.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

const app = withService(() => startApp({ TRUST_PROXY: '1' }));

const password = ADMIN_PASSWORD;
const codeIn = (body: unknown) => (body as { code?: string }).code;

describe('the second factor', () => {
  it('the secret of a second factor is shown as a QR code, stored encrypted, and has no effect until it is confirmed', async () => {
    const { id, email } = await createAdmin(app);
    const me = await confirmed(app, tokenOf(await login(app, { email, password })));
    const { body } = await me.post('/auth/totp').expect(200);
    const { secret, otpauthUrl, qr } = body as Record<string, string>;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const url = new URL(otpauthUrl ?? '');
    expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual([
      'otpauth:',
      'totp',
      `/Fundraising Organization:${email}`,
    ]);
    expect(url.searchParams.get('secret')).toBe(secret);
    expect(qr).toMatch(/^<svg [^]*<\/svg>\s*$/);
    const rows = await sql<{ row: string; sealed: Buffer }>(
      app,
      'SELECT a::text AS row, totp_sealed AS sealed FROM admin a WHERE id = $1',
      [id],
    );
    expect(rows[0]?.row).not.toContain(secret);
    expect(rows[0]?.sealed.toString('latin1')).not.toContain(secret);
    await login(app, { email, password }).expect(200);
  });

  it('only the first code confirms the second factor; it returns recovery codes and ends the other sign-ins', async () => {
    const { id, email } = await createAdmin(app);
    const other = await login(app, { email, password }).expect(200);
    const mine = await login(app, { email, password }).expect(200);
    const me = await confirmed(app, tokenOf(mine));
    expect(codeIn((await me.post('/auth/totp/confirm', { code: '123456' }).expect(409)).body)).toBe(
      'SECOND_FACTOR_NOT_BEGUN',
    );
    const { secret } = (await me.post('/auth/totp').expect(200)).body as { secret: string };
    const wrong = await me.post('/auth/totp/confirm', { code: wrongCodeOf(secret) }).expect(403);
    expect(codeIn(wrong.body)).toBe('AUTHENTICATOR_CODE_WRONG');
    // Wrong codes: six UTF-16 units but fewer characters, more than six bytes, and digits of another script.
    for (const code of ['𝅘𝅥𝅯', 'éééééé', '٤٩٢٠٣٩', '']) {
      const { status } = await me.post('/auth/totp/confirm', { code });
      expect([400, 403]).toContain(status);
    }
    const { body } = await me.post('/auth/totp/confirm', { code: codeOf(secret) }).expect(200);
    const { recoveryCodes, accessToken } = body as { recoveryCodes: string[]; accessToken: string };
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^[A-Z2-9]{5}-[A-Z2-9]{5}$/);
    await as(app, tokenOf(other)).get('/auth/me').expect(401);
    await supertest(app.url).post('/auth/refresh').set('Cookie', cookiesOf(other)).expect(401);
    // The sign-in that set up the app stays valid, with the token of the answer or with the cookie.
    const account = await as(app, accessToken).get('/auth/me').expect(200);
    expect(account.body).toMatchObject({ secondFactor: { enabled: true, required: false } });
    await supertest(app.url).post('/auth/refresh').set('Cookie', cookiesOf(mine)).expect(200);
    await (await confirmed(app, accessToken)).post('/auth/totp').expect(409);
    const kept = await sql<{ row: string }>(
      app,
      'SELECT r::text AS row FROM recovery_code r WHERE admin_id = $1',
      [id],
    );
    expect(kept).toHaveLength(10);
    for (const code of recoveryCodes)
      for (const { row } of kept) expect(row).not.toContain(code.replace('-', ''));
  });

  it('the sign-in asks for the second factor only after the correct password, so a wrong password reveals nothing', async () => {
    const { email, secret } = await withSecondFactor(app);
    const asked = await login(app, { email, password }).expect(401);
    expect(asked.body).toEqual({
      statusCode: 401,
      message: expect.any(String),
      error: 'Unauthorized',
      code: 'SECOND_FACTOR_REQUIRED',
    });
    expect(asked.headers['set-cookie']).toBeUndefined();
    expect(codeIn((await login(app, { email, password: 'wrong' }).expect(401)).body)).toBe(
      'WRONG_CREDENTIALS',
    );
    const both = { email, password: 'wrong', totp: codeOf(secret) };
    expect(codeIn((await login(app, both).expect(401)).body)).toBe('WRONG_CREDENTIALS');
    await login(app, { email, password, totp: codeOf(secret) }).expect(200);
    // The service treats a blank code as a missing code, as in all fields.
    expect(codeIn((await login(app, { email, password, totp: ' ' }).expect(401)).body)).toBe(
      'SECOND_FACTOR_REQUIRED',
    );
  });

  it('a code is accepted once, and no code of an earlier step after a later one', async () => {
    const { id, email, secret } = await withSecondFactor(app);
    const [before, now] = [codeOf(secret, -1), codeOf(secret)];
    await login(app, { email, password, totp: now }).expect(200);
    expect(codeIn((await login(app, { email, password, totp: now }).expect(401)).body)).toBe(
      'SECOND_FACTOR_WRONG',
    );
    await login(app, { email, password, totp: before }).expect(401);
    await forgetSteps(app, id);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => login(app, { email, password, totp: codeOf(secret) })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  it('a code is accepted from a clock that is one step off, but not two', async () => {
    const { id, email, secret } = await withSecondFactor(app);
    // A code is valid for one time step. The step must not end between the creation of the code and its check.
    await until(() => Date.now() % 30_000 < 25_000, 'the beginning of a step', {
      timeoutMs: 40_000,
      everyMs: 200,
    });
    for (const [steps, status] of [
      [-1, 200],
      [1, 200],
      [-2, 401],
      [2, 401],
    ] as const) {
      await forgetSteps(app, id);
      expect({
        steps,
        status: (await login(app, { email, password, totp: codeOf(secret, steps) })).status,
      }).toEqual({
        steps,
        status,
      });
    }
  }, 60_000);

  it('a recovery code replaces the second factor once, in any notation, even if it is sent twice at once', async () => {
    const { id, email, recoveryCodes } = await withSecondFactor(app);
    const [first = '', second = ''] = recoveryCodes;
    await login(app, { email, password, totp: ` ${first.toLowerCase().replace('-', ' ')} ` }).expect(200);
    await login(app, { email, password, totp: first }).expect(401);
    const answers = await Promise.all([1, 2].map(() => login(app, { email, password, totp: second })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const audit = await sql(
      app,
      "SELECT detail FROM audit_entry WHERE action = 'admin.use_recovery_code' AND subject_id = $1 ORDER BY id",
      [id],
    );
    expect(audit).toEqual([{ detail: { left: 9 } }, { detail: { left: 8 } }]);
    const stranger = await withSecondFactor(app);
    await login(app, { email: stranger.email, password, totp: recoveryCodes[2] }).expect(401);
  });

  it('guesses of the second factor from many addresses are delayed after five, but not on the trusted device', async () => {
    const { id, email, secret } = await withSecondFactor(app);
    const from = (address: string, totp: string, cookie = '') =>
      supertest(app.url)
        .post('/auth/login')
        .set('X-Forwarded-For', address)
        .set('Cookie', cookie)
        .send({ email, password, totp });
    const device = cookiesOf(await from('203.0.113.1', codeOf(secret)).expect(200));
    const wrong = wrongCodeOf(secret);
    for (let guess = 0; guess < 5; guess++) await from(`198.51.100.${guess}`, wrong).expect(401);
    const waiting = await from('198.51.100.99', codeOf(secret, 1)).expect(429);
    expect(codeIn(waiting.body)).toBe('SIGN_IN_BACKOFF');
    await forgetSteps(app, id);
    await from('203.0.113.1', codeOf(secret), device).expect(200);
    const failures = await sql(
      app,
      "SELECT detail, address FROM audit_entry WHERE action = 'admin.sign_in_failed' AND subject_id = $1 ORDER BY id",
      [id],
    );
    expect(failures[0]).toEqual({ detail: { method: 'second factor' }, address: '198.51.100.0' });
    const stored = await sql<{ row: string }>(
      app,
      'SELECT a::text AS row FROM audit_entry a WHERE subject_id = $1',
      [id],
    );
    for (const { row } of stored) expect(row).not.toContain(`"${wrong}"`);
  });

  it('switching the second factor off needs the password, not only a session', async () => {
    const { email, token } = await withSecondFactor(app);
    const me = as(app, token);
    expect(codeIn((await me.post('/auth/totp/disable', {}).expect(403)).body)).toBe('IDENTITY_NOT_CONFIRMED');
    expect(codeIn((await me.post('/auth/totp/disable', { password: 'wrong' }).expect(403)).body)).toBe(
      'PASSWORD_WRONG',
    );
    const { body } = await me.post('/auth/totp/disable', { password }).expect(200);
    expect(body).toEqual({ enabled: false });
    await login(app, { email, password }).expect(200);
  });

  it('a second factor under a replaced PIN_SECRET cannot sign in, and the answer does not reveal the reason', async () => {
    const { email, secret, recoveryCodes } = await withSecondFactor(app);
    const other = await startApp(
      { PIN_SECRET: 'pin-another-secret-of-at-least-32-bytes' },
      {},
      app.databaseUrl,
    );
    try {
      for (const totp of [codeOf(secret), recoveryCodes[0]])
        expect(codeIn((await login(other, { email, password, totp }).expect(401)).body)).toBe(
          'SECOND_FACTOR_WRONG',
        );
    } finally {
      await other.close();
    }
  });

  it('a second factor that was encrypted for another account cannot sign in', async () => {
    const [mine, theirs] = [await withSecondFactor(app), await withSecondFactor(app)];
    await sql(
      app,
      'UPDATE admin SET totp_sealed = (SELECT totp_sealed FROM admin WHERE id = $1) WHERE id = $2',
      [mine.id, theirs.id],
    );
    await login(app, { email: theirs.email, password, totp: codeOf(mine.secret) }).expect(401);
  });
});

describe('a required second factor', () => {
  let boss: Awaited<ReturnType<typeof withSecondFactor>>;
  let confirmedBoss: Caller;
  const require = (requireSecondFactor: boolean) =>
    confirmedBoss.patch('/settings/global', { auth: { requireSecondFactor } }).expect(200);

  beforeAll(async () => {
    boss = await withSecondFactor(app);
    confirmedBoss = await confirmed(app, boss.token);
  });

  it.each(['ADMIN', 'ACCOUNTANT'])(
    'when a second factor is required, an %s without one may only set one up',
    async (role) => {
      const { email } = await createAdmin(app, undefined, role);
      const early = await login(app, { email, password }).expect(200);
      const me = as(app, tokenOf(early));
      await me.get('/donations').expect(200);
      await require(true);
      try {
        await until(async () => (await me.get('/donations')).status === 403, 'the switch', { everyMs: 100 });
        const late = as(app, tokenOf(await login(app, { email, password }).expect(200)));
        for (const one of [me, late]) {
          const refused = await one.get('/donations').expect(403);
          expect(codeIn(refused.body)).toBe('SECOND_FACTOR_SETUP_REQUIRED');
          await one.post('/auth/password', { current: password, next: 'x' }).expect(403);
          await one.get('/users').expect(403);
          const account = await one.get('/auth/me').expect(200);
          expect(account.body).toMatchObject({
            secondFactor: { enabled: false, required: true },
            capabilities: ['account:read', 'account:secure'],
          });
        }
        // Public routes treat this token as no token. A socket with this token is refused.
        const draft = await createEvent(app, boss.token, { status: 'draft' });
        await me.get(`/events/${draft.slug}`).expect(404);
        await expect(WallClient.connect(app.url, { auth: { token: tokenOf(early) } })).rejects.toThrow();
        const sure = await confirmed(app, tokenOf(early));
        const { secret } = (await sure.post('/auth/totp').expect(200)).body as { secret: string };
        const { body } = await sure.post('/auth/totp/confirm', { code: codeOf(secret) }).expect(200);
        await as(app, (body as { accessToken: string }).accessToken)
          .get('/donations')
          .expect(200);
        const renewed = await supertest(app.url)
          .post('/auth/refresh')
          .set('Cookie', cookiesOf(early))
          .expect(200);
        await as(app, tokenOf(renewed)).get('/donations').expect(200);
      } finally {
        await require(false);
      }
    },
  );

  it('a session without the second factor may sign out, and staff are not affected', async () => {
    const { email } = await createAdmin(app);
    const token = tokenOf(await login(app, { email, password }).expect(200));
    await require(true);
    try {
      await until(async () => (await as(app, token).get('/donations')).status === 403, 'the switch');
      await as(app, token).post('/auth/logout').expect(200);
      await as(app, token).get('/auth/me').expect(401);
    } finally {
      await require(false);
    }
  });

  it('sockets of sign-ins without the second factor are disconnected', async () => {
    const token = await adminToken(app);
    const wall = await WallClient.connect(app.url, { auth: { token } });
    const cut = new Promise((resolve) => wall.socket.once('disconnect', resolve));
    await require(true);
    try {
      // No message announces the change, so the periodic check ends these sessions.
      expect(await cut).toBe('io server disconnect');
    } finally {
      await require(false);
    }
  }, 40_000);
});
