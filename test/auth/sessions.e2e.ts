import { createHmac } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { JwtService } from '@nestjs/jwt';
import { SessionService } from '../../src/auth/sessions/session.service.js';
import { TEST_SECRETS } from '../support/app.js';
import { as } from '../support/bearer.js';
import { createEvent, createStaff, sql, staffToken } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const jwt = new JwtService({});
const app = withService();
const admin = withAdmin(app);
const eventsAs = (token: string) => as(app, token).get('/events');

describe('a protected endpoint', () => {
  it('a protected endpoint answers 401 without a token', async () => {
    const { body, headers } = await app.http.get('/events').expect(401);
    expect(headers['www-authenticate']).toBe('Bearer');
    expect(body).toEqual({
      statusCode: 401,
      message: 'Missing or invalid token',
      error: 'Unauthorized',
      code: 'UNAUTHORIZED',
    });
  });

  it('a protected endpoint answers 403 to a role without access', async () => {
    const event = await createEvent(app, admin.token);
    const { token } = await createStaff(app, admin.token, event.id);
    const { body } = await as(app, token).get('/staff').expect(403);
    expect(body).toMatchObject({ statusCode: 403, error: 'Forbidden' });
  });

  it('private answers and tokens are never cached', async () => {
    await eventsAs(admin.token).expect(200).expect('Cache-Control', 'no-store');
    await app.http.post('/auth/staff/login').send({ code: '1' }).expect('Cache-Control', 'no-store');
  });

  it('a public endpoint answers a request with an invalid token', async () => {
    await as(app, 'nonsense').get('/events/public').expect(200);
    await app.http.get('/events/public').set('Authorization', 'Basic YTpi').expect(200);
  });

  const forged = (change: (claims: Record<string, unknown>) => void, secret = TEST_SECRETS.JWT_SECRET) => {
    const claims = jwt.decode<Record<string, unknown>>(admin.token);
    change(claims);
    return jwt.sign(claims, { secret });
  };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each<[string, () => string]>([
    ['nonsense', () => 'nonsense'],
    ['signed with another secret', () => forged(() => undefined, 'x'.repeat(40))],
    ['expired', () => forged((claims) => (claims.exp = Math.floor(Date.now() / 1000) - 1))],
    ['without an expiry', () => forged((claims) => delete claims.exp)],
    ['from another issuer', () => forged((claims) => (claims.iss = 'somebody'))],
    ['for another audience', () => forged((claims) => (claims.aud = 'fundraising-donations-api/terminal'))],
    ['of another version', () => forged((claims) => (claims.ver = 2))],
    ['for an account that does not exist', () => forged((claims) => (claims.sub = claims.sid))],
    ['without a valid id as subject', () => forged((claims) => (claims.sub = "x' OR true --"))],
    ['with an unknown role', () => forged((claims) => (claims.role = 'ROOT'))],
    [
      'without a signature (alg none)',
      () => `${part({ alg: 'none', typ: 'JWT' })}.${part(jwt.decode<object>(admin.token))}.`,
    ],
    [
      'signed by another algorithm with the right secret (HS512)',
      () => {
        const text = `${part({ alg: 'HS512', typ: 'JWT' })}.${part(jwt.decode<object>(admin.token))}`;
        return `${text}.${createHmac('sha512', TEST_SECRETS.JWT_SECRET).update(text).digest('base64url')}`;
      },
    ],
  ])('a protected endpoint answers 401 to a token that is %s', async (_, token) => {
    await eventsAs(token()).expect(401).expect('WWW-Authenticate', 'Bearer error="invalid_token"');
  });
});

describe('access tokens', () => {
  it('access tokens expire after one hour for admins and after twelve hours for staff', async () => {
    const event = await createEvent(app, admin.token);
    const { token } = await createStaff(app, admin.token, event.id);
    const lifetime = (of: string) => {
      const { iat, exp } = jwt.decode<{ iat: number; exp: number }>(of);
      return exp - iat;
    };
    expect(lifetime(admin.token)).toBe(3_600);
    expect(lifetime(token)).toBe(12 * 3_600);
  });

  it('access tokens contain no name, e-mail or PIN', async () => {
    const event = await createEvent(app, admin.token);
    const { token } = await createStaff(app, admin.token, event.id);
    for (const one of [admin.token, token]) {
      const claims = jwt.decode<Record<string, unknown>>(one);
      expect(Object.keys(claims).filter((name) => /name|mail|code|pin/i.test(name))).toEqual([]);
    }
  });
});

describe('the end of a session', () => {
  const signedIn = async () => {
    const event = await createEvent(app, admin.token);
    const member = await createStaff(app, admin.token, event.id);
    await eventsAs(member.token).expect(200);
    return { ...member, eventId: event.id };
  };

  it.each<[string, (member: Awaited<ReturnType<typeof signedIn>>) => Promise<unknown>]>([
    ['the member is removed', ({ id }) => admin.delete(`/staff/${id}`).expect(200)],
    [
      'the member is taken off the event',
      ({ id, eventId }) => admin.delete(`/events/${eventId}/staff/${id}`).expect(200),
    ],
    [
      'the member gets a new PIN',
      ({ id, name }) => admin.put(`/staff/${id}`, { name, code: '7013370' }).expect(200),
    ],
    ['the member signs out', ({ token }) => as(app, token).post('/auth/logout').expect(200)],
    ['the event is deleted', ({ eventId }) => admin.delete(`/events/${eventId}`).expect(200)],
  ])('a staff session ends at once when %s', async (_, end) => {
    const member = await signedIn();
    await end(member);
    if (end.toString().includes('/events/${eventId}`'))
      await new Promise((resolve) => setTimeout(resolve, 2_100));
    await eventsAs(member.token).expect(401);
  });

  it('a staff session ends within two seconds when the event is deleted', async () => {
    const { eventId, token } = await signedIn();
    await admin.delete(`/events/${eventId}`).expect(200);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    await eventsAs(token).expect(401);
  });

  it('the end of a session is announced, so that open sockets are disconnected', async () => {
    const member = await signedIn();
    const listener = jest.fn();
    const off = app.app.get(SessionService).onRevoked(listener);
    await admin.delete(`/events/${member.eventId}/staff/${member.id}`).expect(200);
    off();
    expect(listener).toHaveBeenCalledWith(`staff:${member.id}`);
  });

  it('a staff session continues when the member is renamed', async () => {
    const { id, token } = await signedIn();
    await admin.put(`/staff/${id}`, { name: 'Another Name' }).expect(200);
    await eventsAs(token).expect(200);
  });

  it('removal from one event keeps the sessions of the member at other events', async () => {
    const member = await signedIn();
    const other = await createEvent(app, admin.token);
    await admin.post(`/events/${other.id}/staff/${member.id}`).expect(201);
    const there = await staffToken(app, member.code, other.id);
    await admin.delete(`/events/${member.eventId}/staff/${member.id}`).expect(200);
    await eventsAs(there).expect(200);
    await eventsAs(member.token).expect(401);
  });

  it('a staff session stays ended when the member is assigned to the event again', async () => {
    const { id, eventId, token } = await signedIn();
    await admin.delete(`/events/${eventId}/staff/${id}`).expect(200);
    await admin.post(`/events/${eventId}/staff/${id}`).expect(201);
    await eventsAs(token).expect(401);
  });

  it('signing out ends one session and keeps other sign-ins of the same member', async () => {
    const member = await signedIn();
    const second = await staffToken(app, member.code, member.eventId);
    await as(app, member.token).post('/auth/logout').expect(200);
    await eventsAs(member.token).expect(401);
    await eventsAs(second).expect(200);
  });

  it('a session ends within two seconds after its row changes in the database', async () => {
    const { id, token } = await signedIn();
    await sql(app, 'UPDATE staff_member SET session_version = session_version + 1 WHERE id = $1', [id]);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    await eventsAs(token).expect(401);
  });
});

describe('SessionService.verify', () => {
  it('SessionService.verify returns the user of a token, and undefined for an invalid token', async () => {
    const sessions = app.app.get(SessionService);
    const event = await createEvent(app, admin.token);
    const { id, token } = await createStaff(app, admin.token, event.id);
    await expect(sessions.verify(token)).resolves.toEqual({
      role: 'STAFF',
      id,
      name: 'Maria Lopez',
      eventId: event.id,
    });
    await expect(sessions.verify(admin.token)).resolves.toMatchObject({ role: 'ADMIN' });
    await expect(sessions.verify('nonsense')).resolves.toBeUndefined();
  });
});
