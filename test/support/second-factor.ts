import { Secret, TOTP } from 'otpauth';
import supertest, { type Response } from 'supertest';
import type { TestApp } from './app.js';
import { confirmed } from './bearer.js';
import { ADMIN_PASSWORD, createAdmin, sql } from './fixtures.js';

/** Returns the code of an authenticator app, `steps` time steps from now. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 }).generate({
    timestamp: Date.now() + steps * 30_000,
  });

/** Returns six digits that are not a code of the secret at about this time. */
export function wrongCodeOf(secret: string): string {
  const right = new Set([-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps)));
  for (let number = 0; ; number++) {
    const code = String(number).padStart(6, '0');
    if (!right.has(code)) return code;
  }
}

/** Deletes the time step of the last used code, so that this code can be used again. */
export const forgetSteps = (app: TestApp, adminId: string) =>
  sql(app, 'UPDATE admin SET totp_last_step = NULL WHERE id = $1', [adminId]);

export const login = (app: TestApp, body: object): supertest.Test =>
  supertest(app.url).post('/auth/login').send(body);

export const tokenOf = (response: Response): string => (response.body as { accessToken: string }).accessToken;

export interface Protected {
  readonly id: string;
  readonly email: string;
  readonly secret: string;
  readonly recoveryCodes: string[];
  /** Token of the session that set up the authenticator app. */
  readonly token: string;
}

/** Creates an admin (or another role) with an authenticator app. */
export async function withSecondFactor(app: TestApp, role = 'ADMIN'): Promise<Protected> {
  const { id, email } = await createAdmin(app, undefined, role);
  const first = tokenOf(await login(app, { email, password: ADMIN_PASSWORD }).expect(200));
  const me = await confirmed(app, first);
  const { secret } = (await me.post('/auth/totp').expect(200)).body as { secret: string };
  const { body } = await me.post('/auth/totp/confirm', { code: codeOf(secret) }).expect(200);
  const { recoveryCodes, accessToken } = body as { recoveryCodes: string[]; accessToken: string };
  await forgetSteps(app, id);
  return { id, email, secret, recoveryCodes, token: accessToken };
}
