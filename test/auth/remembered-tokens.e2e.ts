import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JwtService } from '@nestjs/jwt';
import { startApp, TEST_SECRETS, type TestApp } from '../support/app.js';
import { adminToken, createEvent, createStaff } from '../support/fixtures.js';

const jwt = new JwtService({});
let app: TestApp;
let admin: string;

beforeAll(async () => {
  app = await startApp();
  admin = await adminToken(app);
});
afterAll(() => app.close());

const now = () => Math.floor(Date.now() / 1000);

/** The token of a live session, with less time left. */
function endingSoon(token: string): { readonly token: string; readonly endsAt: number } {
  const endsAt = now() + 2;
  const claims = { ...jwt.decode<Record<string, unknown>>(token), exp: endsAt };
  return { token: jwt.sign(claims, { secret: TEST_SECRETS.JWT_SECRET }), endsAt };
}

const events = (token: string) => app.http.get('/events').auth(token, { type: 'bearer' });

describe('a token whose signature was checked before', () => {
  it('of an admin ends at its own time, although its session goes on', async () => {
    const { token, endsAt } = endingSoon(admin);
    for (let request = 0; request < 3; request += 1) await events(token).expect(200);
    await sleep(endsAt * 1000 - Date.now() + 50);
    const { headers } = await events(token).expect(401);
    expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    await events(admin).expect(200);
  });

  it('of a staff member ends at its own time, although its sign-in goes on', async () => {
    const event = await createEvent(app, admin);
    const member = await createStaff(app, admin, event.id);
    const { token, endsAt } = endingSoon(member.token);
    const list = (one: string) => app.http.get('/donations').auth(one, { type: 'bearer' });
    for (let request = 0; request < 3; request += 1) await list(token).expect(200);
    await sleep(endsAt * 1000 - Date.now() + 50);
    await list(token).expect(401);
    await list(member.token).expect(200);
  });
});
