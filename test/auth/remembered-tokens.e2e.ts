import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { JwtService } from '@nestjs/jwt';
import { TEST_SECRETS } from '../support/app.js';
import { as } from '../support/bearer.js';
import { createEvent, createStaff } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const jwt = new JwtService({});
const app = withService();
const admin = withAdmin(app);

const now = () => Math.floor(Date.now() / 1000);

/** Makes a token that belongs to a valid session and expires soon. */
function endingSoon(token: string): { readonly token: string; readonly endsAt: number } {
  const endsAt = now() + 2;
  const claims = { ...jwt.decode<Record<string, unknown>>(token), exp: endsAt };
  return { token: jwt.sign(claims, { secret: TEST_SECRETS.JWT_SECRET }), endsAt };
}

const events = (token: string) => as(app, token).get('/events');

describe('a cached token signature', () => {
  it('an admin token expires on time although its signature is cached and its session is active', async () => {
    const { token, endsAt } = endingSoon(admin.token);
    for (let request = 0; request < 3; request += 1) await events(token).expect(200);
    await sleep(endsAt * 1000 - Date.now() + 50);
    const { headers } = await events(token).expect(401);
    expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    await events(admin.token).expect(200);
  });

  it('a staff token expires on time although its signature is cached and its sign-in is active', async () => {
    const event = await createEvent(app, admin.token);
    const member = await createStaff(app, admin.token, event.id);
    const { token, endsAt } = endingSoon(member.token);
    const list = (one: string) => as(app, one).get('/donations');
    for (let request = 0; request < 3; request += 1) await list(token).expect(200);
    await sleep(endsAt * 1000 - Date.now() + 50);
    await list(token).expect(401);
    await list(member.token).expect(200);
  });
});
