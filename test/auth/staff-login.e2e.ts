import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { startApp } from '../support/app.js';
import { cookiesOf, createEvent, createStaff, sql } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const app = withService(() => startApp({ TRUST_PROXY: '1' }));
const admin = withAdmin(app);
const login = (body: object, address = '127.0.0.1') =>
  // Sends no cookies, which `app.http` would keep, so that each address is another terminal.
  app.http.post('/auth/staff/login').set('X-Forwarded-For', address).send(body);
const assign = (eventId: string, staffId: string) =>
  admin.post(`/events/${eventId}/staff/${staffId}`).expect(201);
/** A PIN that no staff member has. */
const WRONG = '9999999999';
/** Returns an address that only one test uses, so that failed attempts do not delay another test. */
let addresses = 0;
const newAddress = () => `10.1.${addresses >> 8}.${addresses++ & 255}`;

describe('POST /auth/staff/login', () => {
  it('a staff sign-in returns an access token and the staff user object for the event', async () => {
    const event = await createEvent(app, admin.token);
    const { id, code } = await createStaff(app, admin.token, event.id);
    const { body } = await login({ code, eventId: event.id }).expect(200);
    expect(body).toEqual({
      accessToken: expect.stringMatching(/^eyJ/),
      user: { id, name: 'Maria Lopez', role: 'STAFF', eventId: event.id },
    });
  });

  it('a staff sign-in accepts the slug of the event instead of its id', async () => {
    const event = await createEvent(app, admin.token);
    const { code } = await createStaff(app, admin.token, event.id);
    const { body } = await login({ code, eventId: event.slug }).expect(200);
    expect((body as { user: object }).user).toMatchObject({ eventId: event.id });
  });

  it.each([undefined, null, '', '  '])(
    'accepts the PIN without an event (%p) if the member is assigned to exactly one open event',
    async (eventId) => {
      const event = await createEvent(app, admin.token);
      const { id, code } = await createStaff(app, admin.token, event.id);
      const draft = await createEvent(app, admin.token, { status: 'draft' });
      await assign(draft.id, id);
      const { body } = await login({ code, eventId }, newAddress()).expect(200);
      expect((body as { user: object }).user).toMatchObject({ eventId: event.id });
      await assign((await createEvent(app, admin.token)).id, id);
      await login({ code, eventId }, newAddress()).expect(401);
    },
  );

  it('a staff sign-in returns the same 401 for a wrong PIN, a wrong event and a missing assignment', async () => {
    const event = await createEvent(app, admin.token);
    const other = await createEvent(app, admin.token);
    const { code } = await createStaff(app, admin.token, event.id);
    const wrongs = [
      { code: WRONG, eventId: event.id },
      { code, eventId: other.id },
      { code, eventId: newId() },
      { code, eventId: 'no-such-event' },
      { code, eventId: "'; DROP TABLE event; --" },
      { code: WRONG },
      { code: 'abcd', eventId: event.id },
    ];
    for (const wrong of wrongs) {
      const { body } = await login(wrong, newAddress()).expect(401);
      expect(body).toEqual({
        statusCode: 401,
        message: 'The PIN is not valid for this event; check the PIN and the event',
        error: 'Unauthorized',
        code: 'WRONG_CODE',
      });
    }
  });

  it.each([
    ['active', 200],
    ['paused', 200],
    ['closed', 200],
    ['draft', 401],
    ['archived', 401],
  ])(
    'at an event that is %s, the staff sign-in answers %i; cash may be recorded after the end',
    async (status, expected) => {
      const event = await createEvent(app, admin.token);
      const { code } = await createStaff(app, admin.token, event.id);
      await sql(app, 'UPDATE event SET status = $2::event_status WHERE id = $1', [event.id, status]);
      await login({ code, eventId: event.id }, newAddress()).expect(expected);
    },
  );

  it.each([
    ['no code', { eventId: 'x' }, 'code must be a string'],
    ['a number as code', { code: 1234 }, 'code must be a string'],
    ['a list as code', { code: ['1234'] }, 'code must be a string'],
    ['an unknown field', { code: '1234', event: 'x' }, 'event is not a known field'],
  ])('a staff sign-in answers 400 to %s', async (_, body, message) => {
    const response = await login(body).expect(400);
    expect((response.body as { message: string }).message).toContain(message);
  });
});

describe('wrong PINs', () => {
  const guess = (eventId: string | undefined, address: string, code = WRONG) =>
    login({ code, ...(eventId ? { eventId } : {}) }, address);

  it('an address is delayed at an event after five wrong PINs, even with the correct PIN', async () => {
    const event = await createEvent(app, admin.token);
    const other = await createEvent(app, admin.token);
    const { code } = await createStaff(app, admin.token, event.id);
    const address = newAddress();
    for (let failure = 1; failure <= 5; failure++) await guess(event.id, address).expect(401);
    const { body, headers } = await guess(event.slug, address, code).expect(429);
    expect(body).toMatchObject({ code: 'SIGN_IN_BACKOFF' });
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    await guess(other.id, address).expect(401);
    await guess(event.id, newAddress(), code).expect(200);
  });

  it('all addresses of one IPv6 customer network are counted as one', async () => {
    const event = await createEvent(app, admin.token);
    for (let failure = 1; failure <= 5; failure++)
      await guess(event.id, `2001:db8:1:2::${failure}`).expect(401);
    await guess(event.id, '2001:db8:1:2:ffff::1').expect(429);
    await guess(event.id, '2001:db8:1:3::1').expect(401);
  });

  it('known terminals can sign in while many addresses attack the event', async () => {
    const event = await createEvent(app, admin.token);
    const { code } = await createStaff(app, admin.token, event.id);
    const venue = newAddress();
    await guess(event.id, venue, code).expect(200);
    let attempts = 0;
    for (let status = 401; status === 401 && attempts < 60; attempts++) {
      status = (await guess(event.id, newAddress())).status;
    }
    expect(attempts).toBe(31);
    // All unknown addresses wait together, with a correct or a wrong PIN. Known addresses do not wait.
    await guess(event.id, newAddress(), code).expect(429);
    await guess(event.id, venue).expect(401);
    await guess(event.id, venue, code).expect(200);
  });

  it('a known terminal can sign in from an address that another device guesses from', async () => {
    const event = await createEvent(app, admin.token);
    const { code } = await createStaff(app, admin.token, event.id);
    const venue = newAddress();
    const signedIn = await guess(event.id, venue, code).expect(200);
    const cookie = cookiesOf(signedIn);
    expect(signedIn.headers['set-cookie']?.[0]).toMatch(
      /^terminal=.*Path=\/auth\/staff; .*HttpOnly; SameSite=Strict/,
    );
    for (let failure = 1; failure <= 5; failure++) await guess(event.id, venue).expect(401);
    await guess(event.id, venue, code).expect(429);
    await guess(event.id, venue, code).set('Cookie', cookie).expect(200);
    // A guess with the cookie increases only the counter of this cookie, and only at the event that issued the cookie.
    for (let failure = 1; failure <= 5; failure++)
      await guess(event.id, venue).set('Cookie', cookie).expect(401);
    await guess(event.id, newAddress(), code).set('Cookie', cookie).expect(429);
  });

  it('all PIN guesses without an event share one limit', async () => {
    let attempts = 0;
    for (let status = 401; status === 401 && attempts < 60; attempts++) {
      status = (await guess(undefined, newAddress())).status;
    }
    expect(attempts).toBeLessThanOrEqual(16);
    const event = await createEvent(app, admin.token);
    await guess(event.id, newAddress()).expect(401);
  });
});
