import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { ADMIN_PASSWORD, adminToken, createAdmin, sql } from '../support/fixtures.js';

let app: TestApp;
let token: string;
const as = (bearer: string) => ({ Authorization: `Bearer ${bearer}` });

/** An event and a member assigned to it, without going through other features. */
async function memberAtEvent(status = 'active') {
  const eventId = newId();
  const slug = `event-${eventId}`;
  await sql(
    app,
    'INSERT INTO event (id, slug, name, goal_amount, currency, status) VALUES ($1, $2, $2, 1000, $3, $4::event_status)',
    [eventId, slug, 'eur', status],
  );
  const { body } = await app.http.post('/staff').set(as(token)).send({ name: 'Maria Lopez' }).expect(201);
  const member = body as { id: string; code: string };
  await app.http.post(`/events/${eventId}/staff/${member.id}`).set(as(token)).expect(201);
  return { ...member, eventId, slug };
}

beforeAll(async () => {
  app = await startApp();
  token = await adminToken(app);
});
afterAll(() => app.close());

describe('POST /auth/login', () => {
  it('signs an admin in with e-mail and password', async () => {
    const { id, email } = await createAdmin(app);
    const { body } = await app.http.post('/auth/login').send({ email, password: ADMIN_PASSWORD }).expect(200);
    expect(body).toEqual({
      accessToken: expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/),
      user: { id, email, role: 'ADMIN' },
    });
  });

  it('signs a staff member in', async () => {
    const { id, code, eventId } = await memberAtEvent();
    const { body } = await app.http.post('/auth/staff/login').send({ code, eventId }).expect(200);
    expect(body).toEqual({
      accessToken: expect.any(String),
      user: { id, name: 'Maria Lopez', role: 'STAFF', eventId },
    });
  });
});
